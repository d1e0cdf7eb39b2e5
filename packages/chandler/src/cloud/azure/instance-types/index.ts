/** Entry point: the instance types of a node class, and which of them to launch. */
export {
  DISK_PLACEMENTS,
  EphemeralRefusals,
  ephemeralMaxSizeGB,
  ephemeralPlacement,
} from './ephemeral-disk.ts';
export { type AzureInstanceType, withoutZeros } from './instance-type.ts';
export { clusterLabel } from './labels.ts';
export { launchTypes } from './launch-types.ts';
export {
  type AzureOffering,
  type BuyableCapacityType,
  type OfferingRefusal,
  offeringRef,
  type PriceReader,
  type QuotaReader,
  type QuotaRefusal,
  type UnavailableReader,
} from './offerings.ts';
export {
  DEFAULT_IMAGE_FAMILY,
  DEFAULT_OS_DISK_GB,
  type InstanceTypeOptions,
  maxPodsFor,
} from './parameters.ts';
export {
  InstanceTypeProvider,
  type InstanceTypeProviderInput,
  SIZES_REFRESH_MS,
  SIZES_RETRY_MS,
} from './provider.ts';
export { type RankedOffering, type RankRequest, rankOfferings, wantsUltraSsd } from './rank.ts';
export { EVICTION_MEMORY, kubeReserved, reservedCpuMilli, reservedMemoryMiB } from './reserved.ts';
