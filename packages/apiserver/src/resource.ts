/**
 * What the API server knows about one resource in one version, and the interface between the generic code
 * (routing, storage, watch, patch, delete) and what is particular to a kind (decoding, defaults, validation).
 * Built-in kinds and custom resources both arrive as a `Resource`.
 */
import type { KubeObject, Stored } from '@chandler/kube';
import type { FieldError } from './errors.ts';
import type { Structure } from './structure.ts';

export type Verb = 'create' | 'delete' | 'deletecollection' | 'get' | 'list' | 'patch' | 'update' | 'watch';

export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly Verb[];
  readonly subresources: readonly Subresource[];
  readonly structure: Structure;
  readonly strategy: Strategy;
  /** Versions of one kind share what is stored; `core/v1 Event` and `events.k8s.io/v1 Event` do too. */
  readonly storage: Storage;
  /** Columns of the Table answer, after NAMESPACE which the client adds. */
  readonly columns: readonly PrinterColumn[];
  /** Fields beyond metadata.name and metadata.namespace that a field selector may name. */
  readonly selectableFields: readonly SelectableField[];
  /** A warning sent with every answer of a deprecated version. */
  readonly deprecationWarning?: string;
  /** The raw OpenAPI v3 schema of a custom resource version, with descriptions. */
  readonly openApiSchema?: Readonly<Record<string, unknown>>;
  readonly scale?: {
    readonly specReplicasPath: string;
    readonly statusReplicasPath: string;
    readonly labelSelectorPath?: string;
  };
}

/** The resources that are served right now: built-in kinds and those of established CRDs. */
export interface Catalogue {
  resource(group: string, version: string, plural: string): Resource | undefined;
  all(): readonly Resource[];
  /** Changes whenever a resource comes, goes or is redefined: what was rendered from the catalogue is then stale. */
  readonly revision: number;
}

export interface Storage {
  /** Objects with the same key live together: `pods`, `deployments.apps`, `widgets.example.com`. */
  readonly key: string;
  /** Rewrites an object of this version into the stored one and back; absent when only apiVersion differs. */
  readonly encode?: (object: KubeObject) => KubeObject;
  readonly decode?: (object: KubeObject) => KubeObject;
  /** apiVersion and kind under which objects are stored. */
  readonly apiVersion: string;
  readonly kind: string;
}

export interface Subresource {
  readonly name:
    | 'status'
    | 'scale'
    | 'eviction'
    | 'binding'
    | 'token'
    | 'approval'
    | 'finalize'
    | 'ephemeralcontainers'
    | 'resize'
    | 'log'
    | 'exec'
    | 'attach'
    | 'portforward'
    | 'proxy';
  /** The kind that the subresource speaks, where it is not the parent's. */
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly Verb[];
}

export interface SelectableField {
  readonly path: string;
  readonly read: (object: KubeObject) => string;
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'date';
  readonly format?: string;
  readonly description: string;
  /** 0 is always shown, greater only with `-o wide`. */
  readonly priority: number;
  /** The cell; `date` columns of custom resources give the timestamp, the Table writer turns it into an age. */
  readonly cell: (object: KubeObject, nowMs: number) => string | number | boolean | null;
}

export type FieldValidation = 'Strict' | 'Warn' | 'Ignore';

export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What a strategy may know of the request and of the rest of the cluster. */
export interface RequestContext {
  readonly resource: Resource;
  readonly subresource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly user: UserInfo;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly dryRun: boolean;
  /** RFC 3339 with seconds, in UTC: the time of the request. */
  readonly now: string;
  /** Sent to the client as `Warning: 299 - "…"`. */
  warn(text: string): void;
  /** Another object of the cluster, by storage key: for admission that looks around (priority classes, quotas, CRDs). */
  lookup(storageKey: string, namespace: string, name: string): Stored | undefined;
  list(storageKey: string, namespace?: string): Iterable<Stored>;
}

/**
 * What is particular to a kind. All functions are synchronous and work on private copies that they may change.
 * Order on create: decode, prepareForCreate, validateCreate. On update: decode, prepareForUpdate, validateUpdate.
 * On a subresource the context names it; `prepareForUpdate` then keeps everything that it may not change.
 */
export interface Strategy {
  /**
   * From parsed JSON or YAML to an object of this version: types checked, unknown fields dropped and reported as the
   * request's fieldValidation says, quantities canonical, defaults filled in. Throws an ApiError when it cannot be read.
   */
  decode(parsed: unknown, context: RequestContext, duplicates?: readonly string[]): KubeObject;
  prepareForCreate(object: KubeObject, context: RequestContext): void;
  validateCreate(object: KubeObject, context: RequestContext): FieldError[];
  prepareForUpdate(next: KubeObject, current: KubeObject, context: RequestContext): void;
  validateUpdate(next: KubeObject, current: KubeObject, context: RequestContext): FieldError[];
  /** Whether PUT of a name that does not exist creates it. */
  readonly allowCreateOnUpdate: boolean;
  /** Whether an update without resourceVersion is taken as "whatever is there". */
  readonly allowUnconditionalUpdate: boolean;
  /** Seconds a deleted object lives on gracefully (pods bound to a node); 0 deletes at once. */
  gracePeriodSeconds?(object: KubeObject, requested: number | undefined): number;
}
