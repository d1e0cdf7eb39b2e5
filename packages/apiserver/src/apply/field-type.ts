/**
 * How a value merges: a Structure read as server-side apply reads it. Decides which lists and maps are taken as a
 * whole, which by item, and by which keys; knows nothing of ownership. Compiled once per Structure.
 */
import type { Structure } from '../structure.ts';

/** A value may be of more than one form (an unknown value is of all three): what it is decides which one holds. */
export interface FieldType {
  scalar?: ScalarType;
  list?: ListType;
  map?: MapType;
}

/** `untyped` is any scalar: quantities, int-or-string, times. */
export type ScalarType = 'string' | 'numeric' | 'boolean' | 'untyped';

export interface ListType {
  readonly atomic: boolean;
  /** Names of the key fields of items, in order of name; undefined for a list of distinct scalars. */
  readonly keys: readonly ListKey[] | undefined;
  readonly items: FieldType;
}

export interface ListKey {
  readonly name: string;
  /** What an item without this field is taken to have. */
  readonly default: unknown;
}

export interface MapType {
  readonly atomic: boolean;
  readonly fields: ReadonlyMap<string, NamedField> | undefined;
  /** The type of values under names that are not in `fields`; undefined where there may be none. */
  readonly element: FieldType | undefined;
}

export interface NamedField {
  /** The name as written in a field set: `f:name`. */
  readonly key: string;
  readonly type: FieldType;
}

export function fieldTypeOf(structure: Structure): FieldType {
  return compile(structure, false);
}

/** A value of unknown shape, taken as a whole. */
const UNTYPED_ATOMIC: FieldType = { scalar: 'untyped' };
UNTYPED_ATOMIC.list = { atomic: true, keys: undefined, items: UNTYPED_ATOMIC };
UNTYPED_ATOMIC.map = { atomic: true, fields: undefined, element: UNTYPED_ATOMIC };

/** A value of unknown shape: maps by key, all the rest as a whole. */
export const DEDUCED: FieldType = { scalar: 'untyped' };
DEDUCED.list = { atomic: true, keys: undefined, items: UNTYPED_ATOMIC };
DEDUCED.map = { atomic: false, fields: undefined, element: DEDUCED };

// ---------------------------------------------------------------------------------------------------

const RAW_EXTENSION = 'io.k8s.apimachinery.pkg.runtime.RawExtension';

const compiled = new WeakMap<Structure, FieldType>();
/** Below a node that keeps unknown fields: there, objects keep them too. */
const compiledKeeping = new WeakMap<Structure, FieldType>();

function compile(structure: Structure, inherited: boolean): FieldType {
  const keeps = inherited || structure.preserveUnknown === true;
  const cache = keeps ? compiledKeeping : compiled;
  const known = cache.get(structure);
  if (known !== undefined) return known;
  const type: FieldType = {};
  // Before its parts, since a structure may contain itself.
  cache.set(structure, type);
  if (structure.name === RAW_EXTENSION) return Object.assign(type, UNTYPED_ATOMIC);
  const scalar = SCALARS[structure.type];
  if (scalar !== undefined) type.scalar = scalar(structure);
  if (structure.type === 'array' || structure.type === 'any') type.list = listTypeOf(structure, keeps);
  if (structure.type === 'object' || structure.type === 'any') type.map = mapTypeOf(structure, keeps);
  return type;
}

const SCALARS: Partial<Record<Structure['type'], (structure: Structure) => ScalarType>> = {
  string: ({ format }) => (format === undefined || format === '' || format === 'byte' ? 'string' : 'untyped'),
  integer: () => 'numeric',
  number: () => 'numeric',
  boolean: () => 'boolean',
  quantity: () => 'untyped',
  intOrString: () => 'untyped',
  any: () => 'untyped',
};

function listTypeOf(structure: Structure, keeps: boolean): ListType {
  const { items } = structure;
  const { atomic, keyNames } = listRelation(structure);
  const keys = keyNames?.map((name) => ({ name, default: items?.properties?.[name]?.default }));
  keys?.sort((a, b) => (a.name < b.name ? -1 : 1));
  return { atomic, keys, items: items === undefined ? UNTYPED_ATOMIC : compile(items, keeps) };
}

/** Where a built-in list does not say its type, its patch strategy does. */
function listRelation(structure: Structure): { atomic: boolean; keyNames: readonly string[] | undefined } {
  switch (structure.listType) {
    case 'atomic':
      return { atomic: true, keyNames: undefined };
    case 'set':
      return { atomic: false, keyNames: undefined };
    case 'map':
      return { atomic: false, keyNames: structure.listKeys ?? [] };
    default:
      if (structure.patchStrategy === undefined || !structure.patchStrategy.startsWith('merge')) {
        return { atomic: true, keyNames: undefined };
      }
      return {
        atomic: false,
        keyNames: structure.patchMergeKey === undefined ? undefined : [structure.patchMergeKey],
      };
  }
}

function mapTypeOf(structure: Structure, keeps: boolean): MapType {
  const entries = Object.entries(structure.properties ?? {});
  const fields =
    entries.length === 0
      ? undefined
      : new Map(entries.map(([name, field]) => [name, { key: `f:${name}`, type: compile(field, keeps) }]));
  return {
    atomic: structure.mapType === 'atomic',
    fields,
    element: elementOf(structure, fields === undefined, keeps),
  };
}

function elementOf(structure: Structure, hasNoFields: boolean, keeps: boolean): FieldType | undefined {
  if (structure.additional !== undefined) return compile(structure.additional, keeps);
  return keeps || hasNoFields ? DEDUCED : undefined;
}
