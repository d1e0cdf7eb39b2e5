/**
 * The kubelet settings of a node: those of the node class, checked for type and for support by the image family, with the
 * values that the instance type and the cluster decide.
 */
import { formatDuration, isDuration, isQuantity, parseDuration } from '@chandler/kube';
import type { JsonValue, ResourceList } from '../../api/index.ts';
import type { Sourced } from '../../settings/index.ts';
import { BOOTSTRAP_FAMILIES } from './families.table.ts';
import type { AmiFamily, EksBootstrapInput } from './input.ts';
import { KUBELET_SETTINGS, type KubeletSettingRow, type KubeletValueType } from './kubelet-settings.table.ts';
import { UserDataError } from './user-data.ts';

/** By field of the kubelet's configuration file, sorted. Taints are not among them. */
export type KubeletSettings = ReadonlyMap<string, Sourced<JsonValue>>;

export interface UnsupportedKubeletField {
  readonly field: string;
  /** Completes "spec.kubelet.x: …". */
  readonly reason: string;
}

/** The fields of `spec.kubelet` that nodes of this family would not honour. Custom honours none and reports none. */
export function unsupportedKubeletFields(
  family: AmiFamily,
  kubelet: Readonly<Record<string, unknown>>,
): readonly UnsupportedKubeletField[] {
  const row = BOOTSTRAP_FAMILIES[family];
  if (row.kubelet === 'none') return [];
  return Object.keys(kubelet).flatMap((field) => {
    const reason = whyUnsupported(family, field, kubelet[field]);
    return reason === undefined ? [] : [{ field, reason }];
  });
}

/** @throws {UserDataError} for a field of another type, or one that the family does not honour. */
export function resolveKubelet(input: EksBootstrapInput): KubeletSettings {
  const { family, spec } = input.nodeClass;
  const own = (spec.kubelet ?? {}) as Readonly<Record<string, unknown>>;
  const [unsupported] = unsupportedKubeletFields(family, own);
  if (unsupported !== undefined) {
    throw new UserDataError(
      'unsupportedKubelet',
      `spec.kubelet.${unsupported.field}`,
      `${unsupported.reason}; remove it, or use another image family`,
    );
  }
  const settings = new Map<string, Sourced<JsonValue>>();
  for (const [field, value] of Object.entries(own)) {
    if (value === undefined || value === null) continue;
    settings.set(field, { value: value as JsonValue, source: 'NodeClass', path: `spec.kubelet.${field}` });
  }
  const { maxPods, kubeReserved, systemReserved } = input.node;
  if (typeof own['maxPods'] !== 'number') settings.set('maxPods', maxPods);
  for (const [field, evaluated] of Object.entries({ kubeReserved, systemReserved })) {
    if (evaluated !== undefined) settings.set(field, resolvedReservation(evaluated, field));
  }
  const dnsIp = input.cluster.dnsIp;
  const ownDns = own['clusterDNS'];
  const hasOwnDns = ownDns !== undefined && !(Array.isArray(ownDns) && ownDns.length === 0);
  if (!hasOwnDns && dnsIp.value !== '') settings.set('clusterDNS', { ...dnsIp, value: [dnsIp.value] });
  for (const row of KUBELET_SETTINGS) checkType(row, settings.get(row.field)?.value);
  return new Map(
    [...settings]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([field, setting]) => [field, { ...setting, value: sorted(setting.value) }]),
  );
}

/** A map as texts, sorted by key; durations as Go writes them. */
export function entriesOf(row: KubeletSettingRow, value: JsonValue): readonly (readonly [string, string])[] {
  const write = row.type === 'durations' ? (text: string) => formatDuration(parseDuration(text)) : String;
  return Object.entries(value as Record<string, string | number>)
    .map(([key, each]) => [key, write(String(each))] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

// ---------------------------------------------------------------------------------------------------

const LISTED: ReadonlySet<string> = new Set(KUBELET_SETTINGS.map(({ field }) => field));

function whyUnsupported(family: AmiFamily, field: string, value: unknown): string | undefined {
  const row = BOOTSTRAP_FAMILIES[family];
  if (field === 'registerWithTaints') return 'taints of a node are set on its NodePool';
  if (row.kubelet === 'listed' && (!LISTED.has(field) || row.refuses.includes(field))) {
    return `nodes of the image family ${family} do not honour this setting`;
  }
  if (field === 'clusterDNS' && Array.isArray(value) && value.length > row.maxDnsServers) {
    return `nodes of the image family ${family} have one DNS server, not ${value.length}`;
  }
  return undefined;
}

/** Keys in order, at every depth: the same settings always give the same bytes. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, each]) => [key, sorted(each as JsonValue)]),
  );
}

function resolvedReservation(evaluated: ResourceList, field: string): Sourced<JsonValue> {
  const value = Object.fromEntries(Object.entries(evaluated).map(([name, amount]) => [name, String(amount)]));
  return { value, source: 'computed', path: `spec.kubelet.${field}, instance type` };
}

const TYPES: Readonly<Record<KubeletValueType, { expected: string; fits(value: unknown): boolean }>> = {
  integer: { expected: 'a whole number', fits: Number.isInteger },
  boolean: { expected: 'true or false', fits: (value) => typeof value === 'boolean' },
  list: { expected: 'a list of texts', fits: (value) => Array.isArray(value) && value.every(isText) },
  quantities: {
    expected: 'a map of quantities such as 100m; an expression is evaluated for each instance type first',
    fits: (value) => isMapOf(value, isQuantityText),
  },
  thresholds: {
    expected: 'a map of quantities or percentages',
    fits: (value) => isMapOf(value, (each) => isQuantityText(each) || /^[\d.]+%$/.test(String(each))),
  },
  durations: {
    expected: 'a map of durations such as 2m',
    fits: (value) => isMapOf(value, isDuration),
  },
};

function checkType(row: KubeletSettingRow, value: unknown): void {
  if (value === undefined || TYPES[row.type].fits(value)) return;
  throw new UserDataError(
    'invalidValue',
    `spec.kubelet.${row.field}`,
    `expected ${TYPES[row.type].expected}`,
  );
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isQuantityText(value: unknown): boolean {
  return (isText(value) || typeof value === 'number') && isQuantity(String(value));
}

function isMapOf(value: unknown, fits: (value: unknown) => boolean): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((each) => fits(each))
  );
}
