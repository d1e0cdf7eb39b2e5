/** What a verb is, and how it says that something went wrong. `main.ts` runs verbs; `verbs/` holds them. */
import type { World } from '@chandler/kube';
import type { Environment, OptionProblem, OptionTable, OptionValues } from '../settings/index.ts';

export const EXIT_OK = 0;
export const EXIT_FAILURE = 1;
export const EXIT_USAGE = 2;

export interface Verb<T extends OptionTable = OptionTable> {
  readonly name: string;
  /** One line, for the list of verbs. */
  readonly summary: string;
  /** What it does, in a few lines. */
  readonly description: string;
  /** What follows the name, such as `[SHELL]`; empty when it takes no positionals. */
  readonly positionals: string;
  readonly examples: readonly Example[];
  readonly options: T;
  /** A family: the word after its name chooses one of these, which has its own options and help. */
  readonly verbs?: readonly Verb[];
  /** Gives the exit code. Throws `Failure` or `UsageError` for what the user can mend. */
  run(call: Call<T>): Promise<number>;
}

export interface Example {
  readonly command: string;
  readonly does: string;
}

export interface Call<T extends OptionTable = OptionTable> {
  readonly options: OptionValues<T>;
  readonly positionals: readonly string[];
  readonly terminal: Terminal;
  readonly env: Environment;
  /** Aborted on the first Ctrl-C or SIGTERM: stop cleanly. */
  readonly interrupted: AbortSignal;
  /** Made when first asked for: most verbs need no logger and no metrics. */
  world(): Promise<World>;
}

export interface Terminal {
  /** Results go to standard output. */
  out(text: string): void;
  /** Progress and complaints go to standard error. */
  err(text: string): void;
  readonly color: boolean;
}

/** The work could not be done; the message says what, where and what to do. Exit code 1, no stack. */
export class Failure extends Error {
  override readonly name = 'Failure';
}

/** The command was not understood. Exit code 2, no stack. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly problems: readonly OptionProblem[];

  constructor(problems: readonly OptionProblem[]) {
    super(problems.map((problem) => `${problem.where}: ${problem.message}`).join('\n'));
    this.problems = problems;
  }
}

/** Keeps the option types of a verb while it stands in a list of verbs. */
export function defineVerb<const T extends OptionTable>(verb: Verb<T>): Verb {
  return verb as unknown as Verb;
}

export const OUTPUT_OPTION = {
  flag: 'output',
  short: 'o',
  type: 'string',
  default: 'text',
  choices: ['text', 'json'],
  doc: 'How to print the result',
} as const;

/** For verbs that talk to a cluster. */
export const CLUSTER_OPTIONS = {
  kubeconfig: {
    flag: 'kubeconfig',
    env: 'KUBECONFIG',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'FILE',
    doc: 'The kubeconfig to use',
  },
  context: {
    flag: 'context',
    type: 'string',
    default: undefined as string | undefined,
    placeholder: 'NAME',
    doc: 'The context of the kubeconfig to use',
  },
} as const;
