/** A report for people: the score, the phases with their checks, what is wrong with evidence and fix, and what to do next. */
import { withoutSecrets } from '@chandler/kube';
import { escapeControls } from '../../causes/index.ts';
import type { Report } from '../judge.ts';
import {
  type Evidence,
  type Finding,
  INPUT_HINTS,
  type InputKind,
  STATUSES,
  type Status,
} from '../model/finding.ts';
import { placeText } from '../model/place.ts';
import type { Phase } from '../phases.ts';
import { CAP_PERCENT } from '../score.ts';

export interface TextOptions {
  readonly color: boolean;
  /** Also list what passes and what is skipped, with evidence. */
  readonly verbose: boolean;
}

export function renderText(report: Report, { color, verbose }: TextOptions): string {
  const paint = painter(color);
  const sections = [
    scoreSection(report, paint),
    ...report.phases.map((phase) =>
      phaseSection(
        phase,
        report.findings.filter((finding) => finding.phase === phase.number),
        paint,
        verbose,
      ),
    ),
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

function scoreSection({ score, inputs }: Report, paint: Paint): string[] {
  const cap = score.capped ? ` (at most ${CAP_PERCENT} % while a critical check fails)` : '';
  const percent = score.percent === undefined ? 'nothing was judged' : `${score.percent} %${cap}`;
  const counts = STATUSES.map((status) => `${score.checks[status]} ${COUNTED[status]}`).join(', ');
  return [
    paint(`Readiness: ${percent}`, 'bold'),
    `Checks: ${counts}.`,
    `Inputs: ${inputs.files} files${inputs.kinds.length === 0 ? '' : ` (${inputs.kinds.join(', ')})`}.`,
  ];
}

const COUNTED: Readonly<Record<Status, string>> = {
  fail: 'failed',
  error: 'could not be judged',
  warn: 'with warnings',
  skip: 'skipped',
  pass: 'passed',
};

function phaseSection(phase: Phase, findings: readonly Finding[], paint: Paint, verbose: boolean): string[] {
  const byCheck = [...Map.groupBy(findings, ({ id }) => id).values()];
  const rows = byCheck.flatMap((own) => checkLines(own, paint, verbose));
  if (rows.length === 0) return [];
  return [paint(`Phase ${phase.number}: ${phase.title} (${stateText(phase)})`, 'bold'), ...rows];
}

function stateText({ state, blockedBy }: Phase): string {
  switch (state) {
    case 'done':
      return 'done';
    case 'open':
      return 'to do';
    case 'empty':
      return 'not judged';
    case 'blocked':
      return `after phase ${blockedBy}`;
  }
}

function checkLines(findings: readonly Finding[], paint: Paint, verbose: boolean): string[] {
  const [first] = findings;
  const status = STATUSES.find((each) => findings.some((finding) => finding.status === each))!;
  const passed = findings.every((finding) => finding.status === 'pass');
  const shown = findings.filter(
    (finding) =>
      verbose || finding.status === 'fail' || finding.status === 'warn' || finding.status === 'error',
  );
  const head = `  ${paint(status.toUpperCase().padEnd(5), STATUS_STYLES[status])} ${first!.id}  ${first!.severity.padEnd(8)}  ${first!.title}`;
  if (status === 'skip' && !verbose)
    return [
      paint(
        `  SKIP  ${first!.id}  ${first!.severity.padEnd(8)}  ${first!.title}: ${skipText(first!)}`,
        'gray',
      ),
    ];
  if (passed && !verbose) return [head];
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
  const { object, message, evidence, status } = finding;
  const text = status === 'skip' ? `${message} ${skipText(finding)}` : message;
  return [
    escapeControls(`        ${object === undefined ? '' : `${object}: `}${text}`),
    ...evidence.map((each) => paint(escapeControls(`          ${evidenceText(each)}`), 'gray')),
  ];
}

function evidenceText({ what, value, note, at }: Evidence): string {
  const text = value ?? note;
  return `${what}${text === undefined ? '' : ` is ${oneLine(text)}`}  ${placeText(at)}`;
}

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 120 ? `${line.slice(0, 117)}…` : line;
}

function skipText({ needs, message }: Finding): string {
  if (needs.length === 0) return message;
  return `it needs ${needs.map((kind: InputKind) => INPUT_HINTS[kind]).join(', or ')}`;
}

function problemSection({ problems }: Report, paint: Paint): string[] {
  if (problems.length === 0) return [];
  return [
    paint('Not read', 'bold'),
    ...problems.map(({ at, message }) => escapeControls(`  ${placeText(at)}: ${message}`)),
  ];
}

function nextSection({ nextAction, score }: Report, paint: Paint): string[] {
  if (nextAction === undefined)
    return score.percent === undefined
      ? []
      : [paint('Next: nothing has to be done for what was judged.', 'bold')];
  const { phase, finding } = nextAction;
  const about = finding.object === undefined ? '' : ` (${finding.object})`;
  return [paint(escapeControls(`Next: phase ${phase}, ${finding.id}${about}: ${finding.fix}`), 'bold')];
}
