/** Failed launches and terminations by zone, and how requests become calls, by the names that Karpenter's dashboards read. */
import type { World } from '@chandler/kube';
import { DURATION_BUCKETS } from '../../index.ts';

export type BatchName = 'create_fleet' | 'describe_instances' | 'terminate_instances';

export interface ZoneLabels {
  readonly zone: string;
  /** Empty where it is not known. */
  readonly zoneId: string;
}

export interface InstanceMetrics {
  /** An offering that CreateFleet could not launch. */
  launchFailed(zone: ZoneLabels, capacityType: string, reason: string): void;
  terminationFailed(zone: ZoneLabels): void;
  /** @param waitedMs since the first request of the batch. */
  batchSent(name: BatchName, size: number, waitedMs: number): void;
}

export function instanceMetrics({ metrics }: Pick<World, 'metrics'>): InstanceMetrics {
  const launches = metrics.counter({
    name: 'karpenter_cloudprovider_instance_launch_failures_total',
    help: 'Offerings that CreateFleet could not launch, by zone, capacity type and reason',
    labels: ['zone', 'zone_id', 'capacity_type', 'reason'],
  });
  const terminations = metrics.counter({
    name: 'karpenter_cloudprovider_instance_termination_failures_total',
    help: 'Failed terminations of instances, by zone; without those that wait for the end of a zonal shift',
    labels: ['zone', 'zone_id'],
  });
  const seconds = metrics.histogram({
    name: 'karpenter_cloudprovider_batcher_batch_time_seconds',
    help: 'How long requests wait for others to become one call',
    labels: ['batcher'],
    buckets: DURATION_BUCKETS,
  });
  const sizes = metrics.histogram({
    name: 'karpenter_cloudprovider_batcher_batch_size',
    help: 'How many requests become one call',
    labels: ['batcher'],
    buckets: SIZE_BUCKETS,
  });
  return {
    launchFailed({ zone, zoneId }, capacityType, reason) {
      launches.add(1, { zone, zone_id: zoneId, capacity_type: capacityType, reason });
    },
    terminationFailed: ({ zone, zoneId }) => terminations.add(1, { zone, zone_id: zoneId }),
    batchSent(batcher, size, waitedMs) {
      seconds.observe(waitedMs / 1000, { batcher });
      sizes.observe(size, { batcher });
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------

const SIZE_BUCKETS: readonly number[] = [
  ...[1, 2, 4, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100, 125, 150, 175, 200, 225, 250, 275, 300],
  ...[350, 400, 450, 500, 550, 600, 700, 800, 900, 1000],
];
