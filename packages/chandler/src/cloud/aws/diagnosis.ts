/**
 * AWS's part of `why` and `dump`. An entry point of its own: an answer from a dump loads this, and none of what launches
 * instances. Instance types and the SDK clients are loaded when they are needed.
 */
import { EC2_NODE_CLASSES, type EC2NodeClass } from '../../api/index.ts';
import type { LookupFailure } from '../../causes/index.ts';
import { resolveOptions } from '../../settings/index.ts';
import type { CloudConnection, CloudDiagnosis, CloudEvidence, ConnectRequest } from '../index.ts';

import { awsCatalogue } from './catalogue.ts';
import { AWS_CAUSES } from './causes/index.ts';
import { isExplainedReason } from './causes/node-class.ts';
import { readAwsAuth } from './evidence/aws-auth.ts';
import type { AwsReader } from './evidence/aws-evidence.ts';
import { ERROR_CLASSIFIER } from './evidence/classify-error.ts';
import { awsFacts, COMMANDS } from './evidence/commands.ts';
import { connectReader } from './evidence/connect.ts';
import { freePlaces } from './evidence/free-places.ts';
import { readCluster, readInstance } from './evidence/instances.ts';
import { nodeClassFacts, readLaunchSettings } from './evidence/launch-settings.ts';
import { AWS_CONTROLLER_OPTIONS, AWS_RULES } from './options/options.ts';
import type { AwsStage } from './stages.ts';

export type { AwsReader } from './evidence/aws-evidence.ts';

/**
 * @param aws absent: without a connection, only what the cluster or a dump shows.
 * @param missing why there is no connection.
 */
export function awsDiagnosis(
  aws?: AwsReader,
  missing: LookupFailure = { why: 'notConfigured' },
): CloudDiagnosis {
  return {
    name: 'aws',
    title: 'AWS',
    causes: AWS_CAUSES,
    explained: { options: [], isClassReason: isExplainedReason },
    words: COMMANDS,
    nodeClasses: [EC2_NODE_CLASSES],
    options: {
      table: AWS_CONTROLLER_OPTIONS,
      resolve: (inputs) => resolveOptions(AWS_CONTROLLER_OPTIONS, inputs, AWS_RULES),
    },
    errors: ERROR_CLASSIFIER,
    evidence: awsEvidence(aws, missing),
    layerStages: LAYER_STAGES,
    valuePaths: [],
    checklists: [],
    catalogue: awsCatalogue,
    reservations: {
      ids: (nodeClass) =>
        ((nodeClass as EC2NodeClass).status?.capacityReservations ?? []).map(({ id }) => id),
      free: (context, nodeClass) => freePlaces({ ...context, aws, missing }, nodeClass as EC2NodeClass),
    },
    // Instances have an id that nobody chose, and Nodes the private name of their instance.
    instanceName: (claim) => claim,
    claimName: (instance) => instance,
    facts: awsFacts,
  };
}

/** @throws {StartError} */
export async function connectAws(request: ConnectRequest): Promise<CloudConnection> {
  const { reader, missing, close } = await connectReader(request);
  return { diagnosis: awsDiagnosis(reader, missing), close };
}

// ---------------------------------------------------------------------------------------------------------------

const LAYER_STAGES: Readonly<Record<'provider' | 'vmCreation', readonly AwsStage[]>> = {
  provider: ['nodeClass', 'launchTemplate'],
  vmCreation: ['fleetRequest'],
};

function awsEvidence(aws: AwsReader | undefined, missing: LookupFailure): CloudEvidence {
  return {
    nodeClass: nodeClassFacts,
    isAboutEncryption: () => false,
    readInstance: (context, claim, controller, node) =>
      readInstance({ ...context, aws, missing }, claim, controller, node?.isUnready ?? false),
    readValues: readLaunchSettings,
    readJoinCredentials: (context) => readAwsAuth(context, true),
    readCluster: (context, _, controller) => readCluster({ ...context, aws, missing }, controller),
  };
}
