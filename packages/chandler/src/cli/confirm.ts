/** Asks on the terminal before a command changes something. */
import { stderr, stdin } from 'node:process';
import { createInterface } from 'node:readline/promises';

/** Whether the user can confirm on a terminal. */
export function isInteractive(): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** True when the user types "yes". @throws the reason of the signal when it is aborted. */
export async function confirmed(question: string, signal: AbortSignal): Promise<boolean> {
  const asked = createInterface({ input: stdin, output: stderr });
  try {
    // Ctrl-D closes the input, and the question would never be answered.
    const closed = new Promise<string>((resolve) => void asked.once('close', () => resolve('')));
    const answer = asked.question(`${question} Type "yes" to continue: `, { signal });
    return (await Promise.race([answer, closed])).trim() === 'yes';
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  } finally {
    asked.close();
  }
}
