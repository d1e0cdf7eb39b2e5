/**
 * From arguments to an exit code: finds the verb, parses its options, runs it, and prints its errors. It uses no global
 * state; `main.ts` passes the process in.
 */
import type { World } from '@chandler/kube';
import { escapeForTerminal } from '../causes/index.ts';
import { closestName, type Environment, type OptionTable, parseOptions } from '../settings/index.ts';
import { familyHelp, overview, verbHelp } from './help.ts';
import {
  EXIT_FAILURE,
  EXIT_INTERRUPTED,
  EXIT_OK,
  EXIT_USAGE,
  Failure,
  type Terminal,
  UsageError,
  type Verb,
  type WhenOutputCloses,
} from './verb.ts';

export interface Process {
  readonly args: readonly string[];
  readonly env: Environment;
  readonly terminal: Terminal;
  readonly interrupted: AbortSignal;
  /** The program name in help and error messages. Default `chandler`. */
  readonly program?: string;
  world(): Promise<World>;
  /** Called before the verb runs. */
  started?(whenOutputCloses: WhenOutputCloses): void;
}

const ALIASES: Readonly<Record<string, string>> = { '--version': 'version', '-v': 'version' };

export async function run(verbs: readonly Verb[], process: Process): Promise<number> {
  const [name, ...rest] = process.args;
  const terminal = safeTerminal(process.terminal, false);
  if (
    name === undefined ||
    name === '--help' ||
    name === '-h' ||
    (name === 'help' && rest[0] === undefined)
  ) {
    terminal.out(overview(verbs, process.program));
    return name === undefined ? EXIT_USAGE : EXIT_OK;
  }
  if (name === 'help') return run(verbs, { ...process, args: [rest[0]!, '--help'] });
  return runNamed(verbs, name, rest, process);
}

/** Runs a subcommand: the first argument names it. */
export async function runFamily(family: Verb, process: Process): Promise<number> {
  const [name, ...rest] = process.args;
  if (name === 'help' && rest[0] !== undefined)
    return runFamily(family, { ...process, args: [...rest, '--help'] });
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    safeTerminal(process.terminal, false).out(familyHelp(family, process.program));
    return name === undefined ? EXIT_USAGE : EXIT_OK;
  }
  return runNamed(family.verbs ?? [], name, rest, process);
}

// ---------------------------------------------------------------------------------------------------

/** Verbs whose results have colours; they escape the text of others before they paint. */
const PAINTERS: ReadonlySet<string> = new Set(['why', 'check', 'simulate', 'plan', 'playground', 'top']);

/** The edge of every output: no verb can print control characters of others. */
function safeTerminal(terminal: Terminal, paints: boolean): Terminal {
  const color = terminal.color && paints;
  return {
    ...terminal,
    out: (text) => terminal.out(escapeForTerminal(text, { color })),
    err: (text) => terminal.err(escapeForTerminal(text, { color })),
  };
}

async function runNamed(
  verbs: readonly Verb[],
  name: string,
  args: readonly string[],
  process: Process,
): Promise<number> {
  const { program = 'chandler', env } = process;
  const terminal = safeTerminal(process.terminal, false);
  const found = verbs.find((candidate) => candidate.name === (ALIASES[name] ?? name));
  const verb = (await found?.forArguments?.(args, env)) ?? found;
  if (verb === undefined) {
    const guess = closestName(
      name,
      verbs.map((known) => known.name),
    );
    const hint =
      guess === undefined ? `"${program} --help" lists the commands` : `did you mean "${program} ${guess}"?`;
    terminal.err(`${program}: unknown command "${name}"; ${hint}\n`);
    return EXIT_USAGE;
  }
  if (verb.verbs !== undefined)
    return runFamily(verb, { ...process, args, program: `${program} ${verb.name}` });
  if (wantsHelp(args)) {
    terminal.out(verbHelp(verb, program));
    return EXIT_OK;
  }
  return runVerb(verb, args, process);
}

async function runVerb(verb: Verb, args: readonly string[], process: Process): Promise<number> {
  const { env, interrupted, world, program = 'chandler' } = process;
  const errors = safeTerminal(process.terminal, false);
  try {
    const terminal = safeTerminal(process.terminal, PAINTERS.has(verb.name));
    const { values, positionals, problems } = parseOptions<OptionTable>(verb.options, args, env);
    if (problems.length > 0) throw new UsageError(problems);
    if (verb.positionals === '' && positionals.length > 0) {
      throw new UsageError([{ where: positionals[0]!, message: 'this command takes no arguments' }]);
    }
    process.started?.(verb.whenOutputCloses?.(values) ?? 'stop');
    return await verb.run({ options: values, positionals, terminal, env, interrupted, world });
  } catch (error) {
    if (error instanceof UsageError) {
      for (const problem of error.problems) {
        errors.err(`${program} ${verb.name}: ${problem.where}: ${problem.message}\n`);
      }
      errors.err(`See "${program} ${verb.name} --help" for usage.\n`);
      return EXIT_USAGE;
    }
    if (error instanceof Failure) {
      errors.err(`${program} ${verb.name}: ${error.message}\n`);
      return EXIT_FAILURE;
    }
    // The signal ended whatever the command was waiting for.
    if (interrupted.aborted && error === interrupted.reason) {
      errors.err(`${program} ${verb.name}: ${(error as Error).message}\n`);
      return EXIT_INTERRUPTED;
    }
    throw error;
  }
}

function wantsHelp(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return (end < 0 ? args : args.slice(0, end)).some((arg) => arg === '--help' || arg === '-h');
}
