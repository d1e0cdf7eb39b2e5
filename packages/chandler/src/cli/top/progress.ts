/** A line that shows how far reading is. */
import type { Clock } from '@chandler/kube';
import { CLEAR_LINE } from '../../causes/index.ts';
import type { Terminal } from '../verb.ts';

/** One line on a terminal that is replaced by the next, and removed at the end. */
export async function withProgress<T>(
  { terminal }: { readonly terminal: Terminal },
  clock: Clock,
  text: () => string,
  work: () => Promise<T>,
): Promise<T> {
  if (terminal.interactive !== true) return work();
  let timer = clock.after(PROGRESS_MS, function show() {
    terminal.err(`${CLEAR_LINE}${text()}`);
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
