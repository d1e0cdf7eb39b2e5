export {
  ATTACHMENTS,
  BUDGETS,
  CLAIMS,
  type Claim,
  CSI_NODES,
  type CsiNode,
  conditionOf,
  DAEMON_SETS,
  DEPLOYMENTS,
  isReady,
  JOBS,
  NAMESPACES,
  nameOf,
  type PersistentVolume,
  PODS,
  type PodSpec,
  type PodStatus,
  REPLICA_SETS,
  STATEFUL_SETS,
  STORAGE_CLASSES,
  type StorageClass,
  VOLUMES,
} from './standins/kinds.ts';
export { type Amounts, addAll, amountsOf } from './standins/resources.ts';
export { ClusterSnapshot, type Lookup } from './standins/scheduler/cluster-snapshot.ts';
export { feasibleNodes, refusalOf } from './standins/scheduler/fits.ts';
export { matchesNodeAffinity } from './standins/scheduler/node-affinity.ts';
export { untolerated } from './standins/scheduler/taints.ts';
export { unschedulableMessage } from './standins/scheduler/unschedulable-message.ts';
