/** The core, apps, batch and storage kinds, each modelled once. */
export * from './cluster.ts';
export { type Conditioned, conditionOf, type StatusCondition, withConditions } from './condition.ts';
export * from './node.ts';
export * from './pod.ts';
export * from './pod-placement.ts';
export * from './pod-questions.ts';
export * from './resized-containers.ts';
export * from './resource-amounts.ts';
export * from './selector.ts';
export * from './storage.ts';
export * from './workloads.ts';
