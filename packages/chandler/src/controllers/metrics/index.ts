/** The metrics controllers; other controllers measure themselves. */
import type { MakeController } from '../context.ts';
import { clusterStateMetrics } from './cluster-state.ts';
import { nodeMetrics } from './nodes.ts';
import { podLog } from './pod-log.ts';
import { podMetrics } from './pods.ts';
import { poolCost } from './pool-cost.ts';
import { poolMetrics } from './pools.ts';
import { conditionMetrics } from './status-conditions.ts';

export { meteredController, withCloudMetrics } from './cloud-calls.ts';
export { PodTimes } from './pod-times.ts';

/** Cluster-wide metrics, costs, and the log lines about pods: always on. */
export const ALWAYS_OBSERVED: readonly MakeController[] = [clusterStateMetrics, poolCost, podLog];

/** Metrics of single pods, nodes, pools and conditions. Off with the option disable-cluster-state-observability. */
export const OBSERVED_ONE_BY_ONE: readonly MakeController[] = [
  podMetrics,
  nodeMetrics,
  poolMetrics,
  conditionMetrics,
];
