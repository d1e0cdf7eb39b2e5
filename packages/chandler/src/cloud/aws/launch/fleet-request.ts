/** The CreateFleet request of one claim. Requests for several claims are merged in batching.ts. */
import { CapacityType } from '../../../api/index.ts';
import { CloudError } from '../../index.ts';

import type { CreateFleetRequest, FleetOverride, FleetTemplateConfig } from './ec2-shapes.ts';
import type { CapacityTypeName, LaunchType, ReservationKind } from './launch-types.ts';
import type { LaunchSubnet } from './subnet-addresses.ts';
import { type Tags, tagSpecifications } from './tags.ts';
import type { TemplateGroup } from './template-groups.ts';

export interface FleetInput {
  readonly capacityType: CapacityTypeName;
  /** Of a reserved launch. */
  readonly reservation?: ReservationKind | undefined;
  readonly templates: readonly NamedTemplate[];
  /** By zone. */
  readonly subnets: ReadonlyMap<string, LaunchSubnet>;
  readonly tags: Tags;
  /** `spec.context` of the node class. */
  readonly context?: string | undefined;
  /** Whether the claim was planned with fewer values than its minValues: then the context is not passed on. */
  readonly minValuesRelaxed: boolean;
  /** Whether a NodeOverlay changed prices: then EC2 has to follow our prices, not its own. */
  readonly priceOverlay: boolean;
}

export interface NamedTemplate {
  readonly name: string;
  readonly group: Pick<TemplateGroup<LaunchType>, 'imageId' | 'types'>;
}

/** @throws {CloudError} when nothing is left to request. */
export function fleetRequest(input: FleetInput): CreateFleetRequest {
  if (input.subnets.size === 0) {
    throw new CloudError('CreateFailed', 'the status of the EC2NodeClass has no subnets', {
      reason: 'SubnetResolutionFailed',
    });
  }
  const configs = input.templates.map((template) => templateConfig(template, input.subnets));
  const LaunchTemplateConfigs = configs.filter(({ Overrides }) => Overrides.length > 0);
  if (LaunchTemplateConfigs.length === 0) {
    throw new CloudError(
      'InsufficientCapacity',
      `no offering is in a zone with a subnet of the EC2NodeClass (${[...input.subnets.keys()].sort().join(', ')})`,
    );
  }
  return {
    Type: 'instant',
    ...(input.context === undefined || input.minValuesRelaxed ? {} : { Context: input.context }),
    LaunchTemplateConfigs,
    TargetCapacitySpecification: {
      DefaultTargetCapacityType: targetCapacityType(input),
      TotalTargetCapacity: 1,
    },
    ...allocation(input),
    TagSpecifications: tagSpecifications(['instance', 'volume', 'fleet'], input.tags),
  };
}

// ---------------------------------------------------------------------------------------------------------------

function templateConfig({ name, group }: NamedTemplate, subnets: FleetInput['subnets']): FleetTemplateConfig {
  return {
    // Content decides the name, so there is one version.
    LaunchTemplateSpecification: { LaunchTemplateName: name, Version: '$Latest' },
    Overrides: group.types.flatMap((type) => overridesOf(type, group.imageId, subnets)),
  };
}

/** One for each zone: offerings that differ in the partition only are the same to EC2, and the cheapest counts. */
function overridesOf(
  { name, offerings }: LaunchType,
  imageId: string,
  subnets: FleetInput['subnets'],
): FleetOverride[] {
  const prices = new Map<string, number>();
  for (const { zone, price } of offerings) prices.set(zone, Math.min(price, prices.get(zone) ?? price));
  return [...prices]
    .sort(([first], [second]) => (first < second ? -1 : 1))
    .flatMap(([zone, price]) => {
      const subnet = subnets.get(zone);
      if (subnet === undefined) return [];
      // The zone follows from the subnet; it is there so that errors name it.
      return [
        {
          InstanceType: name,
          SubnetId: subnet.id,
          ImageId: imageId,
          AvailabilityZone: zone,
          Priority: price,
        },
      ];
    });
}

type TargetType = CreateFleetRequest['TargetCapacitySpecification']['DefaultTargetCapacityType'];

function targetCapacityType({ capacityType, reservation }: FleetInput): TargetType {
  if (capacityType === CapacityType.spot) return 'spot';
  if (reservation?.type === 'capacity-block') return 'capacity-block';
  return reservation?.interruptible === true ? 'reserved-capacity' : 'on-demand';
}

function allocation({
  capacityType,
  reservation,
  priceOverlay,
}: FleetInput): Pick<CreateFleetRequest, 'OnDemandOptions' | 'ReservedCapacityOptions' | 'SpotOptions'> {
  if (capacityType === CapacityType.spot) {
    const strategy = priceOverlay ? 'capacity-optimized-prioritized' : 'price-capacity-optimized';
    return { SpotOptions: { AllocationStrategy: strategy } };
  }
  if (reservation?.type === 'capacity-block') return {};
  if (reservation?.interruptible === true)
    return { ReservedCapacityOptions: { ReservationTypes: ['interruptible-capacity-reservation'] } };
  return { OnDemandOptions: { AllocationStrategy: priceOverlay ? 'prioritized' : 'lowest-price' } };
}
