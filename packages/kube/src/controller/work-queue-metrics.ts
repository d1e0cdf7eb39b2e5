/** What is measured of a work queue, under the names and labels of controller-runtime. */
import type { Metrics } from '../world.ts';

export interface QueueMetrics {
  added(): void;
  retried(): void;
  depth(priority: number, change: 1 | -1): void;
  waited(seconds: number): void;
  worked(seconds: number): void;
  /** The queue is shut down: its gauges of running work end. */
  ended(): void;
}

/** @param ages how long each key in progress has been processed, in seconds; read at every scrape. */
export function queueMetrics(metrics: Metrics, name: string, ages: () => readonly number[]): QueueMetrics {
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
  const queues = runningQueues(metrics);
  queues.set(name, ages);
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
    ended() {
      if (queues.get(name) === ages) queues.delete(name);
    },
  };
}

// ------------------------------------------------------------------------------------------------

type Ages = () => readonly number[];

/** The queues of a process, which share two metrics. */
const QUEUES = new WeakMap<Metrics, Map<string, Ages>>();

function runningQueues(metrics: Metrics): Map<string, Ages> {
  const known = QUEUES.get(metrics);
  if (known !== undefined) return known;
  const queues = new Map<string, Ages>();
  QUEUES.set(metrics, queues);
  const observe = (metric: string, help: string, amount: (ages: readonly number[]) => number) =>
    metrics.observableGauge({ name: metric, help, labels: ['name', 'controller'] }, () =>
      [...queues].map(([name, ages]) => [amount(ages()), { name, controller: name }] as const),
    );
  observe(
    'workqueue_unfinished_work_seconds',
    'Time spent so far on keys that are being worked on, in sum.',
    (ages) => ages.reduce((sum, age) => sum + age, 0),
  );
  observe(
    'workqueue_longest_running_processor_seconds',
    'Time spent so far on the key that has been worked on longest.',
    (ages) => ages.reduce((longest, age) => Math.max(longest, age), 0),
  );
  return queues;
}

/** 10 ns … 1000 s, each ten times the one before. */
const BUCKETS = Array.from({ length: 12 }, (_, power) => 1e-8 * 10 ** power);
