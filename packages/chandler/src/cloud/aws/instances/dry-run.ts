/** The requests by which a node class is validated before anything is launched from it: those of a launch, for one type. */
import type {
  CreateFleetCommandInput,
  CreateLaunchTemplateCommandInput,
  RunInstancesCommandInput,
} from '@aws-sdk/client-ec2';
import type { Stored } from '@chandler/kube';
import { CapacityType, type EC2NodeClass, type NodeClaim } from '../../../api/index.ts';
import { StageTrace } from '../../../journey/index.ts';
import { CloudError } from '../../index.ts';

import { AwsError } from '../errors/index.ts';
import { fleetRequest, launchTags, tagSpecifications } from '../launch/index.ts';
import type { TemplateStore } from '../launch-templates/index.ts';
import type { ClassPool, DryRunRequests } from '../node-class/index.ts';
import type { AwsStage } from '../stages.ts';
import type { AwsCloudDeps } from './aws-cloud-deps.ts';
import { dryRunType } from './dry-run-type.ts';
import { templatesOf } from './launch-plan.ts';
import { instanceProfileOf } from './usable-class.ts';

/** @throws {CloudError} when the class, or what is known of the cluster, does not become requests. */
export function dryRunRequests(
  {
    world,
    cluster,
    market,
    options,
    placementGroupOf,
  }: Omit<AwsCloudDeps, 'ec2' | 'records' | 'reservations' | 'unavailable' | 'zonalShift'>,
  templates: TemplateStore,
  nodeClass: Stored<EC2NodeClass>,
  pools: readonly ClassPool[],
): DryRunRequests {
  const facts = cluster.current();
  const { type, tenancy } = dryRunType(market.typesFor(nodeClass), nodeClass, pools);
  const tags = launchTags({
    clusterName: facts.name.value,
    nodePool: '',
    nodeClass: nodeClass.metadata.name,
    own: nodeClass.spec?.tags,
  });
  const [template] = templatesOf(
    {
      claim: NO_CLAIM,
      nodeClass,
      cluster: facts,
      choice: { types: [type], capacityType: CapacityType.onDemand, tenancy },
      profile: instanceProfileOf(nodeClass),
      tags,
      groupId: placementGroupOf?.(nodeClass)?.id,
      reservedCapacity: options().reservedCapacity,
    },
    new StageTrace<AwsStage>({ clock: world.clock, log: SILENT, fields: {} }),
  );
  const { request } = template!;
  const subnets = nodeClass.status?.subnets ?? [];
  const fleet = fleetRequest({
    capacityType: CapacityType.onDemand,
    templates: [{ name: request.LaunchTemplateName, group: template!.group }],
    subnets: new Map(subnets.toReversed().map((subnet) => [subnet.zone, subnet])),
    tags,
    context: nodeClass.spec?.context,
    minValuesRelaxed: false,
    priceOverlay: false,
  });
  const LaunchTemplate = { LaunchTemplateName: request.LaunchTemplateName, Version: '$Latest' };
  const { NetworkInterfaces, MetadataOptions } = request.LaunchTemplateData;
  return {
    // The SDK lists the instance types of its release; the names are the same.
    createLaunchTemplate: { ...(request as CreateLaunchTemplateCommandInput), DryRun: true },
    createFleet: fleet as CreateFleetCommandInput,
    runInstances: subnets.map(
      ({ id }): RunInstancesCommandInput => ({
        MinCount: 1,
        MaxCount: 1,
        LaunchTemplate,
        InstanceType: type.name as RunInstancesCommandInput['InstanceType'],
        NetworkInterfaces: NetworkInterfaces.map((each) => ({ ...each, SubnetId: id })),
        // Policies see what the request says, not the template.
        MetadataOptions,
        // These replace the tags of the template, unlike those of a fleet.
        TagSpecifications: tagSpecifications(['instance', 'volume', 'network-interface'], tags),
      }),
    ),
    async ensureTemplate(signal) {
      try {
        const lease = await templates.lease([request], signal);
        lease.end();
      } catch (error) {
        // Who validates decides by what EC2 said, not by what it means for a launch.
        throw error instanceof CloudError && error.cause instanceof AwsError ? error.cause : error;
      }
    },
    templateMissing: () => templates.missing([request.LaunchTemplateName]),
  };
}

// ---------------------------------------------------------------------------------------------------------------

const NO_CLAIM: Pick<NodeClaim, 'metadata' | 'spec'> = {
  metadata: { name: '' },
  spec: { nodeClassRef: { group: '', kind: '', name: '' }, requirements: [] },
};

const nothing = () => undefined;
const SILENT = { debug: nothing, info: nothing, warn: nothing, error: nothing, with: () => SILENT };
