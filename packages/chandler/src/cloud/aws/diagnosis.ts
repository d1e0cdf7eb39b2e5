/**
 * AWS's part of `why` and `dump`. An entry point of its own: an answer from a dump loads this, and none of what launches
 * instances. Instance types and the SDK clients are loaded when they are needed.
 */
import { EC2_NODE_CLASSES } from '../../api/index.ts';
import { OPERATOR_OPTIONS, resolveOptions } from '../../settings/index.ts';
import type { CloudDiagnosis, CloudEvidence } from '../index.ts';

import { awsCatalogue } from './catalogue.ts';
import { AWS_CAUSES } from './causes/index.ts';
import { isExplainedReason } from './causes/node-class.ts';
import { readAwsAuth } from './evidence/aws-auth.ts';
import type { AwsReader } from './evidence/aws-evidence.ts';
import { ERROR_CLASSIFIER } from './evidence/classify-error.ts';
import { awsFacts, COMMANDS } from './evidence/commands.ts';
import { readCluster, readInstance } from './evidence/instances.ts';
import { nodeClassFacts, readLaunchSettings } from './evidence/launch-settings.ts';

export type { AwsReader } from './evidence/aws-evidence.ts';

/** @param aws absent: without a connection, only what the cluster or a dump shows. */
export function awsDiagnosis(aws?: AwsReader): CloudDiagnosis {
  return {
    name: 'aws',
    title: 'AWS',
    causes: AWS_CAUSES,
    explained: { options: [], isClassReason: isExplainedReason },
    words: COMMANDS,
    nodeClasses: [EC2_NODE_CLASSES],
    options: {
      table: OPERATOR_OPTIONS,
      resolve: (inputs) => resolveOptions(OPERATOR_OPTIONS, inputs),
    },
    errors: ERROR_CLASSIFIER,
    evidence: awsEvidence(aws),
    layerStages: { provider: ['nodeClass', 'launchTemplate'], vmCreation: ['fleetRequest'] },
    valuePaths: [],
    checklists: [],
    catalogue: awsCatalogue,
    // Instances have an id that nobody chose, and Nodes the private name of their instance.
    instanceName: (claim) => claim,
    claimName: (instance) => instance,
    facts: awsFacts,
  };
}

// ---------------------------------------------------------------------------------------------------------------

function awsEvidence(aws: AwsReader | undefined): CloudEvidence {
  return {
    nodeClass: nodeClassFacts,
    isAboutEncryption: () => false,
    readInstance: (context, claim) => readInstance({ ...context, aws }, claim),
    readValues: readLaunchSettings,
    readJoinCredentials: (context) => readAwsAuth(context, true),
    readCluster: (context, _, controller) => readCluster({ ...context, aws }, controller),
  };
}
