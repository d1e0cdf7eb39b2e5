/**
 * Structures as OpenAPI schemas. Built-in kinds are made of named definitions that refer to each other, so a
 * definition is rendered once, however often and however recursively it is used; a custom resource brings its own
 * schema with descriptions.
 */
import type { Catalogue, Resource } from '../../resource.ts';
import type { Structure } from '../../structure.ts';
import { STATIC_DEFINITIONS } from './static-definitions.ts';

export type Schema = Record<string, unknown>;

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
export const OBJECT_META = `${META}ObjectMeta`;
export const LIST_META = `${META}ListMeta`;
export const PATCH = `${META}Patch`;
export const DELETE_OPTIONS = `${META}DeleteOptions`;

/** The definitions of one document: asking for a reference brings in what it refers to. */
export class DefinitionSet {
  readonly #catalogue: Catalogue;
  readonly #rendered = new Map<string, Schema>();
  readonly #waiting = new Map<string, Structure>();
  readonly #kinds: ReadonlyMap<string, Resource>;

  constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
    this.#kinds = new Map(catalogue.all().map((resource) => [definitionName(resource), resource]));
  }

  /** The reference to a resource's own kind. */
  kind(resource: Resource): Schema {
    const name = definitionName(resource);
    if (!this.#rendered.has(name)) {
      this.#rendered.set(name, {});
      this.#rendered.set(
        name,
        isCustom(resource) ? this.#customKind(resource) : this.#definition(resource.structure, name),
      );
    }
    return reference(name);
  }

  list(resource: Resource): Schema {
    const name = `${definitionName(resource)}List`;
    if (!this.#rendered.has(name)) {
      this.#rendered.set(name, {
        type: 'object',
        description: `A list of ${resource.kind} objects.`,
        required: ['items'],
        properties: {
          apiVersion: { type: 'string' },
          items: { type: 'array', items: this.kind(resource) },
          kind: { type: 'string' },
          metadata: this.named(LIST_META),
        },
        'x-kubernetes-group-version-kind': [gvk(resource.group, resource.version, resource.listKind)],
      });
    }
    return reference(name);
  }

  /** The kind that a subresource speaks; of unknown shape when no resource has it. */
  spoken(group: string, version: string, kind: string): Schema {
    const found = this.#catalogue
      .all()
      .find((one) => one.group === group && one.version === version && one.kind === kind);
    return found === undefined ? { type: 'object' } : this.kind(found);
  }

  /** One of the definitions that every server has. */
  named(name: string): Schema {
    if (this.#rendered.has(name)) return reference(name);
    const fixed = STATIC_DEFINITIONS[name];
    if (fixed === undefined) throw new Error(`no definition ${name}`);
    this.#rendered.set(name, fixed.schema);
    for (const needed of fixed.needs ?? []) this.named(needed);
    return reference(name);
  }

  render(): Record<string, Schema> {
    for (const [name, structure] of this.#waiting) {
      this.#waiting.delete(name);
      this.#rendered.set(name, this.#definition(structure, name));
    }
    const names = [...this.#rendered.keys()].sort();
    return Object.fromEntries(names.map((name) => [name, this.#rendered.get(name)!]));
  }

  #definition(structure: Structure, name: string): Schema {
    const resource = this.#kinds.get(name);
    return {
      ...(resource === undefined ? {} : { description: KIND_DESCRIPTION }),
      ...this.#shape(structure),
      ...(resource === undefined
        ? {}
        : { 'x-kubernetes-group-version-kind': [gvk(resource.group, resource.version, resource.kind)] }),
    };
  }

  /** A field: by reference where its shape has a name, with the extensions that belong to the field. */
  #field(structure: Structure): Schema {
    if (structure.name === undefined) return this.#shape(structure);
    if (!this.#rendered.has(structure.name)) {
      this.#rendered.set(structure.name, {});
      this.#waiting.set(structure.name, structure);
    } else if (this.#waiting.get(structure.name)?.mapType === 'granular') {
      // A field may loosen what its definition says; the definition is better read from another field.
      this.#waiting.set(structure.name, structure);
    }
    const beside: Schema = structure.default === undefined ? {} : { default: structure.default };
    if (structure.mapType === 'granular') beside['x-kubernetes-map-type'] = 'granular';
    Object.assign(beside, patchExtensions(structure));
    const target = reference(structure.name);
    return Object.keys(beside).length === 0 ? target : { ...beside, allOf: [target] };
  }

  #shape(structure: Structure): Schema {
    const schema: Schema = { ...typeOf(structure) };
    if (structure.format !== undefined) schema['format'] = structure.format;
    if (structure.nullable) schema['nullable'] = true;
    if (structure.default !== undefined && structure.name === undefined)
      schema['default'] = structure.default;
    if (structure.required !== undefined && structure.required.length > 0)
      schema['required'] = structure.required;
    if (structure.properties !== undefined) {
      const properties: Record<string, Schema> = {};
      for (const key of Object.keys(structure.properties))
        properties[key] = this.#field(structure.properties[key]!);
      schema['properties'] = properties;
    }
    if (structure.additional !== undefined)
      schema['additionalProperties'] = this.#field(structure.additional);
    if (structure.items !== undefined) schema['items'] = this.#field(structure.items);
    const patching = structure.name === undefined ? patchExtensions(structure) : {};
    return Object.assign(schema, mergeExtensions(structure), patching);
  }

  #customKind(resource: Resource): Schema {
    const own: Schema = resource.openApiSchema ?? this.#shape(resource.structure);
    const properties = (own['properties'] ?? {}) as Record<string, unknown>;
    const { type: _type, properties: _properties, ...rest } = own;
    return {
      type: 'object',
      ...rest,
      properties: {
        apiVersion: {
          type: 'string',
          description: 'The group and version under which the object is written.',
        },
        kind: { type: 'string', description: 'The kind of the object.' },
        metadata: {
          description: 'Name, labels and what else every object has.',
          allOf: [this.#objectMeta()],
        },
        ...withoutTypeMeta(properties),
      },
      'x-kubernetes-group-version-kind': [gvk(resource.group, resource.version, resource.kind)],
    };
  }

  /** Taken from a built-in kind, which has it in full. */
  #objectMeta(): Schema {
    for (const resource of this.#catalogue.all()) {
      const metadata = resource.structure.properties?.['metadata'];
      if (metadata?.name === OBJECT_META) {
        this.#field(metadata);
        return reference(OBJECT_META);
      }
    }
    return { type: 'object' };
  }
}

