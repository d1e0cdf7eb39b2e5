/** The menu: what is measured beside the controllers that measure themselves. */
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

/** Figures about the whole and about money, and what the log says of pods: always there. */
export const ALWAYS_OBSERVED: readonly MakeController[] = [clusterStateMetrics, poolCost, podLog];

/** One by one: pods, nodes, pools and conditions. Left out where the option disable-cluster-state-observability is set. */
export const OBSERVED_ONE_BY_ONE: readonly MakeController[] = [
  podMetrics,
  nodeMetrics,
  poolMetrics,
  conditionMetrics,
];
