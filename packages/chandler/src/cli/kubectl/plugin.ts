/**
 * `kubectl chandler`: which program this process was started as, and the arguments of the plugin as those of a verb. The
 * verbs are the same; those that run something on this machine or install it are not commands of the plugin.
 */
import { defineVerb, EXIT_OK, type Terminal, type Verb } from '../verb.ts';
import { loadVerbs } from '../verbs/load-verbs.ts';
import { withoutNamespace, withVerbFirst } from './kubectl-flags.ts';

export const PLUGIN = 'kubectl chandler';

/** In the order of the help page. */
export const PLUGIN_VERBS: readonly string[] = [
  'top',
  'page',
  'why',
  'plan',
  'simulate',
  'check',
  'dump',
  'version',
];

export interface Invocation {
  /** In help and error messages. */
  readonly program: string;
  readonly args: readonly string[];
  readonly verbs: readonly Verb[];
}

export type Role = 'chandler' | 'plugin' | 'completion';

/**
 * kubectl runs executables by their names, which are links to one program: npm links scripts, and an executable has its own
 * name as its first argument.
 */
export function roleOf(names: readonly (string | undefined)[]): Role {
  for (const name of names) {
    const base = (name ?? '')
      .split(/[/\\]/)
      .at(-1)!
      .replace(/\.(js|exe|cmd)$/i, '');
    if (base === 'kubectl-chandler') return 'plugin';
    if (base === 'kubectl_complete-chandler') return 'completion';
  }
  return 'chandler';
}

/** @param warn for a line about a flag that has no effect. */
export async function readInvocation(
  role: Role,
  args: readonly string[],
  warn: Terminal['err'],
): Promise<Invocation> {
  if (role === 'chandler') return { program: 'chandler', args, verbs: await loadVerbs(args) };
  if (role === 'completion')
    // Behind the dashes nothing is a flag of ours.
    return { program: PLUGIN, args: [COMPLETE, '--', ...args], verbs: [completeVerb] };
  const ordered = withVerbFirst(args);
  const verbs = await pluginVerbs(ordered[0]);
  const verb = verbs.find(({ name }) => name === ordered[0]);
  return {
    program: PLUGIN,
    args: verb === undefined ? ordered : withoutNamespace(ordered, verb, warn),
    verbs,
  };
}

/** The one that is named, or all of them, for help and suggestions. */
export async function pluginVerbs(name?: string): Promise<readonly Verb[]> {
  if (name !== undefined && PLUGIN_VERBS.includes(name)) return loadVerbs([name]);
  const all = await loadVerbs([]);
  return PLUGIN_VERBS.flatMap((wanted) => all.find((verb) => verb.name === wanted) ?? []);
}

// ---------------------------------------------------------------------------------------------------

const COMPLETE = '__complete';

const completeVerb = defineVerb({
  name: COMPLETE,
  summary: 'Print completions',
  description: 'Prints the completions of the last argument, as kubectl expects them.',
  positionals: '[ARGUMENT…]',
  examples: [],
  options: {},
  async run({ positionals, terminal }) {
    const { completionsOf } = await import('./complete.ts');
    terminal.out(completionsOf(await pluginVerbs(), positionals));
    return EXIT_OK;
  },
});
