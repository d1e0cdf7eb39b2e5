/** A line that shows how far reading is. */
import type { Clock } from '@chandler/kube';
import { CLEAR_LINE } from '../../causes/index.ts';
import type { Terminal } from '../verb.ts';

/**
 * One line on a terminal that is replaced by the next, and removed at the end.
 * @param waiting what has not been answered at all; then it is said once where there is no terminal, too.
 */
export async function withProgress<T>(
  { terminal }: { readonly terminal: Terminal },
  clock: Clock,
  text: () => string,
  work: () => Promise<T>,
  waiting: () => string | undefined = () => undefined,
  verb = 'top',
): Promise<T> {
  if (terminal.interactive !== true) return orSaid(terminal, clock, waiting, work, verb);
  const startMs = clock.monotonic();
  let timer = clock.after(PROGRESS_MS, function show() {
    const silent = clock.monotonic() - startMs >= SILENT_MS ? waiting() : undefined;
    terminal.err(`${CLEAR_LINE}${silent ?? text()}`);
    timer = clock.after(PROGRESS_MS, show);
  });
  try {
    return await work();
  } finally {
    timer.cancel();
    terminal.err(CLEAR_LINE);
  }
}

// ---------------------------------------------------------------------------------------------------

const PROGRESS_MS = 500;
/** After which it is said that nothing has been answered. */
const SILENT_MS = 2_000;

async function orSaid<T>(
  terminal: Terminal,
  clock: Clock,
  waiting: () => string | undefined,
  work: () => Promise<T>,
  verb: string,
): Promise<T> {
  const timer = clock.after(SILENT_MS, () => {
    const text = waiting();
    if (text !== undefined) terminal.err(`chandler ${verb}: ${text}\n`);
  });
  try {
    return await work();
  } finally {
    timer.cancel();
  }
}
