/** Makes each mistake of the table in an installation that has none, and says which check finds it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CHECKS, type Finding, judge } from '../../../packages/chandler/src/readiness/index.ts';
import { inputsOf } from '../../../packages/chandler/src/readiness/testing.ts';
import type { Files } from '../examples/judged.ts';
import type { Mutation } from './mutations.table.ts';

export interface Outcome {
  /** `nodes/class.yaml: httpTokens: required → httpTokens: optional`. */
  readonly name: string;
  readonly owner: string;
  readonly found: boolean;
  /** Critical failures of checks that have nothing to do with it. */
  readonly falseCriticals: readonly string[];
}

export interface Mistake extends Omit<Mutation, 'to'> {
  readonly to: string;
}

export function healthy(files: Files): readonly Finding[] {
  return judged(files);
}

/** One for each text of the table that replaces another. */
export const mistakesOf = (mutations: readonly Mutation[]): readonly Mistake[] =>
  mutations.flatMap((mutation) => mutation.to.map((to) => ({ ...mutation, to })));

/** By the name below the folder. */
export function filesIn(folder: string): Files {
  return Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [relative(folder, path), readFileSync(path, 'utf8')];
      }),
  );
}

export function outcomes(mistakes: readonly Mistake[], files: Files): readonly Outcome[] {
  const before = new Set(healthy(files).filter(isWrong).map(keyOf));
  return mistakes.map((mistake) => outcomeOf(mistake, before, files));
}

// ---------------------------------------------------------------------------------------------------------------

function judged(files: Files): readonly Finding[] {
  return judge(inputsOf(files), CHECKS, { strict: false }).findings;
}

function outcomeOf(mistake: Mistake, before: ReadonlySet<string>, files: Files): Outcome {
  const { file, from, to, owner, also = [], occurrence = 0 } = mistake;
  const text = files[file] ?? '';
  let position = text.indexOf(from);
  for (let count = 0; count < occurrence && position >= 0; count++)
    position = text.indexOf(from, position + 1);
  const name = `${file}: ${short(from)} → ${short(to)}`;
  if (position < 0) throw new Error(`${name}: the text is not in the file`);
  const changed = `${text.slice(0, position)}${to}${text.slice(position + from.length)}`;
  const wrong = judged({ ...files, [file]: changed }).filter(
    (finding) => isWrong(finding) && !before.has(keyOf(finding)),
  );
  const falseCriticals = wrong
    .filter(
      ({ status, severity, id }) =>
        status !== 'warn' && severity === 'critical' && id !== owner && !also.includes(id),
    )
    .map(({ id }) => id);
  return { name, owner, found: wrong.some(({ id }) => id === owner), falseCriticals };
}

function isWrong({ status }: Finding): boolean {
  return status === 'fail' || status === 'warn' || status === 'error';
}

function keyOf({ id, object }: Finding): string {
  return `${id} ${object ?? ''}`;
}

function short(text: string): string {
  const line = text.replaceAll('\n', ' ').trim();
  return line.length > 60 ? `${line.slice(0, 59)}…` : line;
}
