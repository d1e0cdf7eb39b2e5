/**
 * `chandler migrate-values`: makes values of our chart of those of Karpenter's, and says of every key what became of it. It reads no
 * file and no cluster.
 */
import type { OptionTable } from '../settings/index.ts';
import {
  DROPPED_KEYS,
  DROPPED_VARIABLES,
  KEPT_KEYS,
  SIGNS,
  UNSUPPORTED_KEYS,
} from './karpenter-keys.table.ts';
import { convertOption, type Gates } from './migrate-option.ts';
import { gateName, type OptionKey, optionKeys } from './option-keys.ts';

/** `unknown`: the key or its value is not understood, and the result lacks it. */
export type KeyAction = 'kept' | 'renamed' | 'dropped' | 'unknown';

export interface KeyReport {
  /** `settings.clusterName`, `controller.env[ARM_CLOUD]`. */
  readonly key: string;
  readonly action: KeyAction;
  /** Where it stands now. */
  readonly to?: string;
  readonly reason?: string;
}

export interface Migration {
  readonly values: PlainObject;
  readonly keys: readonly KeyReport[];
}

export type PlainObject = { [key: string]: unknown };

/** The cloud of these values, or undefined where nothing tells it, or both are there. */
export function cloudOfValues(given: unknown): 'azure' | 'aws' | undefined {
  const values = ownValues(given).values;
  const variables = entriesOf(valueAt(values, ['controller', 'env'])).map(({ name }) => String(name));
  const image = String(valueAt(values, ['controller', 'image', 'repository']) ?? '');
  const found = SIGNS.filter(
    (sign) =>
      sign.paths.some((path) => !isEmpty(valueAt(values, path))) ||
      variables.some((name) => sign.variables.test(name)) ||
      sign.image.test(image),
  );
  return found.length === 1 ? found[0]!.cloud : undefined;
}

/** @param table the options of the controller on this cloud. */
export function migrateValues(given: unknown, cloud: string, table: OptionTable): Migration {
  const { values, prefix } = ownValues(given);
  const result: PlainObject = { cloud };
  const keys: KeyReport[] = [];
  const state: State = { result, keys, prefix, options: optionKeys(table), account: accountOf(values) };
  walk(state, values, []);
  if (state.account === 'unnamed')
    report(state, 'serviceAccount.name', {
      action: 'unknown',
      reason: 'serviceAccount.create is false: name the ServiceAccount that Chandler runs as',
    });
  // Karpenter's chart appends them to its own variables, so they take precedence over settings.
  for (const entry of entriesOf(valueAt(values, ['controller', 'env']))) migrateVariable(state, entry);
  return { values: result, keys };
}

// ---------------------------------------------------------------------------------------------------

interface State {
  readonly result: PlainObject;
  readonly keys: KeyReport[];
  /** `karpenter.` where the values are those of an umbrella chart. */
  readonly prefix: string;
  readonly options: readonly OptionKey[];
  /** `foreign`: the ServiceAccount is made outside of the chart, and does not go with Karpenter's release. */
  readonly account: 'own' | 'foreign' | 'unnamed';
}

function accountOf(values: PlainObject): State['account'] {
  if (valueAt(values, ['serviceAccount', 'create']) !== false) return 'own';
  return isEmpty(valueAt(values, ['serviceAccount', 'name'])) ? 'unnamed' : 'foreign';
}

/** Below `karpenter` in an umbrella chart. */
function ownValues(given: unknown): { readonly values: PlainObject; readonly prefix: string } {
  const values = isObject(given) ? given : {};
  const [only, ...others] = Object.keys(values);
  const nested = values['karpenter'];
  return only === 'karpenter' && others.length === 0 && isObject(nested)
    ? { values: nested, prefix: 'karpenter.' }
    : { values, prefix: '' };
}

function walk(state: State, values: PlainObject, above: readonly string[]): void {
  for (const [name, value] of Object.entries(values)) {
    const path = [...above, name];
    const key = path.join('.');
    if (key === 'controller.env') {
      if (!Array.isArray(value))
        report(state, key, { action: 'unknown', reason: 'expected a list of variables' });
    } else if (!migrateKey(state, key, value)) {
      if (isObject(value) && hasKeysBelow(key)) walk(state, value, path);
      else report(state, key, { action: 'unknown', reason: 'no chart of Karpenter 1.x has this key' });
    }
  }
}

