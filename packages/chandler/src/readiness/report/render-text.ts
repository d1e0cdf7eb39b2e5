/** A report for people: the score, the phases with their checks, what is wrong with evidence and fix, and what to do next. */
import { withoutSecrets } from '@chandler/kube';
import { escapeControls } from '../../causes/index.ts';
import type { Report } from '../judge.ts';
import type { Finding, Status } from '../model/finding.ts';
import { placeText } from '../model/place.ts';
import type { Phase } from '../phases.ts';
import { CAP_PERCENT } from '../score.ts';
import { smokeLines } from './smoke-lines.ts';
import {
  acceptedTexts,
  type CheckFindings,
  checksOfPhase,
  countsText,
  evidenceText,
  findingText,
  inputsText,
  isOpen,
  NOTHING_TO_DO,
  nextText,
  percentText,
  skipText,
  stateText,
} from './wording.ts';

export interface TextOptions {
  readonly color: boolean;
  /** Also list what passes and what is skipped, with evidence. */
  readonly verbose: boolean;
}

export function renderText(report: Report, { color, verbose }: TextOptions): string {
  const paint = painter(color);
  const sections = [
    scoreSection(report, paint),
    ...report.phases.map((phase) => phaseSection(report, phase, paint, verbose)),
    smokeSection(report, paint),
    problemSection(report, paint),
    nextSection(report, paint),
  ];
  return withoutSecrets(
    sections
      .filter((lines) => lines.length > 0)
      .map((lines) => `${lines.join('\n')}\n`)
      .join('\n'),
  );
}

// ---------------------------------------------------------------------------------------------------------------

type Paint = (text: string, style: Style) => string;
type Style = 'bold' | 'red' | 'yellow' | 'green' | 'gray';

const STYLES: Readonly<Record<Style, readonly [number, number]>> = {
  bold: [1, 22],
  red: [31, 39],
  yellow: [33, 39],
  green: [32, 39],
  gray: [90, 39],
};

const STATUS_STYLES: Readonly<Record<Status, Style>> = {
  fail: 'red',
  error: 'red',
  warn: 'yellow',
  skip: 'gray',
  pass: 'green',
};

function painter(color: boolean): Paint {
  return (text, style) => {
    const [on, off] = STYLES[style];
    return color ? `\u001b[${on}m${text}\u001b[${off}m` : text;
  };
}

function scoreSection(report: Report, paint: Paint): string[] {
  const cap = report.score.capped ? ` (at most ${CAP_PERCENT} % while a critical check fails)` : '';
  return [
    paint(`Readiness: ${percentText(report)}${cap}`, 'bold'),
    `Checks: ${countsText(report)}.`,
    `Inputs: ${inputsText(report)}.`,
    ...acceptedTexts(report),
  ];
}

function phaseSection(report: Report, phase: Phase, paint: Paint, verbose: boolean): string[] {
  const rows = checksOfPhase(report, phase.number).flatMap((check) => checkLines(check, paint, verbose));
  if (rows.length === 0) return [];
  return [paint(`Phase ${phase.number}: ${phase.title} (${stateText(phase)})`, 'bold'), ...rows];
}

function checkLines({ status, findings }: CheckFindings, paint: Paint, verbose: boolean): string[] {
  const [first] = findings;
  const shown = findings.filter((finding) => verbose || isOpen(finding));
  const head = `  ${paint(status.toUpperCase().padEnd(5), STATUS_STYLES[status])} ${first!.id}  ${first!.severity.padEnd(8)}  ${first!.title}`;
  if (status === 'skip' && !verbose)
    return [
      paint(
        `  SKIP  ${first!.id}  ${first!.severity.padEnd(8)}  ${first!.title}: ${skipText(first!)}`,
        'gray',
      ),
    ];
  if (status === 'pass' && !verbose) return [head];
  const fixes = [
    ...new Set(shown.filter(({ status: own }) => own === 'fail' || own === 'warn').map(({ fix }) => fix)),
  ];
  return [
    head,
    ...shown.flatMap((finding) => findingLines(finding, paint)),
    ...fixes.map((fix) => escapeControls(`          fix: ${fix}`)),
  ];
}

function findingLines(finding: Finding, paint: Paint): string[] {
  const text =
    finding.status === 'skip' ? `${findingText(finding)} ${skipText(finding)}` : findingText(finding);
  return [
    escapeControls(`        ${finding.known === true ? '(known) ' : ''}${text}`),
    ...finding.evidence.map((each) => paint(escapeControls(`          ${evidenceText(each)}`), 'gray')),
  ];
}

function smokeSection({ smoke }: Report, paint: Paint): string[] {
  return smoke === undefined ? [] : [paint('Smoke test', 'bold'), ...smokeLines(smoke).map(escapeControls)];
}

function problemSection({ problems }: Report, paint: Paint): string[] {
  if (problems.length === 0) return [];
  return [
    paint('Not read', 'bold'),
    ...problems.map(({ at, message }) => escapeControls(`  ${placeText(at)}: ${message}`)),
  ];
}

function nextSection(report: Report, paint: Paint): string[] {
  const next = nextText(report) ?? (report.score.percent === undefined ? undefined : NOTHING_TO_DO);
  return next === undefined ? [] : [paint(escapeControls(`Next: ${next}`), 'bold')];
}
