export {
  isReady,
  nameOf,
} from './standins/object-facts.ts';
export { type Amounts, addAll, amountsOf } from './standins/resources.ts';
export { ClusterSnapshot, type Lookup } from './standins/scheduler/cluster-snapshot.ts';
export { feasibleNodes, refusalOf } from './standins/scheduler/fits.ts';
export { matchesNodeAffinity } from './standins/scheduler/node-affinity.ts';
export { untolerated } from './standins/scheduler/taints.ts';
export { unschedulableMessage } from './standins/scheduler/unschedulable-message.ts';