/** False: no table knows the key itself. */
function migrateKey(state: State, key: string, value: unknown): boolean {
  if (key === 'cloud' || key === 'global') {
    report(state, key, { action: 'dropped', reason: "it is not a key of Karpenter's charts" });
    return true;
  }
  if (key === 'serviceAccount.name' && state.account !== 'own') {
    if (state.account === 'foreign') keep(state, key, value);
    return true;
  }
  const dropped = Object.hasOwn(DROPPED_KEYS, key) ? DROPPED_KEYS[key] : undefined;
  const unsupported = Object.hasOwn(UNSUPPORTED_KEYS, key) ? UNSUPPORTED_KEYS[key] : undefined;
  if (dropped !== undefined) report(state, key, { action: 'dropped', reason: dropped });
  else if (value === null) report(state, key, { action: 'dropped', reason: 'it is empty' });
  else if (unsupported !== undefined)
    report(state, key, { action: isEmpty(value) ? 'dropped' : 'unknown', reason: unsupported });
  else if (KEPT_KEYS.includes(key)) keep(state, key, value);
  else return migrateOption(state, key, value);
  return true;
}

function migrateOption(state: State, key: string, value: unknown): boolean {
  const option = state.options.find(({ path, place }) => place === 'settings' && path === key);
  if (option === undefined) return false;
  if (option.row.type === 'gates') migrateGates(state, option, value);
  else if (value === '' && option.row.default === '')
    report(state, key, { action: 'dropped', reason: 'it is empty, which is the default' });
  else setOption(state, key, option, value);
  return true;
}

function migrateGates(state: State, { path, row }: OptionKey, value: unknown): void {
  const known = Object.keys(row.default as Gates).map(gateName);
  for (const [gate, on] of Object.entries(isObject(value) ? value : {})) {
    const key = `${path}.${gate}`;
    if (Object.hasOwn(DROPPED_KEYS, key))
      report(state, key, { action: 'dropped', reason: DROPPED_KEYS[key]! });
    else if (!known.includes(gate))
      report(state, key, { action: 'unknown', reason: 'there is no such feature gate' });
    else if (typeof on !== 'boolean')
      report(state, key, { action: 'unknown', reason: 'expected true or false' });
    else keep(state, key, on);
  }
}

function migrateVariable(state: State, entry: PlainObject): void {
  const name = String(entry['name']);
  const key = `controller.env[${name}]`;
  const option = state.options.find(({ row }) => [row.env ?? []].flat().includes(name));
  const dropped = Object.hasOwn(DROPPED_VARIABLES, name) ? DROPPED_VARIABLES[name] : undefined;
  if (dropped !== undefined) report(state, key, { action: 'dropped', reason: dropped });
  else if (option?.place === 'secret') moveSecret(state, key, option, entry);
  else if (option === undefined || typeof entry['value'] !== 'string') {
    const env = (valueAt(state.result, ['controller', 'env']) ?? []) as unknown[];
    put(state.result, 'controller.env', [...env, entry]);
    const reason =
      option === undefined ? 'it is no option; the process gets it' : 'its value is not in this file';
    report(state, key, { action: 'kept', reason });
  } else setOption(state, key, option, entry['value']);
}

/** A secret does not stand in values, nor in what is printed. */
function moveSecret(state: State, key: string, { option, path }: OptionKey, entry: PlainObject): void {
  const ref = valueAt(entry, ['valueFrom', 'secretKeyRef']);
  const known = isObject(ref) && typeof ref['name'] === 'string' && typeof ref['key'] === 'string';
  put(state.result, path, known ? { name: ref['name'], key: ref['key'] } : { name: 'chandler', key: option });
  const create = `it is a secret: put its value into the key ${option} of a Secret named chandler`;
  report(state, key, { action: 'renamed', to: path, ...(known ? {} : { reason: create }) });
}

function setOption(state: State, key: string, { path, row }: OptionKey, value: unknown): void {
  const converted = convertOption(row, value);
  if ('problem' in converted) {
    report(state, key, { action: 'unknown', reason: converted.problem });
    return;
  }
  put(state.result, path, converted.value);
  report(state, key, path === key ? { action: 'kept' } : { action: 'renamed', to: path });
}

function keep(state: State, key: string, value: unknown): void {
  put(state.result, key, value);
  report(state, key, { action: 'kept' });
}

function report({ keys, prefix }: State, key: string, rest: Omit<KeyReport, 'key'>): void {
  keys.push({ key: `${prefix}${key}`, ...rest });
}

const KNOWN = [
  ...KEPT_KEYS,
  ...Object.keys(DROPPED_KEYS),
  ...Object.keys(UNSUPPORTED_KEYS),
  'settings.',
  'controller.',
];

function hasKeysBelow(key: string): boolean {
  return KNOWN.some((known) => known.startsWith(`${key}.`));
}

function put(values: PlainObject, path: string, value: unknown): void {
  const steps = path.split('.');
  let at = values;
  for (const step of steps.slice(0, -1)) {
    at[step] ??= {};
    at = at[step] as PlainObject;
  }
  at[steps.at(-1)!] = value;
}

function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (at, step) => (isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined),
    values,
  );
}

function entriesOf(list: unknown): PlainObject[] {
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function isObject(value: unknown): value is PlainObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    value === '' ||
    (isObject(value) && Object.keys(value).length === 0)
  );
}
