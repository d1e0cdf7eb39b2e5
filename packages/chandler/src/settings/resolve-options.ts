/**
 * The controller's options out of all their layers: flag, then environment, then the global-settings ConfigMap, then
 * default. All errors are collected, so that one start reports them all. A bad value is never replaced by a
 * default; where there are problems the values are not to be used.
 */
import { rethrowProgramError } from '@chandler/kube';
import { findFlags, type GivenFlag } from './option-flags.ts';
import { isEmpty, readOption } from './option-readers.ts';
import {
  type Environment,
  envNames,
  type OptionProblem,
  type OptionRow,
  type OptionTable,
  type OptionValues,
  type OptionWarning,
  type PlainValues,
} from './option-row.ts';
import { type SettingsData, settingsLayer } from './settings-layer.ts';
import { type FoundText, hardcoded, type Sourced } from './sourced.ts';

export interface LayerInputs {
  readonly args: readonly string[];
  readonly env: Environment;
  /** `data` of the ConfigMap; absent when there is none. */
  readonly configMap?: SettingsData | undefined;
  /** For `<ENV>_FILE` and `--<flag>-file`; throws when there is no such file. */
  readonly readFile: (path: string) => string;
}

/** Something that must hold between options. */
export interface OptionRule {
  /** The names it is about; a problem is reported at the first that was set. */
  readonly options: readonly string[];
  readonly problem: (values: PlainValues, isSet: (name: string) => boolean) => string | undefined;
}

export interface ResolvedProblem extends OptionProblem {
  /** Names of the options it is about; empty for an unknown flag. */
  readonly options: readonly string[];
}

export interface ResolvedOptions<T extends OptionTable = OptionTable> {
  readonly table: T;
  readonly rules: readonly OptionRule[];
  readonly inputs: LayerInputs;
  readonly values: OptionValues<T>;
  readonly positionals: readonly string[];
  readonly problems: readonly ResolvedProblem[];
  readonly warnings: readonly OptionWarning[];
}

export function resolveOptions<T extends OptionTable>(
  table: T,
  inputs: LayerInputs,
  rules: readonly OptionRule[] = [],
): ResolvedOptions<T> {
  const read = readLayers(table, inputs);
  const unread = new Set(read.problems.flatMap(({ options }) => options));
  const problems = [...read.problems, ...ruleProblems(table, read.values, rules, unread)];
  return { table, rules, inputs, ...read, problems };
}

export type ReadLayers<T extends OptionTable> = Omit<ResolvedOptions<T>, 'table' | 'rules' | 'inputs'>;

/** Every option by itself; what must hold between them is for `ruleProblems`. */
export function readLayers<T extends OptionTable>(table: T, inputs: LayerInputs): ReadLayers<T> {
  const flags = findFlags(table, inputs.args);
  const settings = settingsLayer(table, inputs.configMap);
  const problems: ResolvedProblem[] = flags.problems.map((problem) => ({ ...problem, options: [] }));
  const warnings: OptionWarning[] = [...settings.warnings];
  const values: Record<string, Sourced<unknown>> = {};
  for (const [name, row] of Object.entries(table)) {
    const found = [
      ...fromFlags(row, flags.given.get(name), flags.files.get(name)),
      ...fromEnvironment(row, inputs.env),
      ...(settings.texts.has(name) ? [settings.texts.get(name)!] : []),
    ];
    values[name] = choose(name, row, found, inputs, problems, warnings);
  }
  return { values: values as OptionValues<T>, positionals: flags.positionals, problems, warnings };
}

/** What must hold between options and does not, leaving out those that could not be read in the first place. */
export function ruleProblems(
  table: OptionTable,
  values: Readonly<Record<string, Sourced<unknown>>>,
  rules: readonly OptionRule[],
  unread: ReadonlySet<string> = new Set(),
): ResolvedProblem[] {
  const plain = plainValues(values);
  const isSet = (name: string) => values[name] !== undefined && values[name].source !== 'hardcoded';
  const problems: ResolvedProblem[] = [];
  for (const [name, row] of Object.entries(table)) {
    if (unread.has(name) || row.required === undefined || !isEmpty(plain[name])) continue;
    if (row.required !== true && !row.required.when(plain)) continue;
    const why = row.required === true ? '' : ` when ${row.required.text}`;
    const where = values[name]!.path || `--${row.flag}`;
    problems.push({ where, message: `is required${why}: set ${placesOf(row)}`, options: [name] });
  }
  for (const rule of rules) {
    if (rule.options.some((name) => unread.has(name))) continue;
    const message = rule.problem(plain, isSet);
    if (message === undefined) continue;
    const name = rule.options.find(isSet) ?? rule.options[0]!;
    const where = values[name]?.path || `--${table[name]?.flag ?? name}`;
    problems.push({ where, message, options: rule.options });
  }
  return problems;
}

