/**
 * User data of Bottlerocket: the user's TOML with the settings of the node laid over it. What the user sets elsewhere is
 * kept, keys that this side does not know too.
 */
import { parse, stringify, TomlError, type TomlTable, type TomlValue } from 'smol-toml';
import type { Sourced } from '../../settings/index.ts';
import type { RenderedVariable } from '../bootstrapper.ts';
import { KUBELET_SETTINGS, type KubeletSettingRow } from './kubelet-settings.table.ts';
import { entriesOf } from './kubelet-settings.ts';
import type { NodeSettings } from './node-settings.ts';
import { type FormattedUserData, UserDataError, type UserDataWarning } from './user-data.ts';

export function bottlerocketUserData(settings: NodeSettings): FormattedUserData {
  const { path } = settings.userData;
  const own = readToml(settings.userData);
  const ownSettings = tableAt(own, 'settings', path, 'settings');
  const ownKubernetes = tableAt(ownSettings, 'kubernetes', path, 'settings.kubernetes');
  const warnings: UserDataWarning[] = Object.keys(own)
    .filter((key) => key !== 'settings')
    .map((key) => ({
      code: 'dropped',
      path,
      message: `${key} is not below [settings], and Bottlerocket reads nothing else; move it there`,
    }));

  const rows = kubernetesRows(settings);
  const kubernetes: Record<string, TomlValue> = { ...ownKubernetes };
  for (const { key, value, replaced } of rows) {
    const before = ownKubernetes[key];
    kubernetes[key] = key === 'node-labels' ? merged(before, value) : value;
    if (before !== undefined && replaced !== undefined && !same(before, value)) {
      warnings.push({
        code: 'replaced',
        path,
        message: `settings.kubernetes.${key} is replaced: ${replaced}`,
      });
    }
  }
  const all: Record<string, TomlValue> = { ...ownSettings, kubernetes };
  const disk = instanceStore(settings);
  if (disk !== undefined) {
    const commands = tableAt(ownSettings, 'bootstrap-commands', path, 'settings.bootstrap-commands');
    all['bootstrap-commands'] = { ...commands, [MOUNT]: disk.value };
  }
  return {
    text: stringify({ settings: all }, { numbersAsFloat: true }),
    values: [
      ...ownValue(settings.userData),
      ...rows.map(rendered),
      ...(disk === undefined ? [] : [rendered(disk)]),
    ],
    warnings,
  };
}

/** Whether this version binds its usual directories itself; older ones must be told which. */
export function bindsDefaultDirectories(version: string): boolean {
  if (version === 'latest') return true;
  const numbers = /^v*(\d+)\.(\d+)\.\d/.exec(version);
  if (numbers === null) return false;
  const [major, minor] = [Number(numbers[1]), Number(numbers[2])];
  return major > 1 || (major === 1 && minor >= 46);
}

// ---------------------------------------------------------------------------------------------------

const MOUNT = '000-mount-instance-storage';
const OLD_DIRECTORIES = ['/var/lib/containerd', '/var/lib/kubelet', '/var/log/pods'];

interface SettingRow {
  readonly key: string;
  readonly name: string;
  readonly group: string;
  readonly value: TomlValue;
  readonly sourced: Sourced<unknown>;
  /** What to do instead of setting it in the user data. */
  readonly replaced?: string;
}

