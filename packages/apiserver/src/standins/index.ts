export { KUBELET_VERSION, type NodeSpec, PLAYGROUND_DRIVER } from './kubelet/node-object.ts';
export { amountOf, podRequests } from './resources.ts';
export { type StandinName, type Standins, type StandinsOptions, startStandins } from './standins.ts';
export { BY_NODE } from './watched.ts';
