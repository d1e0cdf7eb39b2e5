/**
 * A table of options: one row per option gives its parsing, its validation, its help and its documentation.
 * Precedence is flag, then environment variable, then default; every value keeps its source.
 */
import { closestName } from './closest-name.ts';
import { hardcoded, type Sourced } from './sourced.ts';

export interface OptionTypes {
  string: string;
  boolean: boolean;
  integer: number;
  list: readonly string[];
}

export interface OptionRow<K extends keyof OptionTypes = keyof OptionTypes, D = OptionTypes[K] | undefined> {
  /** Without the dashes: `write-kubeconfig`. */
  readonly flag: string;
  /** One letter: `o` for `-o`. */
  readonly short?: string;
  readonly env?: string;
  readonly type: K;
  readonly default: D;
  /** How help names the value: `FILE`. */
  readonly placeholder?: string;
  /** One sentence, without the default, which is added. */
  readonly doc: string;
  /** Values that a string may take. */
  readonly choices?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

export type OptionTable = Readonly<Record<string, OptionRow>>;

export type OptionValues<T extends OptionTable> = {
  readonly [N in keyof T]: Sourced<OptionTypes[T[N]['type']] | Extract<T[N]['default'], undefined>>;
};

/** What was wrong, where it stood, and what to do. */
export interface OptionProblem {
  readonly where: string;
  readonly message: string;
}

export interface ParsedOptions<T extends OptionTable> {
  readonly values: OptionValues<T>;
  readonly positionals: readonly string[];
  readonly problems: readonly OptionProblem[];
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function parseOptions<T extends OptionTable>(
  table: T,
  args: readonly string[],
  env: Environment,
): ParsedOptions<T> {
  const problems: OptionProblem[] = [];
  const { given, positionals } = readFlags(table, args, problems);
  const values: Record<string, Sourced<unknown>> = {};
  for (const [name, row] of Object.entries(table)) {
    values[name] = choose(row, given.get(name), env, problems);
  }
  return { values: values as OptionValues<T>, positionals, problems };
}

/** Lines of help, aligned: flag, value and meaning. */
export function optionHelp(table: OptionTable): string[] {
  const rows = Object.values(table).map((row) => [optionHead(row), `${row.doc}${optionTail(row)}`] as const);
  const width = Math.max(0, ...rows.map(([head]) => head.length));
  return rows.map(([head, doc]) => `  ${head.padEnd(width)}  ${doc}`);
}

// ---------------------------------------------------------------------------------------------------

interface Given {
  readonly as: string;
  readonly texts: string[];
}

function readFlags(table: OptionTable, args: readonly string[], problems: OptionProblem[]) {
  const given = new Map<string, Given>();
  const positionals: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index]!;
    if (arg === '--') {
      positionals.push(...args.slice(index + 1));
      break;
    }
    if (!arg.startsWith('-') || arg === '-') {
      positionals.push(arg);
      continue;
    }
    const { flag, inline } = splitFlag(arg);
    const found = findRow(table, flag);
    if (found === undefined) {
      problems.push(unknownFlag(table, flag));
      continue;
    }
    const [name, row, negated] = found;
    let text = inline;
    if (row.type === 'boolean') text = negated ? 'false' : (inline ?? 'true');
    else if (text === undefined) text = args[++index];
    if (text === undefined) {
      problems.push({ where: flag, message: `needs a value: ${flag} ${placeholderOf(row)}` });
      continue;
    }
    const entry = given.get(name) ?? { as: flag, texts: [] };
    entry.texts.push(text);
    given.set(name, entry);
  }
  return { given, positionals };
}

function splitFlag(arg: string): { flag: string; inline: string | undefined } {
  if (!arg.startsWith('--')) {
    const rest = arg.slice(2).replace(/^=/, '');
    return { flag: arg.slice(0, 2), inline: rest === '' ? undefined : rest };
  }
  const equals = arg.indexOf('=');
  return equals < 0
    ? { flag: arg, inline: undefined }
    : { flag: arg.slice(0, equals), inline: arg.slice(equals + 1) };
}

function findRow(table: OptionTable, flag: string): [string, OptionRow, boolean] | undefined {
  for (const [name, row] of Object.entries(table)) {
    if (flag === `--${row.flag}` || (row.short !== undefined && flag === `-${row.short}`))
      return [name, row, false];
    if (row.type === 'boolean' && flag === `--no-${row.flag}`) return [name, row, true];
  }
  return undefined;
}

function unknownFlag(table: OptionTable, flag: string): OptionProblem {
  const guess = closestName(
    flag,
    Object.values(table).map((row) => `--${row.flag}`),
  );
  return {
    where: flag,
    message: guess === undefined ? 'unknown flag' : `unknown flag; did you mean ${guess}?`,
  };
}

function choose(
  row: OptionRow,
  given: Given | undefined,
  env: Environment,
  problems: OptionProblem[],
): Sourced<unknown> {
  const fromEnv = row.env === undefined ? undefined : env[row.env];
  if (given !== undefined) return convert(row, given.texts, 'flag', given.as, problems);
  if (fromEnv !== undefined) return convert(row, [fromEnv], 'env', row.env!, problems);
  return hardcoded(row.default);
}

function convert(
  row: OptionRow,
  texts: readonly string[],
  source: 'flag' | 'env',
  path: string,
  problems: OptionProblem[],
): Sourced<unknown> {
  const text = texts.at(-1)!;
  const refuse = (expected: string) => {
    problems.push({ where: path, message: `wants ${expected}, got "${text}"` });
    return hardcoded(row.default);
  };
  switch (row.type) {
    case 'boolean':
      if (!/^(true|false|1|0)$/i.test(text)) return refuse('true or false');
      return { value: /^(true|1)$/i.test(text), source, path };
    case 'integer':
      if (!/^-?\d+$/.test(text) || !Number.isSafeInteger(Number(text))) return refuse('a whole number');
      if (!inRange(row, Number(text))) return refuse(rangeText(row));
      return { value: Number(text), source, path };
    case 'list':
      return { value: texts.flatMap((part) => part.split(',')).filter((part) => part !== ''), source, path };
    case 'string':
      if (row.choices !== undefined && !row.choices.includes(text)) return refuse(row.choices.join(' or '));
      return { value: text, source, path };
  }
}

function inRange(row: OptionRow, value: number): boolean {
  return value >= (row.minimum ?? -Infinity) && value <= (row.maximum ?? Infinity);
}

function rangeText(row: OptionRow): string {
  if (row.maximum === undefined) return `at least ${row.minimum}`;
  return row.minimum === undefined ? `at most ${row.maximum}` : `${row.minimum} to ${row.maximum}`;
}

function optionHead(row: OptionRow): string {
  const short = row.short === undefined ? '    ' : `-${row.short}, `;
  return row.type === 'boolean' ? `${short}--${row.flag}` : `${short}--${row.flag} ${placeholderOf(row)}`;
}

function placeholderOf(row: OptionRow): string {
  return (
    row.placeholder ??
    row.choices?.join('|') ??
    { string: 'TEXT', integer: 'N', list: 'A,B', boolean: '' }[row.type]
  );
}

function optionTail(row: OptionRow): string {
  const notes: string[] = [];
  const shown = String(row.default ?? '');
  if (shown !== '' && shown !== 'false') notes.push(`default ${shown}`);
  if (row.env !== undefined) notes.push(`env ${row.env}`);
  return notes.length === 0 ? '' : ` (${notes.join(', ')})`;
}
