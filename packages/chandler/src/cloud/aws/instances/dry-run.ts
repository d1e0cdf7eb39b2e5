/** The requests by which a node class is validated before anything is launched from it: those of a launch, for one usual type. */
import type {
  CreateFleetCommandInput,
  CreateLaunchTemplateCommandInput,
  RunInstancesCommandInput,
} from '@aws-sdk/client-ec2';
import type { Stored } from '@chandler/kube';
import { CapacityType, type EC2NodeClass, type NodeClaim } from '../../../api/index.ts';
import { CloudError } from '../../index.ts';

import { AwsError } from '../errors/index.ts';
import { imageForType } from '../images/index.ts';
import type { AwsInstanceType } from '../instance-types/index.ts';
import { fleetRequest, launchTags } from '../launch/index.ts';
import type { TemplateStore } from '../launch-templates/index.ts';
import type { DryRunRequests } from '../node-class/index.ts';
import type { AwsCloudDeps } from './aws-cloud-deps.ts';
import { templatesOf } from './launch-plan.ts';
import { StageTrace } from './stage-trace.ts';
import { instanceProfileOf } from './usable-class.ts';

/** @throws {CloudError} when the class, or what is known of the cluster, does not become requests. */
export function dryRunRequests(
  {
    world,
    cluster,
    market,
    options,
    placementGroupOf,
  }: Omit<AwsCloudDeps, 'ec2' | 'records' | 'reservations' | 'unavailable'>,
  templates: TemplateStore,
  nodeClass: Stored<EC2NodeClass>,
): DryRunRequests {
  const facts = cluster.current();
  const type = usualType(market.typesFor(nodeClass), nodeClass);
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
      choice: { types: [type], capacityType: CapacityType.onDemand, tenancy: 'default' },
      profile: instanceProfileOf(nodeClass),
      tags,
      groupId: placementGroupOf?.(nodeClass)?.id,
      reservedCapacity: options().reservedCapacity,
    },
    new StageTrace({ clock: world.clock, log: SILENT, fields: {} }),
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
  const { NetworkInterfaces } = request.LaunchTemplateData;
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
        TagSpecifications: fleet.TagSpecifications.filter(({ ResourceType }) => ResourceType !== 'fleet'),
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

const ACCELERATORS: readonly string[] = [
  'nvidia.com/gpu',
  'amd.com/gpu',
  'habana.ai/gaudi',
  'aws.amazon.com/neuron',
];

/** The cheapest type without accelerators that an image of the class suits; one with accelerators where there is no other. */
function usualType(
  types: readonly AwsInstanceType[],
  { metadata, status }: Stored<EC2NodeClass>,
): AwsInstanceType {
  const zones = new Set((status?.subnets ?? []).map(({ zone }) => zone));
  const priced = types.flatMap((type) => {
    const offerings = type.offerings.filter(
      ({ capacityType, zone, refusal }) =>
        capacityType === CapacityType.onDemand &&
        zones.has(zone) &&
        refusal?.code !== 'NotOfferedInZone' &&
        refusal?.code !== 'Incompatible',
    );
    if (offerings.length === 0 || imageForType(status?.amis ?? [], type) === undefined) return [];
    const accelerated = ACCELERATORS.some((name) => Number(type.capacity[name] ?? 0) > 0);
    return [{ type: { ...type, offerings }, rank: accelerated ? 1 : 0, price: offerings[0]!.price }];
  });
  const [best] = priced.sort(
    (a, b) => a.rank - b.rank || a.price - b.price || (a.type.name < b.type.name ? -1 : 1),
  );
  if (best !== undefined) return best.type;
  throw new CloudError(
    'NodeClassNotReady',
    `EC2NodeClass ${metadata.name}: no instance type that its subnets offer suits one of its images`,
    { reason: 'InstanceTypeResolutionFailed' },
  );
}
