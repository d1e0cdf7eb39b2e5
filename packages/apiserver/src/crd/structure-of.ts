/** From a schema to the Structure that patching and server-side apply work with. */
import { definition } from '../builtin/structures.ts';
import type { Structure, StructureType } from '../structure.ts';
import type { JsonSchema } from './types.ts';

/** A whole resource: apiVersion, kind and metadata are there whether the schema says so or not. */
export function resourceStructure(schema: JsonSchema): Structure {
  const inner = structureOf(schema);
  return {
    ...inner,
    type: 'object',
    embedded: true,
    properties: { ...inner.properties, ...TYPE_META, metadata: definition(OBJECT_META) },
  };
}

// ---------------------------------------------------------------------------------------------------

const OBJECT_META = 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta';
const TYPE_META: Readonly<Record<string, Structure>> = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
};

const TYPES: ReadonlySet<string> = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean']);

function structureOf(schema: JsonSchema): Structure {
  const { items, additionalProperties, properties } = schema;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true;
  const fields = properties === undefined ? undefined : mapValues(properties, structureOf);
  return {
    type: typeOf(schema),
    ...(schema.format === undefined ? {} : { format: schema.format }),
    ...(fields === undefined && !isEmbedded
      ? {}
      : { properties: isEmbedded ? withMeta(fields ?? {}) : fields! }),
    ...(additionalProperties ? { additional: additionalOf(additionalProperties) } : {}),
    ...(items === undefined ? {} : { items: structureOf(items) }),
    ...(schema.required === undefined ? {} : { required: schema.required }),
    ...(schema.nullable ? { nullable: true } : {}),
    ...(schema.default === undefined ? {} : { default: schema.default }),
    ...(schema['x-kubernetes-preserve-unknown-fields'] ? { preserveUnknown: true } : {}),
    ...(isEmbedded ? { embedded: true } : {}),
    ...mergeRules(schema),
  };
}

function typeOf(schema: JsonSchema): StructureType {
  if (schema['x-kubernetes-int-or-string']) return 'intOrString';
  return TYPES.has(schema.type ?? '') ? (schema.type as StructureType) : 'any';
}

function additionalOf(schema: true | JsonSchema): Structure {
  return schema === true ? { type: 'any', preserveUnknown: true } : structureOf(schema);
}

function withMeta(fields: Readonly<Record<string, Structure>>): Readonly<Record<string, Structure>> {
  return { ...fields, ...TYPE_META, metadata: definition(OBJECT_META) };
}

function mergeRules(schema: JsonSchema): Pick<Structure, 'listType' | 'listKeys' | 'mapType'> {
  const listType = schema['x-kubernetes-list-type'] as Structure['listType'];
  const listKeys = schema['x-kubernetes-list-map-keys'];
  const mapType = schema['x-kubernetes-map-type'] as Structure['mapType'];
  return {
    ...(listType === undefined ? {} : { listType }),
    ...(listKeys === undefined ? {} : { listKeys }),
    ...(mapType === undefined ? {} : { mapType }),
  };
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
