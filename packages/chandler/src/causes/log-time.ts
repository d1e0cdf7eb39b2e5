/** When the kernel of a VM wrote a line of its log: the lines have seconds since the boot, and the boot says what time it is. */
import type { NodeEvidence } from './evidence.ts';
import { conditionOf } from './evidence-set.ts';

/** Ready changes most of a minute after the last heartbeat; a node that fails slowly reports for some minutes. */
const BEFORE_UNREADY_MS = 15 * 60_000;

/** `old`: the node lived on for longer than a failing one does. */
export function ageBeforeUnready(
  node: NodeEvidence,
  text: string,
  line: string,
): 'recent' | 'old' | 'unknown' {
  const unreadyMs = Date.parse(conditionOf(node, 'Ready')?.lastTransitionTime ?? '');
  const lineMs = timeOfLine(text, line);
  if (lineMs === undefined || Number.isNaN(unreadyMs)) return 'unknown';
  return lineMs >= unreadyMs - BEFORE_UNREADY_MS ? 'recent' : 'old';
}

/** Of the last such line. Undefined: the line has no time, or its boot does not say when it was. */
export function timeOfLine(text: string, line: string): number | undefined {
  const before = text.slice(0, Math.max(text.lastIndexOf(line), 0));
  const boot = before.slice(Math.max(before.lastIndexOf('Linux version '), 0));
  const clock = CLOCK.exec(boot);
  const seconds = Number(SECONDS.exec(line)?.[1]);
  if (clock === null || Number.isNaN(seconds)) return undefined;
  const [, clockSeconds, clockTime] = clock;
  const clockMs = Date.parse(`${clockTime}Z`);
  return Number.isNaN(clockMs) ? undefined : clockMs + (seconds - Number(clockSeconds)) * 1000;
}

// ---------------------------------------------------------------------------------------------------

const SECONDS = /^\s*\[\s{0,12}(\d{1,12}\.\d{1,9})\]/;
const CLOCK =
  /\[\s{0,12}(\d{1,12}\.\d{1,9})\] [^\n]{0,80}setting system clock to (\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d) UTC/;
