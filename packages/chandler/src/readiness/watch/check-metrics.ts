/** The last result of a check as metrics of this process, with the names of the text format (`-o prometheus`); none after a failure. */
import type { Metrics, Series } from '@chandler/kube';
import type { Report } from '../judge.ts';
import { METRIC_ROWS } from '../report/render-prometheus.ts';

export interface CheckMetrics {
  finished(report: Report, nowMs: number): void;
  /** An earlier result does not count any longer. */
  failed(): void;
}

export function checkMetrics(metrics: Metrics): CheckMetrics {
  let last: Report | undefined;
  let lastRunMs: number | undefined;
  for (const { name, help, labels, series } of METRIC_ROWS)
    metrics.observableGauge({ name, help, labels }, () => (last === undefined ? [] : series(last)));
  metrics.observableGauge(
    {
      name: 'chandler_check_last_run_timestamp_seconds',
      help: 'When the cluster was last checked; absent before the first time.',
    },
    (): Series[] => (lastRunMs === undefined ? [] : [[lastRunMs / 1000]]),
  );
  const failures = metrics.counter({
    name: 'chandler_check_failures_total',
    help: 'Checks of the cluster that could not be done or published.',
  });
  return {
    finished(report, atMs) {
      last = report;
      lastRunMs = atMs;
    },
    failed() {
      last = undefined;
      failures.add(1);
    },
  };
}
