/** Prints a finding: as text for a terminal, and as plain data for programs. Nothing is decided here. */
import { withoutSecrets } from '@chandler/kube';
import type { Seen } from './cause.ts';
import type { Unread } from './evidence.ts';
import { LAYER_TEXTS } from './layers.ts';
import type { Finding } from './match.ts';

/** Several lines: what it is, what was seen, what to do, how to confirm. */
export function findingText(finding: Finding): string {
  const { number, title } = LAYER_TEXTS[finding.layer];
  const lines = [
    `${onOneLine(finding.title)} [${finding.id}, layer ${number} ${title}]`,
    `  ${onOneLine(finding.summary)}`,
    ...finding.seen.flatMap((each) => seenLines(each, finding.summary)),
    `  fix      ${onOneLine(finding.fix)}`,
    ...finding.confirm.map(
      (command, index) => `  ${index === 0 ? 'confirm ' : '        '} ${onOneLine(command)}`,
    ),
  ];
  return withoutSecrets(lines.join('\n'));
}

/** Line breaks of messages are shown, so that what follows does not look like a line of the answer. */
export function onOneLine(text: string): string {
  return text.trim().replace(/\s*\n\s*/g, ' ⏎ ');
}

/** Short enough for a list of what else is suspicious. What is over begins with its time. */
export function findingLine(finding: Finding): string {
  const over = finding.seen.find(({ isOver }) => isOver === true)?.atMs;
  const when = over === undefined ? '' : `${timeText(over)}, `;
  return withoutSecrets(`${when}${finding.title} [${finding.id}]: ${finding.summary}`);
}

/** A copy of plain data in which every text is without secrets. */
export function redacted<T>(value: T): T {
  if (typeof value === 'string') return withoutSecrets(value) as T;
  if (Array.isArray(value)) return value.map(redacted) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, redacted(each)])) as T;
}

export interface FindingJson {
  readonly id: string;
  readonly point?: string;
  readonly layer: string;
  readonly layerNumber: number;
  readonly weight: string;
  readonly title: string;
  readonly summary: string;
  readonly fix: string;
  readonly confirm: readonly string[];
  readonly facts: Readonly<Record<string, string>>;
  readonly seen: readonly { readonly where: string; readonly what: string; readonly at?: string }[];
}

export function findingJson(finding: Finding): FindingJson {
  const { id, point, layer, weight, title, summary, fix, confirm, facts, seen } = finding;
  return {
    id,
    ...(point === undefined ? {} : { point }),
    layer,
    layerNumber: LAYER_TEXTS[layer].number,
    weight,
    ...redacted({ title, summary, fix, confirm, facts }),
    seen: seen.map(({ where, what, atMs }) => ({
      where,
      what: withoutSecrets(what),
      ...(atMs === undefined ? {} : { at: timeText(atMs) }),
    })),
  };
}

/** What could not be read, and what would help. */
export function unreadText({ what, why, permission, message }: Unread): string {
  const help = permission === undefined ? '' : `; missing permission: ${permission}`;
  const detail = message === undefined ? '' : ` (${shortened(withoutSecrets(message))})`;
  // Whoever lacks a permission has signed in: without one that would help, it is the credentials.
  const isRefused = why === 'forbidden' && permission === undefined;
  return withoutSecrets(`${what}: ${isRefused ? 'credentials not accepted' : WHY[why]}${help}${detail}`);
}

// ---------------------------------------------------------------------------------------------------

const WHY: Readonly<Record<Unread['why'], string>> = {
  forbidden: 'forbidden',
  notFound: 'not found',
  unreachable: 'no answer',
  notConfigured: 'no credentials',
  notAsked: 'not asked',
  notShown: 'not shown',
  notInDump: 'not in the dump',
  tooLarge: 'too large',
};

/** What the summary has said already is not said again. */
function seenLines({ where, what, atMs }: Seen, summary: string): readonly string[] {
  const place = `  seen     ${where}${atMs === undefined ? '' : `, ${timeText(atMs)}`}`;
  const lines = shortened(withoutSecrets(what)).split('\n');
  const more = lines.filter((line) => !summary.includes(line));
  return more.length === 0 ? [place] : [`${place}:`, ...more.map((line) => `           ${line}`)];
}

const SEEN_LENGTH = 1000;

/** The beginning and the end are kept: logs and errors end with what happened. */
function shortened(text: string): string {
  const trimmed = text.trim();
  if (trimmed.length <= SEEN_LENGTH) return trimmed;
  const half = SEEN_LENGTH / 2;
  return `${trimmed.slice(0, half)} … ${trimmed.slice(-half)}`;
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