function kubernetesRows(settings: NodeSettings): readonly SettingRow[] {
  const { clusterName, endpoint, caBundle, kubelet, labels, taints } = settings;
  const row = (
    key: string,
    group: string,
    sourced: Sourced<unknown>,
    value: TomlValue,
    replaced?: string,
  ): SettingRow => ({
    key,
    name: `settings.kubernetes.${key}`,
    group,
    sourced,
    value,
    ...(replaced === undefined ? {} : { replaced }),
  });
  const cluster = 'it is known from the cluster';
  return [
    row('cluster-name', 'cluster', clusterName, clusterName.value, cluster),
    row('api-server', 'cluster', endpoint, endpoint.value, cluster),
    ...(caBundle.value === ''
      ? []
      : [row('cluster-certificate', 'cluster', caBundle, caBundle.value, cluster)]),
    ...KUBELET_SETTINGS.flatMap((setting) => {
      const sourced = kubelet.get(setting.field);
      const value = sourced === undefined ? undefined : tomlValue(setting, sourced);
      if (sourced === undefined || setting.bottlerocket === undefined || value === undefined) return [];
      return [row(setting.bottlerocket, 'kubelet', sourced, value, `set spec.kubelet.${setting.field}`)];
    }),
    row('node-labels', 'node', labels, { ...labels.value }),
    row('node-taints', 'node', taints, taintTable(taints.value), 'set taints on the NodePool'),
  ];
}

function tomlValue(row: KubeletSettingRow, { value }: Sourced<unknown>): TomlValue | undefined {
  switch (row.type) {
    case 'integer':
      return row.bottlerocketText === true ? String(value) : BigInt(value as number);
    case 'boolean':
      return value as boolean;
    case 'list':
      return (value as readonly string[])[0];
    default:
      return Object.fromEntries(entriesOf(row, value as never));
  }
}

/** By key: `dedicated = ["batch:NoSchedule"]`. */
function taintTable(taints: NodeSettings['taints']['value']): TomlTable {
  const table = new Map<string, string[]>();
  for (const { key, value, effect } of taints) {
    table.set(key, [...(table.get(key) ?? []), `${value ?? ''}:${effect}`]);
  }
  return Object.fromEntries([...table].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function instanceStore({ instanceStorePolicy, imageVersion }: NodeSettings): SettingRow | undefined {
  if (instanceStorePolicy.value === '') return undefined;
  const bind = ['apiclient', 'ephemeral-storage', 'bind'];
  const isNew = bindsDefaultDirectories(imageVersion.value);
  const commands = [
    ['apiclient', 'ephemeral-storage', 'init'],
    isNew ? bind : [...bind, '--dirs', ...OLD_DIRECTORIES],
  ];
  return {
    key: MOUNT,
    name: `settings.bootstrap-commands.${MOUNT}`,
    group: 'storage',
    value: { commands, mode: 'always', essential: true },
    sourced: instanceStorePolicy,
  };
}

function readToml({ value, path }: Sourced<string>): TomlTable {
  try {
    return parse(value, { integersAsBigInt: true });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw new UserDataError(
      'malformedUserData',
      path,
      `line ${error.line}, column ${error.column}: it is not TOML, which Bottlerocket reads`,
    );
  }
}

function tableAt(table: TomlTable, key: string, path: string, name: string): TomlTable {
  const value = table[key];
  if (value === undefined) return {};
  if (isTable(value)) return value;
  throw new UserDataError('malformedUserData', path, `${name} is not a table`);
}

function isTable(value: TomlValue | undefined): value is TomlTable {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Date) &&
    [Object.prototype, null].includes(Object.getPrototypeOf(value))
  );
}

function merged(before: TomlValue | undefined, over: TomlValue): TomlValue {
  if (!isTable(before) || !isTable(over)) return over;
  return Object.fromEntries(Object.entries({ ...before, ...over }).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function same(a: TomlValue, b: TomlValue): boolean {
  return stringify({ a }) === stringify({ a: b });
}

function ownValue({ value, source, path }: Sourced<string>): RenderedVariable[] {
  if (value === '') return [];
  const bytes = `${Buffer.byteLength(value)} bytes`;
  return [{ name: 'own settings', group: 'own user data', value: bytes, source, path, default: '' }];
}

function rendered({ name, group, value, sourced }: SettingRow): RenderedVariable {
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return { name, group, value: text, source: sourced.source, path: sourced.path, default: '' };
}