export function gvk(group: string, version: string, kind: string): Schema {
  return { group, kind, version };
}

/** The structure's own name, or, for a custom resource, its group turned around: `com.example.v1.Widget`. */
export function definitionName(resource: Resource): string {
  if (resource.structure.name !== undefined) return resource.structure.name;
  return [...resource.group.split('.').toReversed(), resource.version, resource.kind].join('.');
}

// ---------------------------------------------------------------------------------------------------

/** `kubectl explain` prints it above the fields. */
const KIND_DESCRIPTION =
  'This server lists the fields and types of built-in kinds without descriptions; see https://kubernetes.io/docs/reference/kubernetes-api/.';

const TYPES: Readonly<Record<Structure['type'], Schema>> = {
  object: { type: 'object' },
  array: { type: 'array' },
  string: { type: 'string' },
  integer: { type: 'integer' },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  quantity: { oneOf: [{ type: 'string' }, { type: 'number' }] },
  intOrString: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  any: { type: 'object' },
};

/** The JSON inside of a CRD's schema is anything at all, not only an object. */
function typeOf(structure: Structure): Schema {
  const anything = structure.name === undefined || structure.name.includes('.apiextensions.v1.JSON');
  return structure.type === 'any' && anything ? {} : TYPES[structure.type];
}

function reference(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

function isCustom(resource: Resource): boolean {
  return resource.structure.name === undefined;
}

function mergeExtensions(structure: Structure): Schema {
  return {
    ...(structure.listKeys === undefined ? {} : { 'x-kubernetes-list-map-keys': structure.listKeys }),
    ...(structure.listType === undefined ? {} : { 'x-kubernetes-list-type': structure.listType }),
    ...(structure.mapType === undefined || (structure.mapType === 'granular' && structure.name !== undefined)
      ? {}
      : { 'x-kubernetes-map-type': structure.mapType }),
    ...(structure.preserveUnknown && structure.name === undefined
      ? { 'x-kubernetes-preserve-unknown-fields': true }
      : {}),
    ...(structure.embedded ? { 'x-kubernetes-embedded-resource': true } : {}),
  };
}

function patchExtensions(structure: Structure): Schema {
  return {
    ...(structure.patchMergeKey === undefined
      ? {}
      : { 'x-kubernetes-patch-merge-key': structure.patchMergeKey }),
    ...(structure.patchStrategy === undefined
      ? {}
      : { 'x-kubernetes-patch-strategy': structure.patchStrategy }),
  };
}

function withoutTypeMeta(properties: Record<string, unknown>): Record<string, unknown> {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...rest } = properties;
  return rest;
}
