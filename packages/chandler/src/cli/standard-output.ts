/**
 * What happens when the reader of standard output goes away (`| head`, a log collector that died). The verb decides: one that
 * changes something finishes its work, and its exit code is the outcome of the work; others are stopped.
 */
import type { Terminal, WhenOutputCloses } from './verb.ts';

export interface StandardOutputOptions {
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly color: boolean;
  /** Standard error is a terminal. Default false. */
  readonly interactive?: boolean;
  /** Of the terminal that standard output is. */
  readonly columns?: number | undefined;
  /** Stops the command in order: it may have written files that it removes. */
  stop(reason: Error): void;
  /** Ends the process if the command has not ended by then. */
  endWithin(delayMs: number, exitCode: number): void;
}

export interface Stream {
  write(text: string): unknown;
  on(event: 'error', listener: (error: NodeJS.ErrnoException) => void): unknown;
}

export class StandardOutput {
  readonly terminal: Terminal;
  readonly #options: StandardOutputOptions;
  #whenClosed: WhenOutputCloses = 'stop';
  /** Why nothing more can be written. */
  #error: NodeJS.ErrnoException | undefined;

  constructor(options: StandardOutputOptions) {
    const { stdout, stderr, color, interactive = false, columns } = options;
    this.#options = options;
    this.terminal = {
      out: (text) => {
        if (this.#error === undefined) stdout.write(text);
      },
      err: (text) => void stderr.write(text),
      color,
      interactive,
      columns,
    };
    stdout.on('error', (error) => this.#closed(error));
    // Nobody reads the messages any more; the exit code still tells.
    stderr.on('error', () => undefined);
  }

  /** A verb runs from now on. */
  started(whenClosed: WhenOutputCloses): void {
    this.#whenClosed = whenClosed;
  }

  /** Whether the verb that runs finishes its work when nobody reads its output. */
  get finishesWithoutOutput(): boolean {
    return this.#whenClosed === 'finish';
  }

  /** The exit code of the process. @param code the one of the command. */
  exitCode(code: number): number {
    return this.#error === undefined || this.#whenClosed === 'finish' ? code : this.#stoppedCode;
  }

  /** A closed pipe is how a reader ends a command that only prints; it is no failure. */
  get #stoppedCode(): number {
    return this.#error?.code === 'EPIPE' && this.#whenClosed !== 'fail' ? 0 : 1;
  }

  #closed(error: NodeJS.ErrnoException): void {
    if (this.#error !== undefined) return;
    this.#error = error;
    const { stop, endWithin, stderr } = this.#options;
    const why = error.code === 'EPIPE' ? 'standard output was closed' : `standard output: ${error.message}`;
    if (this.#whenClosed === 'finish') {
      stderr.write(`${why}; the command continues without it\n`);
      return;
    }
    if (this.#stoppedCode !== 0) stderr.write(`${why}; the command is stopped\n`);
    stop(new Error(why));
    endWithin(STOP_LIMIT_MS, this.#stoppedCode);
  }
}

// ---------------------------------------------------------------------------------------------------

const STOP_LIMIT_MS = 10_000;
