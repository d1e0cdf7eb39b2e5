/**
 * From the definition of a kind to its CustomResourceDefinition, as an object; `crd-yaml.ts` writes it as text.
 */
import type { ObjectMeta } from '@chandler/kube';
import type { JsonSchema, Schema } from './schema.ts';

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly jsonPath: string;
  readonly description: string;
  /** Shown only with `-o wide`. */
  readonly wide?: boolean;
}

export interface KindVersion {
  readonly name: string;
  readonly served: boolean;
  /** Exactly one version of a kind is the stored one. */
  readonly storage: boolean;
  /** Marks the version as deprecated; clients print the text with every answer. */
  readonly deprecationWarning?: string;
}

/** A kind, written once. All its versions share one shape: nothing is converted but apiVersion. */
export interface KindDefinition<Spec = unknown, Status = unknown> {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly shortNames?: readonly string[];
  readonly categories: readonly string[];
  readonly description: string;
  readonly versions: readonly KindVersion[];
  readonly columns: readonly PrinterColumn[];
  readonly spec: Schema<Spec>;
  readonly status: Schema<Status, 'optional'>;
  readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string };
}

/** An object of a kind, as it is on the wire. List items carry neither apiVersion nor kind. */
export type ObjectOfKind<ApiVersion extends string, Kind extends string, Spec, Status> = {
  apiVersion?: ApiVersion;
  kind?: Kind;
  metadata: ObjectMeta;
  spec: Spec;
  status?: Status;
};

/** What is needed of a CustomResourceDefinition here; it is plain data, ready to be sent or printed. */
export type CustomResourceDefinition = {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'CustomResourceDefinition';
  readonly metadata: { readonly name: string; readonly annotations: Readonly<Record<string, string>> };
  readonly spec: CrdSpec;
};

export interface CrdSpec {
  readonly group: string;
  readonly names: CrdNames;
  readonly scope: 'Cluster' | 'Namespaced';
  readonly conversion: { readonly strategy: 'None' };
  readonly versions: readonly CrdVersion[];
}

export interface CrdNames {
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories: readonly string[];
}

export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: true;
  readonly deprecationWarning?: string;
  readonly additionalPrinterColumns: readonly CrdColumn[];
  readonly subresources: {
    readonly status: Readonly<Record<string, never>>;
    readonly scale?: { readonly specReplicasPath: string; readonly statusReplicasPath: string };
  };
  readonly schema: { readonly openAPIV3Schema: JsonSchema };
}

export interface CrdColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly description: string;
  readonly priority?: number;
}

export function renderCrd(definition: KindDefinition): CustomResourceDefinition {
  const { group, kind, plural, shortNames } = definition;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}`, annotations: ANNOTATIONS },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        ...(shortNames === undefined ? {} : { shortNames }),
        categories: definition.categories,
      },
      scope: definition.scope,
      conversion: { strategy: 'None' },
      versions: definition.versions.map((version) => renderVersion(definition, version)),
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------

/** Uninstalling the chart must not delete every NodePool, and with it every node. */
const ANNOTATIONS = { 'helm.sh/resource-policy': 'keep' };

function renderVersion(definition: KindDefinition, version: KindVersion): CrdVersion {
  const { deprecationWarning } = version;
  return {
    name: version.name,
    served: version.served,
    storage: version.storage,
    ...(deprecationWarning === undefined ? {} : { deprecated: true, deprecationWarning }),
    additionalPrinterColumns: definition.columns.map(renderColumn),
    subresources: { status: {}, ...(definition.scale === undefined ? {} : { scale: definition.scale }) },
    schema: { openAPIV3Schema: rootSchema(definition) },
  };
}

function renderColumn(column: PrinterColumn): CrdColumn {
  const { wide, ...rest } = column;
  return wide ? { ...rest, priority: 1 } : rest;
}

function rootSchema(definition: KindDefinition): JsonSchema {
  return {
    description: definition.description,
    type: 'object',
    ...(definition.spec.presence === 'required' ? { required: ['spec'] } : {}),
    properties: {
      apiVersion: {
        description: 'The group and version of the API this object is written in.',
        type: 'string',
      },
      kind: { description: 'The name of the kind of this object.', type: 'string' },
      // The API server knows metadata itself and takes nothing but its type here, not even a description.
      metadata: { type: 'object' },
      spec: definition.spec.json,
      status: definition.status.json,
    },
  };
}
