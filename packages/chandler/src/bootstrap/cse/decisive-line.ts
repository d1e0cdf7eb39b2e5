/**
 * Finds the line of its log that shows why a provisioning failed, and keeps the end of the log. Both come from texts that
 * hold no secrets any more (`parse.ts`). Which line it is for which code, `decisive-lines.table.ts` says.
 */
import { clipped, withoutControls } from '../quoted-line.ts';
import { DECISIVE_LINES, type DecisiveRow, NOISE, RELEASED_LOCK } from './decisive-lines.table.ts';
import type { NamedCode } from './name-code.ts';
import type { CseFailure } from './parse.ts';

/** Of the log that is kept. */
export const KEPT_LINES = 40;
export const KEPT_LOG_BYTES = 3072;

/** A line of the log, or the part of a long one around what was looked for. */
export function decisiveLine(
  failure: CseFailure,
  named: Pick<NamedCode, 'code' | 'group'> | undefined,
  /** What decided the cause, where something did: this line goes first. */
  sign?: RegExp,
): string | undefined {
  const lines = logLines(failure);
  const found = sign === undefined ? undefined : lastMatch(lines, sign);
  if (found !== undefined) return found;
  const noises = RELEASED_LOCK.codes.includes(named?.code ?? 0) ? [...NOISE, RELEASED_LOCK.line] : NOISE;
  const told = lines.filter((line) => !noises.some((noise) => noise.test(line)));
  const rows = DECISIVE_LINES.filter((row) => isFor(row, failure, named));
  for (const candidates of [told.filter((line) => !isTrace(line)), told])
    for (const { line } of rows) {
      const match = lastMatch(candidates, line);
      if (match !== undefined) return match;
    }
  const last = told.at(-1);
  return last === undefined ? undefined : clipped(last, last.length);
}

/** The end of the log, without secrets: at most 40 lines, and those that fit, the last ones. */
export function logTail(failure: CseFailure): readonly string[] {
  const kept: string[] = [];
  let bytes = 0;
  for (const line of logLines(failure).toReversed()) {
    const text = clipped(line, 0);
    bytes += Buffer.byteLength(JSON.stringify(text));
    if (kept.length === KEPT_LINES || bytes > KEPT_LOG_BYTES) break;
    kept.unshift(text);
  }
  return kept;
}

// ---------------------------------------------------------------------------------------------------

function isFor(
  { codes, groups, os }: DecisiveRow,
  failure: CseFailure,
  named: Pick<NamedCode, 'code' | 'group'> | undefined,
) {
  if (os !== undefined && os !== failure.os) return false;
  if (codes !== undefined && (named === undefined || !codes.includes(named.code))) return false;
  return (
    groups === undefined || (named !== undefined && named.group !== 'unknown' && groups.includes(named.group))
  );
}

/** What the script printed, then what it reported as its error, then standard error; without empty lines. */
function logLines({ output, error, stderr }: CseFailure): readonly string[] {
  return [output, error, stderr]
    .flatMap((text) => text.split('\n').slice(-MAX_LINES))
    .map((line) => withoutControls(line.slice(-MAX_SEARCHED)))
    .filter((line) => line !== '');
}

/** Of each text. A log of more lines is not that of a provisioning. */
const MAX_LINES = 2000;
/** Of a line, its end: some shells print a whole log as one line. */
const MAX_SEARCHED = 8000;

function isTrace(line: string): boolean {
  return /^\++ /.test(line);
}

function lastMatch(lines: readonly string[], pattern: RegExp): string | undefined {
  for (const line of lines.toReversed()) {
    const match = pattern.exec(line);
    if (match !== null) return clipped(line, match.index);
  }
  return undefined;
}
