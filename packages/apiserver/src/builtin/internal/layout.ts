/**
 * Shows a value as the server's internal type would be printed: Go's field names in Go's order, nothing left out.
 * Some errors carry such a value or the difference of two; nothing else needs it.
 */
import { PACKED_LAYOUTS } from './layout.gen.ts';

/** A versioned value in the layout of an internal type (`core.PodSpec`). */
export function internalValue(type: string, value: unknown): unknown {
  const fields = layouts()[type];
  if (fields === undefined) throw new Error(`no layout for ${type}`);
  const source = (value ?? {}) as Record<string, unknown>;
  const shown: Record<string, unknown> = {};
  for (const [name, key, kind] of fields) shown[name] = shownAs(kind, source[key]);
  return shown;
}

/** A pod's host settings are part of its security context inside the server. */
export function internalPodSpec(spec: Readonly<Record<string, unknown>>): unknown {
  const context: Record<string, unknown> = { ...(spec['securityContext'] as object) };
  for (const field of HOST_FIELDS) if (spec[field] !== undefined) context[field] = spec[field];
  return internalValue('core.PodSpec', { ...spec, securityContext: context });
}

/** A pod template: its metadata comes first, as on the wire, and has no name of its own. */
export function internalTemplate(template: Readonly<Record<string, unknown>>): unknown {
  const metadata = (template['metadata'] ?? {}) as Record<string, unknown>;
  const shown: Record<string, unknown> = {};
  for (const field of METADATA_ORDER) {
    const value = metadata[field];
    if (value !== undefined)
      shown[field] = MAPS.has(field) ? sortedMap('s', value as Record<string, unknown>) : value;
  }
  return { ...shown, Spec: internalPodSpec((template['spec'] ?? {}) as Record<string, unknown>) };
}

// ---------------------------------------------------------------------------------------------------

type Field = readonly [name: string, key: string, kind: string];

const HOST_FIELDS = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers'];
const METADATA_ORDER = [
  'name',
  'generateName',
  'namespace',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
];
const MAPS: ReadonlySet<string> = new Set(['labels', 'annotations']);
let unpacked: Readonly<Record<string, readonly Field[]>> | undefined;

function layouts(): Readonly<Record<string, readonly Field[]>> {
  unpacked ??= JSON.parse(PACKED_LAYOUTS) as Record<string, Field[]>;
  return unpacked;
}

/** What Go prints for a field that was never set. */
const ZEROS: Readonly<Record<string, unknown>> = { s: '', i: 0, b: false, q: '0' };

function shownAs(kind: string, value: unknown): unknown {
  const inner = kind.slice(1);
  const missing = value === undefined || value === null;
  switch (kind[0]) {
    case 'p':
      return missing ? null : shownAs(inner, value);
    case 'l':
      return missing ? null : (value as unknown[]).map((item) => shownAs(inner, item));
    case 'm':
      return missing ? null : sortedMap(inner, value as Record<string, unknown>);
    case 'o':
      return internalValue(kind.slice(2), value);
    default:
      return missing ? (ZEROS[kind] ?? null) : value;
  }
}

function sortedMap(kind: string, value: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const keys = Object.keys(value).sort();
  return Object.fromEntries(keys.map((key) => [key, shownAs(kind, value[key])]));
}
