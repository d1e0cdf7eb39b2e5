/**
 * The entry point of the module: the kinds and their CRDs, conditions, drift hashes, names, and value objects.
 */

export { type ClaimPhase, claimPhase, nodePhase } from './conditions/claim-phase.ts';
export {
  type Condition,
  ConditionSet,
  type ConditionStatus,
  conditionTypesOf,
} from './conditions/condition-set.ts';
export { CONDITIONS, type ConditionedKind } from './conditions/conditions.table.ts';
export { renderConditionsDoc } from './conditions/conditions-doc.ts';
export { allowedTransition, knownReason } from './conditions/transitions.ts';
export * from './hash/drift-hash.ts';
export { goJson } from './hash/go-json.ts';
export { IN_TREE_DRIVERS, type InTreeVolumeSource, inTreeVolumeDriver } from './in-tree-volumes.table.ts';
export {
  type AKSNodeClass,
  type AKSNodeClassSpec,
  type AKSNodeClassStatus,
  aksNodeClassKind,
  DISK_ENCRYPTION_SET_ID,
  IMAGE_FAMILIES,
} from './kinds/aks-node-class/aks-node-class.ts';
export type { AKSKubeletConfiguration } from './kinds/aks-node-class/kubelet.ts';
export type { LinuxOSConfig, Sysctls } from './kinds/aks-node-class/linux-os.ts';
export type { LocalDNS, LocalDNSOverride } from './kinds/aks-node-class/local-dns.ts';
export {
  ACTIVE_CAPACITY,
  type CapacityBuffer,
  type CapacityBufferSpec,
  type CapacityBufferStatus,
  capacityBufferKind,
} from './kinds/capacity-buffer.ts';
export {
  type DoubtfulValue,
  doubtfulAksValues,
  doubtfulEc2Values,
  doubtfulPoolValues,
  doubtfulText,
} from './kinds/doubtful-values.ts';
export {
  AMI_FAMILIES,
  type EC2NodeClass,
  type EC2NodeClassSpec,
  type EC2NodeClassStatus,
  ec2NodeClassKind,
} from './kinds/ec2-node-class/ec2-node-class.ts';
export type { EC2KubeletConfiguration } from './kinds/ec2-node-class/kubelet.ts';
export type {
  BlockDeviceMapping,
  MetadataOptions,
  NetworkInterface,
} from './kinds/ec2-node-class/machine.ts';
export type {
  AMISelectorTerm,
  CapacityReservationSelectorTerm,
  SecurityGroupSelectorTerm,
  SubnetSelectorTerm,
} from './kinds/ec2-node-class/selectors.ts';
export { builtinCrds, KINDS } from './kinds/index.ts';
export {
  type NodeClaim,
  type NodeClaimSpec,
  type NodeClaimStatus,
  nodeClaimKind,
} from './kinds/node-claim.ts';
export {
  type NodeOverlay,
  type NodeOverlaySpec,
  type NodeOverlayStatus,
  nodeOverlayKind,
  type OverlayRequirement,
} from './kinds/node-overlay.ts';
export {
  type Budget,
  CONSOLIDATION_POLICIES,
  DISRUPTION_REASONS,
  type Disruption,
  type NodeClaimTemplate,
  type NodeClaimTemplateSpec,
  type NodePool,
  type NodePoolSpec,
  type NodePoolStatus,
  nodePoolKind,
} from './kinds/node-pool.ts';
export {
  type NodeClassReference,
  OPERATORS,
  type Operator,
  type ReportedRequirement,
  type Requirement,
  type ResourceList,
  type Taint,
} from './kinds/parts.ts';
export * from './known-labels.ts';
export * from './labels.ts';
export * from './resources.table.ts';
export * as karpenterResources from './resources.table.ts';
export {
  type CustomResourceDefinition,
  type KindDefinition,
  type ObjectOfKind,
  renderCrd,
} from './schema/crd.ts';
export { withDefaults } from './schema/defaults.ts';
export type { JsonSchema, JsonValue, Rule, Schema, Static } from './schema/schema.ts';
export { conditionsOf, replacing, sameJson, writeAnnotations, writeStatus } from './status-patch.ts';
export * from './wire-names.ts';
