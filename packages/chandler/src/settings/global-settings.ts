/**
 * Settings that change while the controller runs: what takes effect at once, what waits for a restart, what is
 * refused. Watching the ConfigMap is the operator's; each state it sees is fed in here.
 */
import { optionText } from './option-readers.ts';
import type { OptionProblem, OptionTable, OptionValues, OptionWarning } from './option-row.ts';
import { type ResolvedOptions, readLayers, ruleProblems, sameValue } from './resolve-options.ts';
import { GLOBAL_SETTINGS_NAME, type SettingsData } from './settings-layer.ts';
import type { Source, Sourced } from './sourced.ts';

export interface OptionChange {
  readonly name: string;
  readonly from: Sourced<unknown>;
  readonly to: Sourced<unknown>;
}

export interface SettingsChange<T extends OptionTable = OptionTable> {
  /** Feed this to the next change. */
  readonly next: ResolvedOptions<T>;
  readonly values: OptionValues<T>;
  /** In force now. */
  readonly changed: readonly OptionChange[];
  /** Differs from what runs; the running value stays until a restart. */
  readonly needRestart: readonly OptionChange[];
  readonly warnings: readonly OptionWarning[];
}

/**
 * One step: the values that hold after the ConfigMap became this, or went away. Files of secrets are read again too.
 * A value that is bad, or does not go together with others, leaves the option as it was and is a warning.
 */
export function applySettingsChange<T extends OptionTable>(
  previous: ResolvedOptions<T>,
  configMap: SettingsData | undefined,
): SettingsChange<T> {
  const { table, rules } = previous;
  const inputs = { ...previous.inputs, configMap };
  const wanted = readLayers(table, inputs);
  const unread = new Set(wanted.problems.flatMap(({ options }) => options));
  const merged = mergeValues(table, previous.values, wanted.values, unread);
  const warnings: OptionWarning[] = [
    ...wanted.warnings,
    ...wanted.problems.map((problem) => badValue(problem, STILL_USED)),
  ];
  for (const problem of ruleProblems(table, merged.values, rules)) {
    const reverted = problem.options.filter((name) => merged.changed.delete(name));
    for (const name of reverted) merged.values[name] = (previous.values as AnyValues)[name]!;
    if (reverted.length > 0) warnings.push(badValue(problem, STILL_USED));
  }
  const waiting = new Set(merged.needRestart.map(({ name }) => name));
  for (const problem of ruleProblems(table, wanted.values, rules, unread)) {
    if (!problem.options.some((name) => waiting.has(name))) continue;
    warnings.push(badValue(problem, 'the controller cannot start with this value'));
  }
  const values = merged.values as OptionValues<T>;
  const next = { ...previous, inputs, values, warnings };
  return { next, values, changed: [...merged.changed.values()], needRestart: merged.needRestart, warnings };
}

/** The options of the running controller; the watcher of the ConfigMap updates them. */
export class GlobalSettings<T extends OptionTable> {
  #current: ResolvedOptions<T>;
  #needRestart: readonly OptionChange[] = [];
  readonly #listeners = new Set<(change: SettingsChange<T>) => void>();

  constructor(start: ResolvedOptions<T>) {
    if (start.problems.length > 0) throw new Error('invalid options cannot be used');
    this.#current = start;
  }

  /** Read at the moment of use: options marked `runtime` change. */
  get values(): OptionValues<T> {
    return this.#current.values;
  }

  /** What a restart would change. */
  get needRestart(): readonly OptionChange[] {
    return this.#needRestart;
  }

  /** The ConfigMap as it is now, or undefined when it is gone. Others of another name are not for us. */
  update(configMap: ConfigMapObject | undefined): SettingsChange<T> | undefined {
    if (configMap !== undefined && configMap.metadata.name !== GLOBAL_SETTINGS_NAME) return undefined;
    return this.#apply(configMap?.data ?? undefined);
  }

  /** Reads the files of secrets again. */
  reload(): SettingsChange<T> {
    return this.#apply(this.#current.inputs.configMap);
  }

