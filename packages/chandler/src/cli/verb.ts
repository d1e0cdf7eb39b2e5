/** The type of a verb (a command of the CLI) and its errors. `main.ts` runs verbs; `verbs/` holds them. */
import type { World } from '@chandler/kube';
import type { Environment, OptionProblem, OptionTable, OptionValues, Sourced } from '../settings/index.ts';

export const EXIT_OK = 0;
export const EXIT_FAILURE = 1;
export const EXIT_USAGE = 2;
/** As a shell reports a process that Ctrl-C has ended. */
export const EXIT_INTERRUPTED = 130;

export interface Verb<T extends OptionTable = OptionTable> {
  readonly name: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What it does, in a few lines. */
  readonly description: string;
  /** The arguments after the name, such as `[SHELL]`; empty when it takes none. */
  readonly positionals: string;
  readonly examples: readonly Example[];
  readonly options: T;
  /** Subcommands, each with its own options and help. The argument after the name selects one. */
  readonly verbs?: readonly Verb[];
  /** The verb with the options that these arguments lead to, where they depend on one of them. */
  forArguments?(args: readonly string[], env: Environment): Promise<Verb>;
  /** Default `stop`. */
  whenOutputCloses?(options: OptionValues<T>): WhenOutputCloses;
  /** Returns the exit code. @throws {Failure} or {UsageError} for errors that the user can fix. */
  run(call: Call<T>): Promise<number>;
}

/**
 * What a verb does when the reader of standard output goes away. `stop`: quietly, with exit code 0, for a verb that only prints.
 * `finish`: the work, and exit by its outcome. `fail`: stop with exit code 1, for a verb whose output must be seen.
 */
export type WhenOutputCloses = 'stop' | 'finish' | 'fail';

export interface Example {
  readonly command: string;
  readonly does: string;
}

export interface Call<T extends OptionTable = OptionTable> {
  readonly options: OptionValues<T>;
  readonly positionals: readonly string[];
  readonly terminal: Terminal;
  readonly env: Environment;
  /** Aborted on the first Ctrl-C or SIGTERM: the verb stops cleanly. */
  readonly interrupted: AbortSignal;
  /** Created on first use: most verbs need neither logger nor metrics. */
  world(): Promise<World>;
}

export interface Terminal {
  /** Results go to standard output. */
  out(text: string): void;
  /** Progress and errors go to standard error. */
  err(text: string): void;
  readonly color: boolean;
  /** Standard error is a terminal, on which a line of progress may be shown and removed. Default false. */
  readonly interactive?: boolean;
  /** Of the terminal that standard output is; absent for a file or a pipe. */
  readonly columns?: number | undefined;
}

/** An expected failure. The message says what failed, on what, why, and what to do. Exit code 1, no stack trace. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/** Invalid flags or arguments. Exit code 2, no stack trace. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly problems: readonly OptionProblem[];

  constructor(problems: readonly OptionProblem[]) {
    super(problems.map((problem) => `${problem.where}: ${problem.message}`).join('\n'));
    this.problems = problems;
  }
}

/** Type-checks the options of a verb; the result can be put in a list of verbs. */
export function defineVerb<const T extends OptionTable>(verb: Verb<T>): Verb {
  return verb as unknown as Verb;
}

export const OUTPUT_OPTION = {
  flag: 'output',
  short: 'o',
  type: 'string',
  default: 'text',
  choices: ['text', 'json'],
  doc: 'Output format',
} as const;

/** For verbs that connect to a cluster. */
export const CLUSTER_OPTIONS = {
  kubeconfig: {
    flag: 'kubeconfig',
    env: 'KUBECONFIG',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'FILE',
    doc: 'Path of the kubeconfig file',
  },
  context: {
    flag: 'context',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'NAME',
    doc: 'Name of the kubeconfig context',
  },
} as const;

/**
 * The kubeconfig that a flag names. KUBECONFIG is read with the credentials: of its files, those that do not exist are
 * skipped, as kubectl does.
 */
export function namedKubeconfig({ value, source }: Sourced<string | undefined>): string | undefined {
  return source === 'flag' ? value : undefined;
}
