/** The menu: what is measured beside the controllers that measure themselves. */
import type { MakeController } from '../context.ts';
import { clusterStateMetrics } from './cluster-state.ts';
import { nodeMetrics } from './nodes.ts';
import { podMetrics } from './pods.ts';
import { poolCost } from './pool-cost.ts';
import { poolMetrics } from './pools.ts';
import { conditionMetrics } from './status-conditions.ts';

export { meteredController, withCloudMetrics } from './cloud-calls.ts';
export { PodTimes } from './pod-times.ts';

/** Left out where the option disable-cluster-state-observability is set. */
export const METRICS_CONTROLLERS: readonly MakeController[] = [
  podMetrics,
  nodeMetrics,
  poolMetrics,
  poolCost,
  clusterStateMetrics,
  conditionMetrics,
];