  /** @returns what ends it. */
  onChange(listener: (change: SettingsChange<T>) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #apply(data: SettingsData | undefined): SettingsChange<T> {
    const change = applySettingsChange(this.#current, data);
    this.#current = change.next;
    this.#needRestart = change.needRestart;
    for (const listener of this.#listeners) listener(change);
    return change;
  }
}

export interface ConfigMapObject {
  readonly metadata: { readonly name?: string };
  readonly data?: SettingsData | undefined;
}

export interface SettingsEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** What is to be said on the ConfigMap about a change, one event per reason. No value of a secret is in them. */
export function settingsEvents(change: SettingsChange): SettingsEvent[] {
  const events: SettingsEvent[] = [];
  const show = ({ name, from, to }: OptionChange) => {
    const row = change.next.table[name]!;
    if (row.secret === true) return row.flag;
    const [before, after] = [from, to].map(({ value }) => optionText(row, value) || 'empty');
    if (before !== after) return `${row.flag} (${before} → ${after})`;
    return `${row.flag} (${after}, from ${SOURCE_WORDS[to.source]} instead of ${SOURCE_WORDS[from.source]})`;
  };
  if (change.changed.length > 0) {
    events.push({
      type: 'Normal',
      reason: 'SettingsChanged',
      message: `applied: ${change.changed.map(show).join(', ')}`,
    });
  }
  if (change.needRestart.length > 0) {
    const message = `restart the controller to apply: ${change.needRestart.map(show).join(', ')}`;
    events.push({ type: 'Warning', reason: 'SettingsNeedRestart', message });
  }
  for (const { code, where, message } of change.warnings) {
    const reason = EVENT_REASONS[code];
    // The other warnings are about flags and variables; they were logged at the start.
    if (reason !== undefined && where.startsWith(GLOBAL_SETTINGS_NAME)) {
      events.push({ type: 'Warning', reason, message: `${where}: ${message}` });
    }
  }
  return events;
}

// ---------------------------------------------------------------------------------------------------

type AnyValues = Readonly<Record<string, Sourced<unknown>>>;

interface Merged {
  readonly values: Record<string, Sourced<unknown>>;
  readonly changed: Map<string, OptionChange>;
  readonly needRestart: OptionChange[];
}

/** What runs, with those new values that may be taken at once. */
function mergeValues(
  table: OptionTable,
  before: AnyValues,
  after: AnyValues,
  unread: ReadonlySet<string>,
): Merged {
  const merged: Merged = { values: { ...before }, changed: new Map(), needRestart: [] };
  for (const [name, row] of Object.entries(table)) {
    const [from, to] = [before[name]!, after[name]!];
    if (unread.has(name)) continue;
    if (row.runtime === true) {
      merged.values[name] = to;
      if (!sameValue(from.value, to.value)) merged.changed.set(name, { name, from, to });
    } else if (!sameValue(from, to)) {
      // A value equal to the default counts as set after a restart: rules between options look at the source.
      merged.needRestart.push({ name, from, to });
    }
  }
  return merged;
}

const SOURCE_WORDS: Readonly<Record<Source, string>> = {
  hardcoded: 'the default',
  flag: 'a flag',
  env: 'the environment',
  settings: 'the ConfigMap',
  NodePool: 'a NodePool',
  NodeClass: 'a node class',
  cluster: 'the cluster',
  computed: 'a computation',
};

const STILL_USED = 'the previous value is still used, and the controller cannot start again with this one';

function badValue({ where, message }: OptionProblem, consequence: string): OptionWarning {
  return { code: 'BadValue', where, message: `${message}; ${consequence}` };
}

const EVENT_REASONS: Readonly<Partial<Record<OptionWarning['code'], string>>> = {
  UnknownKey: 'SettingsUnknownKey',
  SecretRefused: 'SettingsSecretRefused',
  BadValue: 'SettingsBadValue',
  DoubtfulValue: 'SettingsDoubtfulValue',
  NoEffect: 'SettingsNoEffect',
};
