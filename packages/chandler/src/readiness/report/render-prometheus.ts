/** The score and counts in the text format of Prometheus, for a textfile collector or a push gateway. */
import type { Report } from '../judge.ts';
import { SEVERITIES, STATUSES } from '../model/finding.ts';
import { isOpen, presentable } from './wording.ts';

export function renderPrometheus(original: Report): string {
  const report = presentable(original);
  const { score, findings } = report;
  const open = [
    ...Map.groupBy(
      findings.filter(isOpen),
      ({ id, object, status }) => `${id}\0${object ?? ''}\0${status}`,
    ).values(),
  ].map((group) => group[0]!);
  return [
    metric(
      'chandler_check_score_percent',
      'Readiness of the installation, 0 to 100; absent when nothing was judged.',
      score.percent === undefined ? [] : [sample({}, score.percent)],
    ),
    metric(
      'chandler_check_checks',
      'Checks by status, each by its worst finding.',
      STATUSES.map((status) => sample({ status }, score.checks[status])),
    ),
    metric(
      'chandler_check_findings',
      'Findings by status and severity.',
      STATUSES.flatMap((status) =>
        SEVERITIES.map((severity) =>
          sample(
            { status, severity },
            findings.filter((finding) => finding.status === status && finding.severity === severity).length,
          ),
        ),
      ),
    ),
    metric(
      'chandler_check_open',
      'What fails or warns: 1 for each check and object.',
      open.map(({ id, status, severity, phase, object = '' }) =>
        sample({ id, status, severity, phase: String(phase), object }, 1),
      ),
    ),
    metric('chandler_check_unread_inputs', 'Inputs that could not be read.', [
      sample({}, report.problems.length),
    ]),
  ].join('');
}

// ---------------------------------------------------------------------------------------------------------------

type Sample = (name: string) => string;

function metric(name: string, help: string, samples: readonly Sample[]): string {
  return [
    `# HELP ${name} ${help}\n`,
    `# TYPE ${name} gauge\n`,
    ...samples.map((each) => `${each(name)}\n`),
  ].join('');
}

function sample(labels: Readonly<Record<string, string>>, value: number): Sample {
  const pairs = Object.entries(labels).map(([name, text]) => `${name}="${escaped(text)}"`);
  return (name) => `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
}

function escaped(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
