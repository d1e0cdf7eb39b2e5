/**
 * What signals do to a command. The first SIGINT or SIGTERM stops it in order, the second ends the process. A closed terminal
 * (SIGHUP) stops it in order, too, unless it finishes without its output; it never ends the process.
 *
 * One Ctrl-C may arrive twice: the terminal sends it to all processes, and npm forwards its own to the command, which is its
 * child where the shell has replaced itself by it (bash). So what comes within a second of the first signal is not a second one.
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
  /** Monotonic. */
  readonly nowMs: () => number;
}

export function handleSignals(options: SignalOptions): void {
  const { process, stderr, interrupt, output, atOnce, nowMs } = options;
  let stoppedAtMs = Number.NEGATIVE_INFINITY;
  const stop = (signal: NodeJS.Signals) => {
    stoppedAtMs = nowMs();
    interrupt.abort(new Error(`stopped by ${signal}`));
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (!interrupt.signal.aborted) return stop(signal);
      if (nowMs() - stoppedAtMs < SAME_SIGNAL_MS) return;
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

// ---------------------------------------------------------------------------------------------------

const SAME_SIGNAL_MS = 1_000;
