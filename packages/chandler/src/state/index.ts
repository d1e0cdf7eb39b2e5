/** The state of the cluster: fill `Stores`, read it through `Cluster`, schedule from `snapshotOf`. */
export { Cluster } from './cluster.ts';
export { type ClusterNode, existingNode, joinNode } from './cluster-node.ts';
export { Exchanges } from './exchanges.ts';
export { isTainted, joinNodes } from './join-nodes.ts';
export * from './objects.ts';
export * from './pending-pods.ts';
export { byKey, type ClusterPart, leavingFrom, livePodsOn, readPods, snapshotOf } from './snapshot.ts';
export { controllerRow, type SpreadSelectors, selectorsOf, serviceRow } from './spread-selectors.ts';
export * from './stores.ts';
export { trimOf } from './trim.ts';
