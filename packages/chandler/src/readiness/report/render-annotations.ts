/** Workflow commands of GitHub Actions: each finding becomes an annotation of its line. GitHub shows the first ten of each level. */
import type { Report } from '../judge.ts';
import { type Finding, SEVERITIES } from '../model/finding.ts';
import type { FilePlace } from '../model/place.ts';
import { locationOf, relativePath } from './location.ts';
import { countsText, findingText, isOpen, nextText, percentText, presentable } from './wording.ts';

export function renderAnnotations(original: Report, { cwd }: { readonly cwd: string }): string {
  const report = presentable(original);
  const next = nextText(report);
  const lines = [
    ...report.findings
      .filter(isOpen)
      .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity))
      .map((finding) =>
        command(levelOf(finding), placeOf(finding, report, cwd), titleOf(finding), textOf(finding)),
      ),
    ...report.problems.map(({ at, message, level }) =>
      command(
        level === 'error' ? 'warning' : 'notice',
        'file' in at ? shown(at, cwd) : {},
        'Not read',
        message,
      ),
    ),
    `Readiness: ${percentText(report)}. Checks: ${countsText(report)}.`,
    ...(next === undefined ? [] : [`Next: ${next}`]),
  ];
  return `${lines.map((line) => line.replaceAll('\n', ' ')).join('\n')}\n`;
}

// ---------------------------------------------------------------------------------------------------------------

interface AnnotationPlace {
  readonly file?: string;
  readonly line?: number;
}

function levelOf({ status, severity }: Finding): string {
  if (severity === 'info') return 'notice';
  return status === 'warn' ? 'warning' : 'error';
}

function titleOf({ id, title }: Finding): string {
  return `${id} ${title}`;
}

function textOf(finding: Finding): string {
  return `${findingText(finding)}\nFix: ${finding.fix}`;
}

function placeOf(finding: Finding, report: Report, cwd: string): AnnotationPlace {
  const place = locationOf(finding, report);
  return place === undefined ? {} : shown(place, cwd);
}

function shown({ file, line }: FilePlace, cwd: string): AnnotationPlace {
  return { file: relativePath(file, cwd) ?? file, ...(line === undefined ? {} : { line }) };
}

function command(level: string, { file, line }: AnnotationPlace, title: string, text: string): string {
  const properties = [
    ...(file === undefined ? [] : [`file=${property(file)}`]),
    ...(line === undefined ? [] : [`line=${line}`]),
    `title=${property(title)}`,
  ];
  return `::${level} ${properties.join(',')}::${data(text)}`;
}

/** As the runner reads them back. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
