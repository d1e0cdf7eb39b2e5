/** Renders an explanation as text for a terminal. It decides nothing. */
import { withoutSecrets } from '@chandler/kube';
import {
  escapeControls,
  type Finding,
  findingLine,
  findingText,
  LAYER_TEXTS,
  onOneLine,
  type Unread,
  unreadText,
} from '../causes/index.ts';
import type { Explanation, LayerLine, LayerState, Verdict } from './explain.ts';
import type { JourneyStep } from './journey-steps.ts';
import type { NonDisruptionReason } from './non-disruption-reasons.ts';
import { wrapped } from './wrap-text.ts';

export interface TextOptions {
  readonly color?: boolean;
  /** Of the terminal; lines are wrapped there. Default: they are not. */
  readonly width?: number | undefined;
  /** Also what was read, each with where and when. */
  readonly verbose?: boolean;
}

export function explanationText(explanation: Explanation, options: TextOptions = {}): string {
  const paint = options.color === true ? painted : plain;
  const withoutColors = [
    causeLines(explanation.cause),
    alsoLines(explanation.also),
    otherPoolLines(explanation.otherPools),
    nonDisruptionLines(explanation.staying),
    journeyLines(explanation.journey),
    unreadLines(explanation),
    options.verbose === true ? readLines(explanation) : [],
  ];
  const blocks = [
    headLines(explanation, paint),
    layerLines(explanation.layers, paint),
    ...withoutColors.map((lines) => lines.map(escapeControls)),
  ];
  const text = blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n');
  return `${wrapped(text, options.width)}\n`;
}

/** The section of an explanation about this, where it is printed after the rest. */
export function nonDisruptionText(staying: readonly NonDisruptionReason[]): string {
  return `${nonDisruptionLines(staying).map(escapeControls).join('\n')}\n`;
}

/** `2026-06-01T08:00:00Z`. */
export function timeText(ms: number): string {
  return Number.isFinite(ms) ? new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z') : '';
}

// ---------------------------------------------------------------------------------------------------

type Paint = (text: string, color: keyof typeof COLORS) => string;

const COLORS = { green: 32, red: 31, yellow: 33, grey: 90 } as const;

const plain: Paint = (text) => text;
const painted: Paint = (text, color) => `\u001b[${COLORS[color]}m${text}\u001b[0m`;

const VERDICTS: Readonly<Record<Verdict, readonly [label: string, color: keyof typeof COLORS]>> = {
  healthy: ['healthy', 'green'],
  underWay: ['in progress', 'yellow'],
  broken: ['broken', 'red'],
  unexplained: ['unexplained', 'yellow'],
};

const STATES: Readonly<Record<LayerState, readonly [label: string, color: keyof typeof COLORS]>> = {
  ok: ['ok', 'green'],
  broken: ['broken', 'red'],
  unknown: ['unknown', 'yellow'],
  notReached: ['not reached', 'grey'],
};

function headLines({ subject, verdict, standing, atMs }: Explanation, paint: Paint): readonly string[] {
  const [label, color] = VERDICTS[verdict];
  return [
    `${escapeControls(subject)}: ${paint(label, color)}`,
    `${escapeControls(onOneLine(withoutSecrets(standing)))} (${timeText(atMs)})`,
  ];
}

function layerLines(layers: readonly LayerLine[], paint: Paint): readonly string[] {
  const widest = Math.max(...layers.map(({ layer }) => LAYER_TEXTS[layer].title.length));
  const longest = Math.max(...Object.values(STATES).map(([label]) => label.length));
  return layers.map(({ layer, state, detail }) => {
    const { number, title } = LAYER_TEXTS[layer];
    const [label, color] = STATES[state];
    const space = ' '.repeat(longest - label.length);
    return `  ${number} ${title.padEnd(widest)}  ${paint(label, color)}${space}  ${escapeControls(onOneLine(withoutSecrets(detail)))}`.trimEnd();
  });
}

function causeLines(cause: Finding | undefined): readonly string[] {
  return cause === undefined ? [] : [findingText(cause)];
}

function alsoLines(also: readonly Finding[]): readonly string[] {
  if (also.length === 0) return [];
  return [
    'Also found:',
    ...also.map((finding) => `  ${WEIGHT_WORDS[finding.weight]}  ${oneLine(findingLine(finding))}`),
  ];
}

function otherPoolLines(others: readonly string[]): readonly string[] {
  return others.length === 0 ? [] : ['Other NodePools:', ...others.map((line) => `  ${oneLine(line)}`)];
}

const WEIGHT_WORDS = { broken: 'broken    ', suspicious: 'suspicious' } as const;

function journeyLines(steps: readonly JourneyStep[]): readonly string[] {
  const [first] = steps;
  if (first === undefined) return [];
  const widest = Math.max(...steps.map(({ who, what }) => `${who}: ${what}`.length));
  return [
    `Timeline, from ${timeText(first.atMs)}:`,
    ...steps.map(({ atMs, who, what, outcome, detail }) => {
      const after = `+${((atMs - first.atMs) / 1000).toFixed(0)} s`.padStart(9);
      const mark = outcome === 'failed' ? ' FAILED' : outcome === 'waiting' ? ' waiting' : '';
      const text = `${`${who}: ${what}`.padEnd(widest)}${mark}  ${oneLine(withoutSecrets(detail))}`;
      return `${after}  ${text}`.trimEnd();
    }),
  ];
}

function nonDisruptionLines(staying: readonly NonDisruptionReason[]): readonly string[] {
  if (staying.length === 0) return [];
  return ['Why it is not disrupted:', ...staying.map(({ text }) => `  ${oneLine(withoutSecrets(text))}`)];
}

function unreadLines({ unread }: Explanation): readonly string[] {
  if (unread.length === 0) return [];
  const together = Map.groupBy(unread, (each) => (WITHOUT_CLOUD.has(each.why) ? each.message : each));
  const lines = [...together.values()].map(([first, ...rest]) =>
    unreadText({ ...first!, what: [first!, ...rest].map(({ what }) => what).join(', ') }),
  );
  return ['Not read:', ...grouped(lines.map((line) => `  ${oneLine(line)}`))];
}

/** Everything that a cloud would have shown is missing for the same reason. */
const WITHOUT_CLOUD: ReadonlySet<Unread['why']> = new Set(['notConfigured', 'notAsked']);

function readLines({ read }: Explanation): readonly string[] {
  return ['Read:', ...read.map(({ what, from, atMs }) => `  ${what} (${from}, ${timeText(atMs)})`)];
}

function grouped(lines: readonly string[]): readonly string[] {
  return [...new Set(lines)];
}

const LINE_LENGTH = 300;

function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= LINE_LENGTH ? line : `${line.slice(0, LINE_LENGTH - 1)}…`;
}
