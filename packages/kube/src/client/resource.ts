/**
 * Where objects of a kind live on an API server: the address, and nothing about their content. `resources.table.ts`
 * lists those we use; any other is one `ResourceRef` away.
 */
import { apiVersionOf, type KubeObject, type NamedObject } from '../object.ts';

/** `T` is what the objects are; it exists only for the type checker. */
export interface ResourceRef<T extends KubeObject = KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly objectType?: T;
}

export interface ObjectKey {
  /** Empty or absent for a kind without namespaces. */
  readonly namespace?: string;
  readonly name: string;
}

/** `pods`, `deployments.apps`: one string per kind, whatever its version. */
export function resourceName(resource: ResourceRef): string {
  return resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`;
}

export function apiVersionOfResource(resource: ResourceRef): string {
  return apiVersionOf(resource.group, resource.version);
}

/** The path of all objects of the kind, in one namespace or in all. */
export function collectionPath(resource: ResourceRef, namespace?: string): string {
  const root = resource.group === '' ? '/api' : `/apis/${resource.group}`;
  const scope = resource.namespaced && namespace ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}/${resource.version}${scope}/${resource.plural}`;
}

export function objectPath(resource: ResourceRef, key: ObjectKey, subresource?: string): string {
  if (key.name === '') throw new Error(`a ${resource.kind} without a name has no path`);
  if (resource.namespaced && !key.namespace) {
    throw new Error(`${resource.kind} ${key.name}: the kind is namespaced and no namespace was given`);
  }
  const path = `${collectionPath(resource, key.namespace)}/${encodeURIComponent(key.name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** `namespace/name`, or `name` where there is no namespace: what a reconcile is asked about. */
export function keyOf(object: NamedObject): string {
  return keyString(keyOfObject(object));
}

export function keyOfObject(object: NamedObject): ObjectKey {
  const { name, namespace } = object.metadata;
  return namespace === undefined || namespace === '' ? { name } : { namespace, name };
}

export function keyString(key: ObjectKey): string {
  return key.namespace ? `${key.namespace}/${key.name}` : key.name;
}

export function parseKey(key: string): ObjectKey {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}
