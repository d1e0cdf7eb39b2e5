/**
 * What signals do to a command. The first SIGINT or SIGTERM stops it in order, the second ends the process. A closed terminal
 * (SIGHUP) stops it in order, too, unless it finishes without its output; it never ends the process.
 */

export interface SignalOptions {
  readonly process: {
    on(signal: NodeJS.Signals, listener: () => void): unknown;
    exit(code: number): unknown;
  };
  readonly stderr: { write(text: string): unknown };
  readonly interrupt: AbortController;
  /** Of the verb that runs. */
  readonly output: { readonly finishesWithoutOutput: boolean };
  /** Printed when the process ends at once. */
  readonly atOnce: string;
}

export function handleSignals({ process, stderr, interrupt, output, atOnce }: SignalOptions): void {
  const stop = (signal: NodeJS.Signals) => interrupt.abort(new Error(`stopped by ${signal}`));
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (!interrupt.signal.aborted) return stop(signal);
      stderr.write(`${atOnce}\n`);
      process.exit(130);
    });
  }
  process.on('SIGHUP', () => {
    if (interrupt.signal.aborted) return;
    if (output.finishesWithoutOutput)
      stderr.write('the terminal was closed; the command continues without it\n');
    else stop('SIGHUP');
  });
}
