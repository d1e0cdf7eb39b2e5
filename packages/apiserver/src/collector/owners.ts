/** The ownership graph: dependents by the UID of their owner, updated by events. */
import type { OwnerReference } from '@chandler/kube';
import type { LiveCatalogue } from '../catalogue.ts';
import type { Store, Stored, StoreEvent } from '../storage/store.ts';

/** `storage key` + `namespace/name`: identifies an object. */
export interface Place {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
}

export class Owners {
  readonly #dependents = new Map<string, Map<string, Place>>();

  constructor(store: Store) {
    for (const key of store.keys()) for (const item of store.list(key)) this.#link(key, item);
  }

  on({ key, type, item, previous }: StoreEvent): void {
    if (previous !== undefined) this.#unlink(key, previous);
    if (type !== 'DELETED') this.#link(key, item);
  }

  dependentsOf(uid: string): Place[] {
    return [...(this.#dependents.get(uid)?.values() ?? [])];
  }

  hasDependents(uid: string): boolean {
    return (this.#dependents.get(uid)?.size ?? 0) > 0;
  }

  #link(key: string, item: Stored): void {
    for (const { uid } of item.object.metadata.ownerReferences ?? []) {
      const places = this.#dependents.get(uid) ?? new Map<string, Place>();
      places.set(idOfPlace(key, item), { key, namespace: item.namespace, name: item.name });
      this.#dependents.set(uid, places);
    }
  }

  #unlink(key: string, item: Stored): void {
    for (const { uid } of item.object.metadata.ownerReferences ?? []) {
      const places = this.#dependents.get(uid);
      places?.delete(idOfPlace(key, item));
      if (places?.size === 0) this.#dependents.delete(uid);
    }
  }
}

export type OwnerState = 'there' | 'missing' | 'waiting' | 'unknown';

/** The state of an owner. Unknown: its kind is not served, so its deletion cannot be detected. */
export function ownerState(
  owner: OwnerReference,
  namespace: string,
  store: Store,
  catalogue: LiveCatalogue,
): OwnerState {
  const resource = catalogue.ofKind(owner.apiVersion, owner.kind);
  if (resource === undefined || (resource.namespaced && namespace === '')) return 'unknown';
  const found = store.get(resource.storage.key, resource.namespaced ? namespace : '', owner.name);
  if (found === undefined || found.object.metadata.uid !== owner.uid) return 'missing';
  const { deletionTimestamp, finalizers } = found.object.metadata;
  return deletionTimestamp !== undefined && finalizers?.includes('foregroundDeletion') ? 'waiting' : 'there';
}

// ---------------------------------------------------------------------------------------------------

function idOfPlace(key: string, item: Stored): string {
  return `${key}/${item.namespace}/${item.name}`;
}
