/** Makes each mistake of the table in an installation that has none, and says which check finds it. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { CHECKS, type Finding, judge } from '../../../packages/chandler/src/readiness/index.ts';
import { inputsOf } from '../../../packages/chandler/src/readiness/testing.ts';
import { MUTATIONS, type Mutation } from './mutations.table.ts';

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

export function healthy(): readonly Finding[] {
  return judged(ESTATE);
}

/** One for each text of the table that replaces another. */
export const MISTAKES: readonly Mistake[] = MUTATIONS.flatMap((mutation) =>
  mutation.to.map((to) => ({ ...mutation, to })),
);

export function outcomes(mistakes: readonly Mistake[]): readonly Outcome[] {
  const before = new Set(healthy().filter(isWrong).map(keyOf));
  return mistakes.map((mistake) => outcomeOf(mistake, before));
}

// ---------------------------------------------------------------------------------------------------------------

const FOLDER = join(import.meta.dirname, 'estate');
const ESTATE: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [relative(FOLDER, path), readFileSync(path, 'utf8')];
    }),
);

function judged(files: Readonly<Record<string, string>>): readonly Finding[] {
  return judge(inputsOf(files), CHECKS, { strict: false }).findings;
}

function outcomeOf(mistake: Mistake, before: ReadonlySet<string>): Outcome {
  const { file, from, to, owner, also = [], occurrence = 0 } = mistake;
  const text = ESTATE[file] ?? '';
  let position = text.indexOf(from);
  for (let count = 0; count < occurrence && position >= 0; count++)
    position = text.indexOf(from, position + 1);
  const name = `${file}: ${short(from)} → ${short(to)}`;
  if (position < 0) throw new Error(`${name}: the text is not in the file`);
  const changed = `${text.slice(0, position)}${to}${text.slice(position + from.length)}`;
  const wrong = judged({ ...ESTATE, [file]: changed }).filter(
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
