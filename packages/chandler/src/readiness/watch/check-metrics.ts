/** The last result of a check as metrics of this process, with the names of the text format (`-o prometheus`). */
import type { Metrics, Series } from '@chandler/kube';
import type { Report } from '../judge.ts';
import { METRIC_ROWS } from '../report/render-prometheus.ts';

export interface CheckMetrics {
  finished(report: Report, nowMs: number): void;
  failed(): void;
}

export function checkMetrics(metrics: Metrics): CheckMetrics {
  let last: { readonly report: Report; readonly atMs: number } | undefined;
  for (const { name, help, labels, series } of METRIC_ROWS)
    metrics.observableGauge({ name, help, labels }, () => (last === undefined ? [] : series(last.report)));
  metrics.observableGauge(
    {
      name: 'chandler_check_last_run_timestamp_seconds',
      help: 'When the cluster was last checked; absent before the first time.',
    },
    (): Series[] => (last === undefined ? [] : [[last.atMs / 1000]]),
  );
  const failures = metrics.counter({
    name: 'chandler_check_failures_total',
    help: 'Checks of the cluster that could not be done or published.',
  });
  return {
    finished(report, atMs) {
      last = { report, atMs };
    },
    failed: () => failures.add(1),
  };
}
