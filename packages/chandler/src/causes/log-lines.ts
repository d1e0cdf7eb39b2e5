/** Finds matching lines in logs of VMs and containers, from the end; bounded. */
import type { SerialLogEvidence } from './evidence.ts';
import type { EvidenceSet } from './evidence-set.ts';

const SEARCHED = 256 * 1024;
const LINE_LENGTH = 400;
/** Longer lines are truncated before patterns are applied. */
const SEARCHED_LINE = 4096;
/** A program writes a few lines more before it ends, and the stack of the error, which is indented. */
const LINES_AT_END = 5;

/** The last line that matches, or nothing. */
export function lastLine(text: string, pattern: RegExp): string | undefined {
  return lastFound(text, (line) => pattern.test(line) || undefined)?.line;
}

/** The last line in which something is found, with what that is. */
export function lastFound<T>(
  text: string,
  find: (line: string) => T | undefined,
): { readonly line: string; readonly found: T } | undefined {
  const end = text.slice(-SEARCHED);
  let to = end.length;
  while (to > 0) {
    const from = end.lastIndexOf('\n', to - 1) + 1;
    const line = end.slice(from, Math.min(to, from + SEARCHED_LINE));
    const found = line.length > 0 ? find(line) : undefined;
    if (found !== undefined) return { line: line.trim().slice(0, LINE_LENGTH), found };
    to = from - 1;
  }
  return undefined;
}

/** Whoever wrote the line ended soon after it, or has written little since. A trace of the kernel is of the same time. */
export function isAtEnd(text: string, line: string): boolean {
  const [, ...after] = text.slice(text.lastIndexOf(line)).split('\n');
  const stack = after.findIndex((each) => /^goroutine \d+ \[/.test(each));
  const further = stack < 0 ? after : after.slice(0, stack);
  const counted = further.filter((each) => !isOfSameTime(line, each));
  return counted.filter((each) => /^\S/.test(each) && /\w/.test(each)).length < LINES_AT_END;
}

/** Of a console: seconds since the boot. */
const KERNEL_TIME = /^\[\s*(\d+\.\d+)\]/;
/** The kernel writes its trace, and systemd which services it stopped, within this time. */
const SAME_TIME_SECONDS = 60;

function isOfSameTime(line: string, later: string): boolean {
  const [from, to] = [line, later].map((each) => Number(KERNEL_TIME.exec(each)?.[1]));
  return Math.abs(to! - from!) <= SAME_TIME_SECONDS;
}

/** A line after the last one of this text is of that kind. */
export function isFollowedBy(text: string, line: string, pattern: RegExp): boolean {
  const at = text.lastIndexOf(line);
  return at >= 0 && lastLine(text.slice(at + line.length), pattern) !== undefined;
}

export interface LogHit {
  readonly log: SerialLogEvidence;
  readonly line: string;
}

export function inSerialLog(
  evidence: EvidenceSet,
  pattern: RegExp,
  isWanted: (log: SerialLogEvidence) => boolean = () => true,
): LogHit | undefined {
  for (const log of evidence.all('serialLog').filter(isWanted)) {
    const line = lastLine(log.text, pattern);
    if (line !== undefined) return { log, line };
  }
  return undefined;
}
