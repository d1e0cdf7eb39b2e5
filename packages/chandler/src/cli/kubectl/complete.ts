/**
 * Completions of `kubectl chandler`, as kubectl reads them from `kubectl_complete-chandler`: one on each line, with a
 * description behind a tab, and a directive at the end.
 */
import type { OptionTable } from '../../settings/index.ts';
import type { Verb } from '../verb.ts';
import { KUBECTL_FLAGS, withVerbFirst } from './kubectl-flags.ts';

/** @param args as typed; the last one is to be completed, and may be empty. */
export function completionsOf(verbs: readonly Verb[], args: readonly string[]): string {
  const current = args.at(-1) ?? '';
  const before = args.slice(0, -1);
  const previous = before.at(-1) ?? '';
  if (previous in KUBECTL_FLAGS) return answer([], current, previous === '--kubeconfig' ? FILES : NO_FILES);
  const [word = '-'] = withVerbFirst(before);
  const verb = verbs.find(({ name }) => name === word);
  if (verb === undefined) {
    if (!word.startsWith('-')) return answer([], current, NO_FILES);
    const commands = verbs.map(({ name, summary }) => [name, summary] as const);
    return answer(current.startsWith('-') ? flagsOf({}) : commands, current, NO_FILES);
  }
  const row = Object.values(verb.options).find(
    ({ flag, short }) => previous === `--${flag}` || (short !== undefined && previous === `-${short}`),
  );
  if (row !== undefined && row.type !== 'boolean') {
    const values = row.suggestions ?? row.choices ?? [];
    return answer(
      values.map((value) => [value, ''] as const),
      current,
      values.length === 0 ? FILES : NO_FILES,
    );
  }
  if (current.startsWith('-')) return answer(flagsOf(verb.options), current, NO_FILES);
  // `pod/NAME | nodeclaim/NAME`: what comes before the name is known.
  const kinds = [...verb.positionals.matchAll(/([a-z]+\/)NAME/g)].map(([, kind]) => [kind!, ''] as const);
  if (kinds.length === 0) return answer([], current, FILES);
  return answer(kinds, current, NO_FILES | NO_SPACE);
}

// ---------------------------------------------------------------------------------------------------

/** Of cobra, which kubectl is written with. */
const FILES = 0;
const NO_SPACE = 2;
const NO_FILES = 4;

type Completion = readonly [text: string, description: string];

function flagsOf(options: OptionTable): readonly Completion[] {
  const own = Object.values(options).map(({ flag, doc }) => [`--${flag}`, doc] as const);
  const names = new Set<string>(own.map(([name]) => name));
  const shared = Object.entries(KUBECTL_FLAGS).filter(([name]) => name.startsWith('--') && !names.has(name));
  return [...own, ...shared, ['--help', 'Print this help']];
}

function answer(completions: readonly Completion[], current: string, directive: number): string {
  const lines = completions
    .filter(([text]) => text.startsWith(current))
    .map(([text, description]) =>
      description === '' ? text : `${text}\t${description.replace(/\s+/g, ' ')}`,
    );
  return [...lines, `:${directive}`, ''].join('\n');
}
