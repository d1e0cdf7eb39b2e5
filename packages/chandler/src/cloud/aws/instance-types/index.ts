/** Entry point: the instance types of a node class. */
export { AMI_FAMILY_TRAITS, type AmiFamily, type AmiFamilyTraits } from './ami-families.table.ts';
export { type CniSettings, cniSettings } from './cni.ts';
export type { AwsInstanceType } from './instance-type.ts';
export { architectureOf, type InstanceTypeInfo, type UsableInstanceType } from './instance-type-info.ts';
export { compileExpression, ExpressionError } from './kubelet-expressions.ts';
export { type KubeletSettings, kubeletExpressions, kubeletSettings } from './kubelet-settings.ts';
export { type NetworkLimits, networkLimits } from './network-limits.ts';
export { type MemoryReport, OBSERVED_TTL_MS, ObservedMemory } from './observed-memory.ts';
export {
  amiFamilyOf,
  type CapacityReservation,
  type InstanceTypeOptions,
  type PlacementGroup,
  type ZoneInfo,
} from './parameters.ts';
export { TypeLists, type TypeListsInput, type TypeOffering } from './type-lists.ts';
