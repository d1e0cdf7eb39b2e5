/**
 * The shape every Kubernetes object shares: `KubeObject` for what may be sent, `Stored` for what a server holds. The kinds
 * themselves are in `kinds/`; this is for code that handles objects of any kind.
 */

/** Metadata as a caller may send it: the server adds what is missing. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: OwnerReference[];
  finalizers?: string[];
  managedFields?: ManagedFieldsEntry[];
}

/** Metadata of an object of a namespaced kind. */
export interface NamespacedMeta extends ObjectMeta {
  namespace: string;
}

/** Metadata of an object that an API server holds. */
export interface StoredMeta extends ObjectMeta {
  name: string;
  uid: string;
  resourceVersion: string;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  time?: string;
  fieldsType?: 'FieldsV1';
  fieldsV1?: FieldsV1;
  subresource?: string;
}

/** Field paths as nested keys: `f:name`, `k:{"key":"value"}`, `v:value`, `i:index`, and `.` for the item itself. */
export interface FieldsV1 {
  [path: string]: FieldsV1;
}

export interface TypeMeta {
  apiVersion?: string;
  kind?: string;
}

/** An object of any kind, as it is on the wire. */
export interface KubeObject extends TypeMeta {
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** An object of a namespaced kind. */
export interface NamespacedObject extends KubeObject {
  metadata: NamespacedMeta;
}

/** An object as an API server holds it: out of a store, out of a watch, or as the answer to a request. */
export type Stored<T extends KubeObject = KubeObject> = T & { metadata: StoredMeta };

/** All that is needed to find an object, or to say which one is meant. */
export type NamedObject = {
  readonly metadata: { readonly name: string; readonly namespace?: string };
};

export interface KubeList<T extends KubeObject = KubeObject> extends TypeMeta {
  metadata: ListMeta;
  items: Stored<T>[];
}

export interface ListMeta {
  resourceVersion?: string;
  continue?: string;
  remainingItemCount?: number;
}

/** metav1.Status: how an API server says no. */
export interface Status {
  kind: 'Status';
  apiVersion: 'v1';
  metadata: ListMeta;
  status: 'Success' | 'Failure';
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code?: number;
}

export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** An event of a watch. A bookmark carries a resourceVersion and nothing else. */
export type WatchEvent<T extends KubeObject = KubeObject> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: Stored<T> }
  | { readonly type: 'BOOKMARK'; readonly object: { readonly metadata: ListMeta } }
  | { readonly type: 'ERROR'; readonly object: Status | KubeObject };

/** `apps/v1` for a named group, `v1` for the core group. */
export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}
