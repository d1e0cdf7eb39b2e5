/** Metrics of a controller, under the names of controller-runtime. */
import type { Metrics } from '../world.ts';

export interface ControllerMetrics {
  started(): void;
  ended(seconds: number): void;
  finished(result: ReconcileResult): void;
  terminal(): void;
  panicked(): void;
  timedOut(): void;
}

export type ReconcileResult = (typeof RESULTS)[number];

export function controllerMetrics(
  metrics: Metrics,
  controller: string,
  concurrency: number,
): ControllerMetrics {
  const labels = ['controller'];
  const own = { controller };
  const counter = (name: string, help: string) => metrics.counter({ name, help, labels });
  const total = metrics.counter({
    name: 'controller_runtime_reconcile_total',
    help: 'Reconciles, by controller and result.',
    labels: ['controller', 'result'],
  });
  const errors = counter('controller_runtime_reconcile_errors_total', 'Reconciles that failed.');
  const terminal = counter(
    'controller_runtime_terminal_reconcile_errors_total',
    'Reconciles that failed with a terminal error.',
  );
  const panics = counter(
    'controller_runtime_reconcile_panics_total',
    'Reconciles that failed because of a bug.',
  );
  const timeouts = counter('controller_runtime_reconcile_timeouts_total', 'Reconciles that took too long.');
  const seconds = metrics.histogram({
    name: 'controller_runtime_reconcile_time_seconds',
    help: 'Time of a reconcile.',
    labels,
    buckets: BUCKETS,
  });
  const active = metrics.gauge({
    name: 'controller_runtime_active_workers',
    help: 'Reconciles that run now.',
    labels,
  });
  metrics
    .gauge({
      name: 'controller_runtime_max_concurrent_reconciles',
      help: 'Reconciles that may run at once.',
      labels,
    })
    .set(concurrency, own);
  // Starts at zero, so that a rate includes the first failure.
  for (const result of RESULTS) total.add(0, { controller, result });
  for (const each of [errors, terminal, panics, timeouts]) each.add(0, own);
  let running = 0;
  active.set(0, own);
  return {
    started: () => active.set(++running, own),
    ended(duration) {
      active.set(--running, own);
      seconds.observe(duration, own);
    },
    finished(result) {
      total.add(1, { controller, result });
      if (result === 'error') errors.add(1, own);
    },
    terminal: () => terminal.add(1, own),
    panicked: () => panics.add(1, own),
    timedOut: () => timeouts.add(1, own),
  };
}

// ------------------------------------------------------------------------------------------------

const RESULTS = ['success', 'error', 'requeue', 'requeue_after'] as const;

const BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
