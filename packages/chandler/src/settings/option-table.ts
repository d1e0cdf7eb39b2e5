/**
 * A table of options: one row per option gives its parsing, its validation, its help and its documentation.
 * Here for commands: precedence is flag, then environment variable, then default; every value keeps its source.
 * The controller has more layers and rules, see resolve-options.ts.
 */
import { findFlags } from './option-flags.ts';
import { optionText, placeholderOf, readOption } from './option-readers.ts';
import {
  type Environment,
  envNames,
  type OptionProblem,
  type OptionRow,
  type OptionTable,
  type OptionValues,
} from './option-row.ts';
import { hardcoded, type Sourced } from './sourced.ts';

export type {
  Environment,
  OptionProblem,
  OptionRow,
  OptionTable,
  OptionTypes,
  OptionValues,
} from './option-row.ts';

export interface ParsedOptions<T extends OptionTable> {
  readonly values: OptionValues<T>;
  readonly positionals: readonly string[];
  readonly problems: readonly OptionProblem[];
}

export function parseOptions<T extends OptionTable>(
  table: T,
  args: readonly string[],
  env: Environment,
): ParsedOptions<T> {
  const { given, positionals, problems: unfound } = findFlags(table, args);
  const problems: OptionProblem[] = [...unfound];
  const values: Record<string, Sourced<unknown>> = {};
  for (const [name, row] of Object.entries(table)) {
    const flag = given.get(name);
    const variable = envNames(row).find((candidate) => env[candidate] !== undefined);
    if (flag !== undefined) values[name] = convert(row, flag.texts, 'flag', flag.as, problems);
    else if (variable !== undefined) values[name] = convert(row, [env[variable]!], 'env', variable, problems);
    else values[name] = hardcoded(row.default);
  }
  const parsed = { values: values as OptionValues<T>, positionals };
  INPUTS.set(parsed.values, { args, env });
  // A caller that adds more layers resolves again, and then reports all problems together.
  return { ...parsed, problems: LAYERED.has(table) ? [] : problems };
}

/** Marks a table whose options are resolved by the verb itself, out of `inputsOf` and further layers. */
export function layered<T extends OptionTable>(table: T): T {
  LAYERED.add(table);
  return table;
}

/** What these values were parsed from. */
export function inputsOf(values: OptionValues<OptionTable>): OptionInputs {
  const inputs = INPUTS.get(values);
  if (inputs === undefined) throw new Error('these values were not made by parseOptions');
  return inputs;
}

export interface OptionInputs {
  readonly args: readonly string[];
  readonly env: Environment;
}

/** Lines of help, aligned: flag, value and meaning; under headings where the rows have groups. */
export function optionHelp(table: OptionTable): string[] {
  const rows = Object.values(table).map((row) => ({
    group: row.group,
    head: optionHead(row),
    doc: `${row.doc}${ineffectiveText(row)}${optionTail(row)}`,
  }));
  const width = Math.min(MAX_HEAD_WIDTH, Math.max(0, ...rows.map(({ head }) => head.length)));
  const lines: string[] = [];
  // Rows of one group stand together, in the order in which the groups first appear.
  const groups = [...new Set(rows.map((row) => row.group))];
  rows.sort((one, other) => groups.indexOf(one.group) - groups.indexOf(other.group));
  let group: string | undefined;
  for (const row of rows) {
    if (row.group !== group && row.group !== undefined) lines.push('', `${row.group}:`);
    group = row.group;
    if (row.head.length <= width) lines.push(`  ${row.head.padEnd(width)}  ${row.doc}`);
    else lines.push(`  ${row.head}`, `  ${' '.repeat(width)}  ${row.doc}`);
  }
  return lines;
}

// ---------------------------------------------------------------------------------------------------

const INPUTS = new WeakMap<object, OptionInputs>();
const LAYERED = new WeakSet<object>();

/** A longer one gets a line of its own. */
const MAX_HEAD_WIDTH = 44;

function convert(
  row: OptionRow,
  texts: readonly string[],
  source: 'flag' | 'env',
  path: string,
  problems: OptionProblem[],
): Sourced<unknown> {
  const reading = readOption(row, texts);
  if (reading.ok) return { value: reading.value, source, path };
  problems.push({ where: path, message: reading.message });
  return hardcoded(row.default);
}

function optionHead(row: OptionRow): string {
  const short = row.short === undefined ? '    ' : `-${row.short}, `;
  return row.type === 'boolean' ? `${short}--${row.flag}` : `${short}--${row.flag} ${placeholderOf(row)}`;
}

function ineffectiveText({ unused, unusedGates = {} }: OptionRow): string {
  const gates = Object.keys(unusedGates);
  if (unused !== undefined) return `. No effect: ${unused}`;
  return gates.length === 0 ? '' : `. These gates have no effect: ${gates.join(', ')}`;
}

function optionTail(row: OptionRow): string {
  const notes: string[] = [];
  const shown = optionText(row, row.default);
  if (row.required === true && shown === '') notes.push('required');
  if (shown !== '' && shown !== 'false') notes.push(`default ${shown}`);
  const variables = envNames(row);
  if (variables.length > 0) notes.push(`env ${variables.join(' or ')}`);
  if (row.secret === true) notes.push(`better in a file: --${row.flag}-file or env ${variables[0]}_FILE`);
  return notes.length === 0 ? '' : ` (${notes.join(', ')})`;
}
