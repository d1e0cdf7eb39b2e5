/**
 * Whether instances of a type can be launched for a node class at all. Each check gives the reason, or nothing; the first
 * reason counts. It is no check of everything that EC2 would refuse.
 */
import type {
  InstanceTypeInfo,
  NetworkCard,
  NetworkInfo,
  UsableInstanceType,
} from '../instance-types/instance-type-info.ts';
import type { Parameters } from '../instance-types/parameters.ts';

export type IncompatibleReason =
  /** Amazon Linux 2023 does not run on the first Graviton. */
  | 'ArchitectureNotSupportedByImage'
  | 'NoEnaSupport'
  | 'TooFewNetworkCards'
  | 'TooFewInterfacesOnCard'
  | 'TooFewEfaInterfaces'
  | 'NoNestedVirtualization'
  | 'PlacementStrategyNotSupported'
  | 'ConnectionTrackingNeedsNitro';

type CompatibilityParameters = Pick<
  Parameters,
  'amiFamily' | 'networkInterfaces' | 'nestedVirtualization' | 'placementGroup' | 'connectionTracking'
>;

export function incompatibleReason(
  info: UsableInstanceType,
  parameters: CompatibilityParameters,
): IncompatibleReason | undefined {
  for (const check of CHECKS) {
    const reason = check(info, parameters);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------------------

type Check = (
  info: UsableInstanceType,
  parameters: CompatibilityParameters,
) => IncompatibleReason | undefined;

const CHECKS: readonly Check[] = [
  (info, { networkInterfaces }) =>
    networkInterfaces === undefined ? undefined : interfaceReason(info.NetworkInfo, networkInterfaces),
  (info, { amiFamily }) =>
    amiFamily === 'AL2023' && info.InstanceType.startsWith('a1.')
      ? 'ArchitectureNotSupportedByImage'
      : undefined,
  (info, { nestedVirtualization }) =>
    nestedVirtualization && !hasFeature(info, 'nested-virtualization') ? 'NoNestedVirtualization' : undefined,
  (info, { placementGroup }) =>
    placementGroup !== undefined &&
    info.PlacementGroupInfo?.SupportedStrategies?.includes(placementGroup.strategy) !== true
      ? 'PlacementStrategyNotSupported'
      : undefined,
  (info, { connectionTracking }) =>
    connectionTracking && info.Hypervisor !== 'nitro' ? 'ConnectionTrackingNeedsNitro' : undefined,
];

function interfaceReason(
  { EnaSupport, NetworkCards = [], EfaInfo }: NetworkInfo,
  wanted: NonNullable<Parameters['networkInterfaces']>,
): IncompatibleReason | undefined {
  if (EnaSupport === 'unsupported') return 'NoEnaSupport';
  for (const { networkCardIndex, deviceIndex } of wanted) {
    const card = NetworkCards.find((own: NetworkCard) => own.NetworkCardIndex === networkCardIndex);
    if (card === undefined) return 'TooFewNetworkCards';
    if ((card.MaximumNetworkInterfaces ?? 0) <= deviceIndex) return 'TooFewInterfacesOnCard';
  }
  const efas = wanted.filter(({ interfaceType }) => interfaceType === 'efa-only').length;
  return efas > (EfaInfo?.MaximumEfaInterfaces ?? 0) ? 'TooFewEfaInterfaces' : undefined;
}

function hasFeature({ ProcessorInfo }: InstanceTypeInfo, feature: string): boolean {
  return ProcessorInfo?.SupportedFeatures?.includes(feature) === true;
}
