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
  choicesText,
  countsText,
  evidenceText,
  findingText,
  inputsText,
  isOpen,
  NOTHING_TO_DO,
  nextText,
  oneLine,
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
  const isEmpty = report.inputs.kinds.length === 0;
  const sections = [
    scoreSection(report, paint),
    ...(isEmpty && !verbose
      ? [WANTED]
      : report.phases.map((phase) => phaseSection(report, phase, paint, verbose))),
    ...(isEmpty || verbose ? [] : [skippedSection(report, paint)]),
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
  const checks = checksOfPhase(report, phase.number);
  const shown = verbose ? checks : checks.filter((check) => !isSkipped(check));
  if (shown.length === 0) return [];
  const skipped = checks.filter(isSkipped).length;
  const rest = phase.state === 'done' && skipped > 0 ? `, ${skipped} skipped` : '';
  return [
    paint(`Phase ${phase.number}: ${phase.title} (${stateText(phase)}${rest})`, 'bold'),
    ...shown.flatMap((check) => checkLines(check, paint, verbose)),
  ];
}

/** Skipped for want of something; what somebody has accepted is listed. */
function isSkipped({ status, findings }: CheckFindings): boolean {
  return status === 'skip' && findings.every(({ suppressed }) => suppressed === undefined);
}

/** Checks that were skipped, by what they lack. */
function skippedSection(report: Report, paint: Paint): string[] {
  const skipped = report.phases
    .flatMap(({ number }) => checksOfPhase(report, number))
    .filter(isSkipped)
    .map(({ findings }) => lackText(findings[0]!));
  if (skipped.length === 0) return [];
  const groups = [...Map.groupBy(skipped, (text) => text)].sort((a, b) => b[1].length - a[1].length);
  return [
    paint(`Skipped: ${skipped.length} checks (--verbose lists them)`, 'bold'),
    ...groups.map(([text, { length }]) => paint(`  ${String(length).padStart(3)} ${text}`, 'gray')),
  ];
}

/** The first input that is missing stands for all of them. */
function lackText({ needs, missing, unread, message }: Finding): string {
  if (unread === true) return `have no answer of the account: ${oneLine(message)}`;
  if (missing !== undefined) return `need ${choicesText(missing[0]!)}`;
  return needs.length === 0
    ? 'have nothing to judge in these files'
    : `depend on a value that is not known without ${choicesText(needs)}`;
}

/** What a folder without inputs has none of. */
const WANTED = [
  'There is nothing to check here. chandler check looks for:',
  '  Terraform files (*.tf), plans and states in JSON',
  '  Helm values of Karpenter, its Argo CD Application or its Flux HelmRelease',
  '  manifests of NodePools, node classes and workloads',
  'Name the folders that have them, or a plan with --plan. --verbose lists the checks.',
];

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
