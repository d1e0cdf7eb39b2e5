/** Short texts that several formats share. */
import { escapeStrings, redacted } from '../../causes/index.ts';
import type { Report } from '../judge.ts';
import {
  type Evidence,
  type Finding,
  INPUT_HINTS,
  type InputKind,
  type PhaseNumber,
  STATUSES,
  type Status,
} from '../model/finding.ts';
import { placeText } from '../model/place.ts';
import type { Phase } from '../phases.ts';
import { worstOf } from '../score.ts';

/** A copy of a report without secrets and control characters. */
export function presentable(report: Report): Report {
  return escapeStrings(redacted(report));
}

/** `69 %`. */
export function percentText({ score }: Report): string {
  return score.percent === undefined ? 'nothing was judged' : `${score.percent} %`;
}

/** `5 failed, 0 could not be judged, …`. */
export function countsText({ score }: Report): string {
  return STATUSES.map((status) => `${score.checks[status]} ${COUNTED[status]}`).join(', ');
}

/** `10 files (terraform, values) of an installation on AKS, to which 57 checks do not apply`. */
export function inputsText({ inputs, estate: { clusters, leftOut } }: Report): string {
  const kinds = inputs.kinds.length === 0 ? '' : ` (${inputs.kinds.join(', ')})`;
  const others = leftOut === 0 ? '' : `, to which ${leftOut} checks do not apply`;
  const estate = clusters.length === 0 ? '' : ` of an installation on ${clusters.join(' and ')}${others}`;
  return `${inputs.files} files${kinds}${estate}`;
}

/** Sentences about suppressed and known findings; none where there are none. */
export function acceptedTexts({ findings, baseline }: Report): readonly string[] {
  const suppressed = findings.filter((finding) => finding.suppressed !== undefined).length;
  return [
    ...(suppressed === 0 ? [] : [`Suppressed: ${suppressed} findings.`]),
    ...(baseline === undefined
      ? []
      : [`Baseline: ${baseline.new} new findings, ${baseline.known} known, ${baseline.gone} gone.`]),
  ];
}

export function stateText({ state, blockedBy }: Phase): string {
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

/** `EC2NodeClass/default: IMDSv1 is allowed.` */
export function findingText({ object, message }: Finding): string {
  return `${object === undefined ? '' : `${object}: `}${message}`;
}

/** `spec.role is absent  node-class.yaml:5`. */
export function evidenceText(evidence: Evidence): string {
  return `${valueText(evidence)}  ${placeText(evidence.at)}`;
}

/** `spec.role is absent`. */
export function valueText({ what, value, note }: Evidence): string {
  const text = value ?? note;
  return `${what}${text === undefined ? '' : ` is ${oneLine(text)}`}`;
}

/** Why a check was skipped. */
export function skipText({ needs, missing, message, suppressed }: Finding): string {
  if (suppressed !== undefined) return `suppressed until ${suppressed.until}: ${suppressed.reason}`;
  if (needs.length === 0) return message;
  return `it needs ${(missing ?? [needs]).map(choicesText).join('; and ')}`;
}

/** Inputs of which one is enough. */
export function choicesText(kinds: readonly InputKind[]): string {
  return kinds.map((kind) => INPUT_HINTS[kind]).join(', or ');
}

/** `phase 2, S-16 (Application/karpenter): Write the endpoint …`; undefined where nothing has to be done. */
export function nextText({ nextAction }: Report): string | undefined {
  if (nextAction === undefined) return undefined;
  const { phase, finding } = nextAction;
  const about = finding.object === undefined ? '' : ` (${finding.object})`;
  return `phase ${phase}, ${finding.id}${about}: ${finding.fix}`;
}

export const NOTHING_TO_DO = 'nothing has to be done for what was judged.';

export function isOpen({ status }: Finding): boolean {
  return status === 'fail' || status === 'warn' || status === 'error';
}

export interface CheckFindings {
  /** The worst of them. */
  readonly status: Status;
  readonly findings: readonly Finding[];
}

/** Findings of a phase by check, in the order of the report. */
export function checksOfPhase({ findings }: Report, phase: PhaseNumber): readonly CheckFindings[] {
  const own = findings.filter((finding) => finding.phase === phase);
  return [...Map.groupBy(own, ({ id }) => id).values()].map((group) => ({
    status: worstOf(group),
    findings: group,
  }));
}

// ---------------------------------------------------------------------------------------------------------------

const COUNTED: Readonly<Record<Status, string>> = {
  fail: 'failed',
  error: 'could not be judged',
  warn: 'with warnings',
  skip: 'skipped',
  pass: 'passed',
};

export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 120 ? `${line.slice(0, 117)}…` : line;
}