export function plainValues(values: Readonly<Record<string, Sourced<unknown>>>): PlainValues {
  return Object.fromEntries(Object.entries(values).map(([name, { value }]) => [name, value]));
}

/** `--cluster-name, CLUSTER_NAME or azure.clusterName`. */
export function placesOf(row: OptionRow): string {
  const variables = envNames(row).flatMap((name) => (row.secret === true ? [name, `${name}_FILE`] : [name]));
  const places = row.secret === true ? variables : [`--${row.flag}`, ...variables];
  if (row.settingsKey !== undefined) places.push(row.settingsKey);
  return places.length < 2 ? places.join('') : `${places.slice(0, -1).join(', ')} or ${places.at(-1)}`;
}

export function sameValue(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [keysOfA, keysOfB] = [Object.keys(a), Object.keys(b)];
  return (
    keysOfA.length === keysOfB.length &&
    keysOfA.every(
      (key) =>
        Object.hasOwn(b, key) &&
        sameValue((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]),
    )
  );
}

// ---------------------------------------------------------------------------------------------------

function fromFlags(row: OptionRow, flag: GivenFlag | undefined, file: GivenFlag | undefined): FoundText[] {
  const found: FoundText[] = [];
  if (flag !== undefined) found.push({ source: 'flag', path: flag.as, texts: flag.texts, inFile: false });
  if (file !== undefined && row.secret === true) {
    found.push({ source: 'flag', path: file.as, texts: file.texts, inFile: true });
  }
  return found;
}

function fromEnvironment(row: OptionRow, env: Environment): FoundText[] {
  const found: FoundText[] = [];
  for (const name of envNames(row)) {
    const text = env[name];
    if (text !== undefined) found.push({ source: 'env', path: name, texts: [text], inFile: false });
    const file = row.secret === true ? env[`${name}_FILE`] : undefined;
    if (file !== undefined) found.push({ source: 'env', path: `${name}_FILE`, texts: [file], inFile: true });
  }
  // Of several names of one option, one that is set to nothing hides no other.
  const full = found.filter(({ texts }) => texts.some((text) => text !== ''));
  return full.length > 0 && row.secret !== true ? full : found;
}

function choose(
  name: string,
  row: OptionRow,
  found: readonly FoundText[],
  inputs: LayerInputs,
  problems: ResolvedProblem[],
  warnings: OptionWarning[],
): Sourced<unknown> {
  const [first] = found;
  if (first === undefined) return hardcoded(row.default);
  const { source, path } = first;
  const fail = (message: string) => {
    problems.push({ where: path, message, options: [name] });
    return { value: row.default, source, path };
  };
  if (row.secret === true) {
    const rival = found.find((other) => other !== first && other.source === source);
    if (rival !== undefined) return fail(`is set, and so is ${rival.path}; set only one of them`);
    if (source === 'flag' && !first.inFile) {
      const message = `exposes a secret to everyone who can list processes; use ${envNames(row)[0]} or ${envNames(row)[0]}_FILE`;
      warnings.push({ code: 'SecretOnCommandLine', where: path, message });
    }
  }
  const texts = first.inFile ? readSecretFile(first.texts.at(-1)!, inputs) : first.texts;
  if (typeof texts === 'string') return fail(texts);
  const reading = readOption(row, texts);
  if (!reading.ok) return fail(reading.message);
  for (const message of reading.doubts) warnings.push({ code: 'DoubtfulValue', where: path, message });
  if (row.unused !== undefined && !sameValue(reading.value, row.default)) {
    warnings.push({ code: 'NoEffect', where: path, message: `has no effect: ${row.unused}` });
  }
  for (const [gate, why] of Object.entries(row.unusedGates ?? {})) {
    if (sameValue(gateOf(reading.value, gate), gateOf(row.default, gate))) continue;
    const message = `feature gate ${gate} has no effect: ${why}`;
    warnings.push({ code: 'NoEffect', where: path, message });
  }
  return { value: reading.value, source, path };
}

function gateOf(gates: unknown, name: string): boolean | undefined {
  return (gates as Readonly<Record<string, boolean>> | undefined)?.[name];
}

/** The content without the line end that editors add, or what is wrong with the file. */
function readSecretFile(file: string, inputs: LayerInputs): readonly string[] | string {
  if (file === '') return 'names no file';
  try {
    return [inputs.readFile(file).replace(/\r?\n$/, '')];
  } catch (error) {
    rethrowProgramError(error);
    const code = (error as { readonly code?: unknown } | null)?.code;
    return `the file ${file} cannot be read${typeof code === 'string' ? ` (${code})` : ''}`;
  }
}
