export { withConditions } from './conditions.ts';
export { type Labels, NODES, type Node, type Pod, type StatusCondition, type Taint } from './kinds.ts';
export { KUBELET_VERSION, type NodeSpec, PLAYGROUND_DRIVER } from './kubelet/node-object.ts';
export { unless } from './outcome.ts';
export { amountOf, podRequests } from './resources.ts';
export { type StandinName, type Standins, type StandinsOptions, startStandins } from './standins.ts';
export { timestamp } from './time.ts';
export { BY_NODE } from './watched.ts';
