/**
 * From a CustomResourceDefinition to what the API server serves: one `Resource` per served version.
 * Whether a definition is valid is decided in `definition.ts`; how an object is checked, in `strategy.ts`.
 */
import type { KubeObject } from '@chandler/kube';
import { customColumns } from '../edge/columns/custom.ts';
import { compareVersions } from '../edge/version-order.ts';
import type { Resource, SelectableField, Storage, Subresource, Verb } from '../resource.ts';
import { ownField } from '../storage/json.ts';
import { isFields } from './correlate.ts';
import { publishedSchema } from './published-schema.ts';
import { CustomStrategy } from './strategy.ts';
import { resourceStructure } from './structure-of.ts';
import { type CrdNames, type CrdSpec, type CrdVersion, type JsonSchema, specOf, statusOf } from './types.ts';

/** One resource per served version, in the order of `spec.versions`. Rules and schemas are compiled here, once. */
export function resourcesOf(crd: KubeObject): Resource[] {
  const spec = specOf(crd);
  const names = statusOf(crd).acceptedNames ?? spec.names;
  const strategies = new Map(
    spec.versions.map((version) => [version.name, strategyOf(spec, names, version)]),
  );
  const served = spec.versions.filter((version) => version.served);
  return served.map((version) => resourceOf(spec, names, version, strategies));
}

// ---------------------------------------------------------------------------------------------------

const VERBS: readonly Verb[] = [
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'create',
  'update',
  'watch',
];
const SUBRESOURCE_VERBS: readonly Verb[] = ['get', 'patch', 'update'];
const ANYTHING: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function schemaOf(version: CrdVersion): JsonSchema {
  return version.schema?.openAPIV3Schema ?? ANYTHING;
}

function strategyOf(spec: CrdSpec, names: CrdNames, version: CrdVersion): CustomStrategy {
  return new CustomStrategy({
    group: spec.group,
    version: version.name,
    kind: names.kind,
    namespaced: spec.scope === 'Namespaced',
    schema: schemaOf(version),
    preserveUnknownFields: spec.preserveUnknownFields === true,
    hasStatus: version.subresources?.status !== undefined,
    scale: version.subresources?.scale,
  });
}

function resourceOf(
  spec: CrdSpec,
  names: CrdNames,
  version: CrdVersion,
  strategies: ReadonlyMap<string, CustomStrategy>,
): Resource {
  const schema = schemaOf(version);
  const warning = deprecationOf(spec, version);
  const scale = version.subresources?.scale;
  return {
    group: spec.group,
    version: version.name,
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    namespaced: spec.scope === 'Namespaced',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs: VERBS,
    subresources: subresourcesOf(names, version),
    structure: resourceStructure(schema),
    strategy: strategies.get(version.name)!,
    storage: storageOf(spec, names, version, strategies),
    columns: customColumns(version.additionalPrinterColumns ?? []),
    selectableFields: (version.selectableFields ?? []).map(({ jsonPath }) => selectable(jsonPath)),
    openApiSchema: publishedSchema(schema, { group: spec.group, version: version.name, kind: names.kind }),
    ...(warning === undefined ? {} : { deprecationWarning: warning }),
    ...(scale === undefined ? {} : { scale }),
  };
}

function subresourcesOf(names: CrdNames, version: CrdVersion): Subresource[] {
  const subresources: Subresource[] = [];
  if (version.subresources?.status !== undefined) {
    subresources.push({ name: 'status', kind: names.kind, verbs: SUBRESOURCE_VERBS });
  }
  if (version.subresources?.scale !== undefined) {
    subresources.push({
      name: 'scale',
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: SUBRESOURCE_VERBS,
    });
  }
  return subresources;
}

/** All versions are stored as one; conversion only rewrites apiVersion, and the schema of each side is applied. */
function storageOf(
  spec: CrdSpec,
  names: CrdNames,
  version: CrdVersion,
  strategies: ReadonlyMap<string, CustomStrategy>,
): Storage {
  const stored = spec.versions.find((other) => other.storage) ?? version;
  const base = {
    key: `${names.plural}.${spec.group}`,
    apiVersion: `${spec.group}/${stored.name}`,
    kind: names.kind,
  };
  if (spec.versions.length === 1) return base;
  const write = strategies.get(stored.name)!;
  const read = strategies.get(version.name)!;
  return {
    ...base,
    encode: (object) => write.adopt(structuredClone(object)),
    decode: (object) => read.adopt(structuredClone(object)),
  };
}

function selectable(jsonPath: string): SelectableField {
  const path = jsonPath.replace(/^\./, '');
  const names = path.split('.');
  return {
    path,
    read: (object) => {
      let value: unknown = object;
      for (const name of names) value = isFields(value) ? ownField(value, name) : undefined;
      return value === undefined || value === null ? '' : String(value);
    },
  };
}

function deprecationOf(spec: CrdSpec, version: CrdVersion): string | undefined {
  if (!version.deprecated) return undefined;
  if (version.deprecationWarning !== undefined) return version.deprecationWarning;
  const { kind } = spec.names;
  const better = spec.versions
    .filter((other) => other.served && !other.deprecated)
    .map((other) => other.name)
    .sort(compareVersions);
  const best = isPreferred(better[0], version.name) ? `; use ${spec.group}/${better[0]} ${kind}` : '';
  return `${spec.group}/${version.name} ${kind} is deprecated${best}`;
}

function isPreferred(one: string | undefined, other: string): one is string {
  return one !== undefined && compareVersions(one, other) < 0;
}
