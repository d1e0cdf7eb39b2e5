/** What is measured of a work queue, under the names and labels of controller-runtime. */
import type { Metrics } from '../world.ts';

export interface QueueMetrics {
  added(): void;
  retried(): void;
  depth(priority: number, change: 1 | -1): void;
  waited(seconds: number): void;
  worked(seconds: number): void;
  running(ages: readonly number[]): void;
}

export function queueMetrics(metrics: Metrics, name: string): QueueMetrics {
  const labels = ['name', 'controller'];
  const own = { name, controller: name };
  const depth = metrics.gauge({
    name: 'workqueue_depth',
    help: 'Keys that are ready and wait, by queue and priority.',
    labels: [...labels, 'priority'],
  });
  const adds = metrics.counter({
    name: 'workqueue_adds_total',
    help: 'Keys that were added to the queue.',
    labels,
  });
  const retries = metrics.counter({
    name: 'workqueue_retries_total',
    help: 'Keys that were added with a delay.',
    labels,
  });
  const waited = metrics.histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'Time a key that was ready waited to be taken.',
    labels,
    buckets: BUCKETS,
  });
  const worked = metrics.histogram({
    name: 'workqueue_work_duration_seconds',
    help: 'Time it took to work on a key.',
    labels,
    buckets: BUCKETS,
  });
  const unfinished = metrics.gauge({
    name: 'workqueue_unfinished_work_seconds',
    help: 'Time spent so far on keys that are being worked on, in sum.',
    labels,
  });
  const longest = metrics.gauge({
    name: 'workqueue_longest_running_processor_seconds',
    help: 'Time spent so far on the key that has been worked on longest.',
    labels,
  });
  const depths = new Map<number, number>();
  return {
    added: () => adds.add(1, own),
    retried: () => retries.add(1, own),
    depth(priority, change) {
      const now = Math.max(0, (depths.get(priority) ?? 0) + change);
      depths.set(priority, now);
      depth.set(now, { ...own, priority: String(priority) });
    },
    waited: (seconds) => waited.observe(Math.max(0, seconds), own),
    worked: (seconds) => worked.observe(seconds, own),
    running(ages) {
      unfinished.set(
        ages.reduce((sum, age) => sum + age, 0),
        own,
      );
      longest.set(Math.max(0, ...ages), own);
    },
  };
}

// ------------------------------------------------------------------------------------------------

/** 10 ns … 1000 s, each ten times the one before. */
const BUCKETS = Array.from({ length: 12 }, (_, power) => 1e-8 * 10 ** power);
