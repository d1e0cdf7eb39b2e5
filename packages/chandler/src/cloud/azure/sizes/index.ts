/** VM sizes: their names, what Azure says about them, which of them may become nodes. */
export { MIN_MEMORY_GIB, MIN_VCPUS, type RegionSizes, readRegion, refusalOfName } from './catalogue.ts';
export { type Gpu, type GpuDriver, gpuDriver, gpuOf, gpuRunsOn } from './gpu.ts';
export type { GpuManufacturer } from './gpus.table.ts';
export { normalLocation, type ResourceSku, sameLocation } from './resource-sku.ts';
export { isConfidential, parseSize, type Size, seriesOf, versionOf } from './size-name.ts';
export {
  type Architecture,
  type DiskPlacement,
  isRefusal,
  type LocalDisks,
  readSku,
  type SkuFacts,
} from './sku-facts.ts';
export { type NodeClassRefusal, type RefusedSku, type SkuRefusal, skuRefusalText } from './sku-refusal.ts';
export {
  armZones,
  type PlacementScope,
  placementScope,
  REGIONAL_ZONE,
  zoneLabel,
  zoneLabelOf,
} from './zones.ts';
