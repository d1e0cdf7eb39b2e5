/**
 * The instance type and the tenancy that a node class is validated with: those of a launch for one of its NodePools, so that
 * policies which limit types or tenancies judge the validation as they judge launches.
 */
import type { Stored } from '@chandler/kube';
import { CapacityType, type EC2NodeClass } from '../../../api/index.ts';
import { byCodeUnit } from '../../../scheduling/index.ts';
import { CloudError } from '../../index.ts';
import { imageFamily, imageForType } from '../images/index.ts';
import type { AwsInstanceType } from '../instance-types/index.ts';
import { ClaimRequirements, type Tenancy, tenancyOf } from '../launch/index.ts';
import type { ClassPool } from '../node-class/index.ts';

export interface DryRunType {
  /** With the offerings on demand in the zones of the class. */
  readonly type: AwsInstanceType;
  readonly tenancy: Tenancy;
}

/** @throws {CloudError} when no type suits the class. */
export function dryRunType(
  types: readonly AwsInstanceType[],
  nodeClass: Stored<EC2NodeClass>,
  pools: readonly ClassPool[],
): DryRunType {
  const zones = new Set((nodeClass.status?.subnets ?? []).map(({ zone }) => zone));
  const usable = types
    .flatMap((type) => rankedType(type, nodeClass, zones))
    .sort((a, b) => compareRanks(a.rank, b.rank) || byCodeUnit(a.type.name, b.type.name))
    .map(({ type }) => type);
  const wishes = pools.toSorted((a, b) => byCodeUnit(a.name, b.name)).flatMap(wishesOf);
  const allowedBy = ({ requirements }: AwsInstanceType) => wishes.find((wish) => wish.allows(requirements));
  // Which types Windows runs on EC2 does not say exactly, so pools may allow some on which it does not.
  const allowed = isWindows(nodeClass) ? undefined : usable.find((each) => allowedBy(each) !== undefined);
  const type = allowed ?? usable[0];
  if (type !== undefined) {
    const wish = allowedBy(type) ?? wishes[0];
    return { type, tenancy: wish === undefined ? 'default' : tenancyOf(wish) };
  }
  throw new CloudError(
    'NodeClassNotReady',
    `EC2NodeClass ${nodeClass.metadata.name}: no instance type that its subnets offer suits one of its images`,
    { reason: 'InstanceTypeResolutionFailed' },
  );
}

// ---------------------------------------------------------------------------------------------------------------

const ACCELERATORS: readonly string[] = [
  'nvidia.com/gpu',
  'amd.com/gpu',
  'habana.ai/gaudi',
  'aws.amazon.com/neuron',
];

/** For each architecture one that nearly every region sells and every account may use; Karpenter uses the same. */
const USUAL_TYPES: readonly string[] = ['m5.large', 'm6g.large'];

interface RankedType {
  readonly type: AwsInstanceType;
  /** Compared number by number, the lowest first. */
  readonly rank: readonly number[];
}

/** Nothing for a type that the subnets of the class do not offer, or without an image. */
function rankedType(
  type: AwsInstanceType,
  { status }: Stored<EC2NodeClass>,
  zones: ReadonlySet<string>,
): readonly RankedType[] {
  const offerings = type.offerings.filter(
    ({ capacityType, zone, refusal }) =>
      capacityType === CapacityType.onDemand &&
      zones.has(zone) &&
      refusal?.code !== 'NotOfferedInZone' &&
      refusal?.code !== 'Incompatible',
  );
  if (offerings.length === 0 || imageForType(status?.amis ?? [], type) === undefined) return [];
  const hasPrice = offerings.some(({ refusal }) => refusal?.code !== 'NoPrice');
  const hasAccelerators = ACCELERATORS.some((name) => Number(type.capacity[name] ?? 0) > 0);
  const usual = USUAL_TYPES.indexOf(type.name);
  const rank = [
    hasAccelerators ? 1 : 0,
    hasPrice ? 0 : 1,
    usual === -1 ? USUAL_TYPES.length : usual,
    offerings[0]!.price,
  ];
  return [{ type: { ...type, offerings }, rank }];
}

function compareRanks(a: readonly number[], b: readonly number[]): number {
  const index = a.findIndex((value, at) => value !== b[at]);
  return index === -1 ? 0 : a[index]! - b[index]!;
}

/** Nothing for a pool whose requirements cannot be read: nothing is launched for it either. */
function wishesOf({ requirements }: ClassPool): readonly ClaimRequirements[] {
  try {
    return [new ClaimRequirements(requirements)];
  } catch (error) {
    if (error instanceof CloudError) return [];
    throw error;
  }
}

function isWindows({ spec }: Stored<EC2NodeClass>): boolean {
  const found = imageFamily(spec);
  return 'family' in found && found.family.startsWith('Windows');
}
