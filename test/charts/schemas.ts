/** The schemas that kubeconform gets, one file for each kind: of Kubernetes as recorded, of our CRDs, and of the Prometheus operator. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { builtinCrds } from '../../packages/chandler/src/api/kinds/index.ts';
import recorded from './kubernetes-schemas.gen.json' with { type: 'json' };
import { MONITORING_SCHEMAS } from './monitoring-schemas.table.ts';
import { type JsonSchema, strict } from './strict-schema.ts';

/** Where kubeconform finds them. */
export const SCHEMA_LOCATION = '{{.ResourceKind}}-{{.Group}}-{{.ResourceAPIVersion}}.json';

/** @returns how many. */
export function writeSchemas(folder: string): number {
  mkdirSync(folder, { recursive: true });
  const all = { ...kubernetesSchemas(), ...crdSchemas(), ...MONITORING_SCHEMAS };
  for (const [name, schema] of Object.entries(all)) writeFileSync(join(folder, name), JSON.stringify(schema));
  return Object.keys(all).length;
}

// ---------------------------------------------------------------------------------------------------

function kubernetesSchemas(): Record<string, JsonSchema> {
  const { kinds } = recorded;
  // The API server takes a number for a quantity, too.
  const definitions = { ...recorded.definitions, [QUANTITY]: { type: ['string', 'number'] } };
  return Object.fromEntries(
    kinds.map((name) => {
      const [, group, version, kind] = /\.([^.]+)\.(v\d[a-z0-9]*)\.([A-Za-z]+)$/.exec(name)!;
      const fileName = fileOf(kind!, GROUPS[group!] ?? group!, version!);
      return [fileName, { $ref: `#/definitions/${name}`, definitions }];
    }),
  );
}

const QUANTITY = 'io.k8s.apimachinery.pkg.api.resource.Quantity';

const GROUPS: Readonly<Record<string, string>> = {
  // As kubeconform has it.
  core: 'v1',
  networking: 'networking.k8s.io',
  rbac: 'rbac.authorization.k8s.io',
  scheduling: 'scheduling.k8s.io',
  apiextensions: 'apiextensions.k8s.io',
};

function crdSchemas(): Record<string, JsonSchema> {
  return Object.fromEntries(
    (builtinCrds() as unknown as Crd[]).flatMap(({ spec }) =>
      spec.versions.map(({ name, schema }) => [
        fileOf(spec.names.kind, spec.group, name),
        withObjectFields(strict(schema.openAPIV3Schema)),
      ]),
    ),
  );
}

function withObjectFields(schema: JsonSchema): JsonSchema {
  const fields = { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: { type: 'object' } };
  return { ...schema, properties: { ...(schema['properties'] as JsonSchema), ...fields } };
}

interface Crd {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string };
    readonly versions: readonly {
      readonly name: string;
      readonly schema: { readonly openAPIV3Schema: JsonSchema };
    }[];
  };
}

function fileOf(kind: string, group: string, version: string): string {
  return `${kind.toLowerCase()}-${group}-${version}.json`;
}
