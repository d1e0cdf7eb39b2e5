/**
 * Windows outside which the nodes of a NodePool are not disrupted, as an annotation has them: `0 22 * * mon-fri 6h; @weekly 24h`.
 * A budget with a schedule forbids within its window; these allow, and forbid at all other times.
 */
import { CronError, DurationError, isWindowActive, parseCron, parseDuration } from '@chandler/kube';

/** The NodePool is outside all its windows. */
export interface ClosedWindows {
  /** As the annotation has them. */
  readonly windows: string;
  /** When the next one opens. */
  readonly untilMs: number;
}

/** Undefined: one is open now. A text: what is wrong with the windows. */
export function closedWindows(text: string, nowMs: number): ClosedWindows | string | undefined {
  const parts = text.split(';').map((part) => part.trim());
  const read = parts.map((part) => readWindow(part, nowMs));
  const wrong = read.find((each) => typeof each === 'string');
  if (wrong !== undefined) return wrong;
  const windows = read as readonly Window[];
  if (windows.some(({ open }) => open)) return undefined;
  return { windows: parts.join('; '), untilMs: Math.min(...windows.map(({ nextMs }) => nextMs)) };
}

// ---------------------------------------------------------------------------------------------------

interface Window {
  readonly open: boolean;
  readonly nextMs: number;
}

const FORM = 'must be windows such as "0 22 * * mon-fri 6h", separated by ";"';

/** A schedule and, as its last word, a duration. */
function readWindow(text: string, nowMs: number): Window | string {
  const match = /^(.*\S)\s+(\S+)$/.exec(text);
  if (match === null) return FORM;
  try {
    const length = parseDuration(match[2]!);
    if (length <= 0n) return `the duration of "${text}" must be positive`;
    const cron = parseCron(match[1]!);
    const nextMs = cron.next(nowMs);
    if (nextMs === undefined) return `"${text}" never opens`;
    return { open: isWindowActive(cron, length, nowMs), nextMs };
  } catch (error) {
    if (error instanceof CronError || error instanceof DurationError) return `${FORM}: ${error.message}`;
    throw error;
  }
}
