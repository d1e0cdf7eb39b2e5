/** The score and counts in the text format of Prometheus, for a textfile collector or a push gateway. */
import type { MetricLabels, Series } from '@chandler/kube';
import type { Report } from '../judge.ts';
import { SEVERITIES, STATUSES } from '../model/finding.ts';
import { isOpen, presentable } from './wording.ts';

export interface MetricRow {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
  /** Of a report without secrets. */
  series(report: Report): readonly Series[];
}

/** All are gauges. */
export const METRIC_ROWS: readonly MetricRow[] = [
  {
    name: 'chandler_check_score_percent',
    help: 'Readiness of the installation, 0 to 100; absent when nothing was judged.',
    labels: [],
    series: ({ score }) => (score.percent === undefined ? [] : [[score.percent]]),
  },
  {
    name: 'chandler_check_checks',
    help: 'Checks by status, each by its worst finding.',
    labels: ['status'],
    series: ({ score }) => STATUSES.map((status) => [score.checks[status], { status }]),
  },
  {
    name: 'chandler_check_findings',
    help: 'Findings by status and severity.',
    labels: ['status', 'severity'],
    series: ({ findings }) =>
      STATUSES.flatMap((status) =>
        SEVERITIES.map(
          (severity): Series => [
            findings.filter((finding) => finding.status === status && finding.severity === severity).length,
            { status, severity },
          ],
        ),
      ),
  },
  {
    name: 'chandler_check_open',
    help: 'What fails or warns: the number of findings of each check.',
    labels: ['id', 'status', 'severity', 'phase'],
    series: ({ findings }) =>
      [
        ...Map.groupBy(
          findings.filter(isOpen),
          ({ id, status, severity }) => `${id}\0${status}\0${severity}`,
        ).values(),
      ].map((group): Series => {
        const { id, status, severity, phase } = group[0]!;
        return [group.length, { id, status, severity, phase: String(phase) }];
      }),
  },
  {
    name: 'chandler_check_unread_inputs',
    help: 'Inputs that could not be read.',
    labels: [],
    series: ({ problems }) => [[problems.length]],
  },
];

export function renderPrometheus(original: Report): string {
  const report = presentable(original);
  return METRIC_ROWS.map(({ name, help, series }) =>
    [
      `# HELP ${name} ${help}\n`,
      `# TYPE ${name} gauge\n`,
      ...series(report).map(([value, labels = {}]) => `${sample(name, labels, value)}\n`),
    ].join(''),
  ).join('');
}

// ---------------------------------------------------------------------------------------------------------------

function sample(name: string, labels: MetricLabels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
