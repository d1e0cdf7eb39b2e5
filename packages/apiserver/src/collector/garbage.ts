/**
 * The garbage collector: deletes objects without a remaining owner, keeps an owner that is deleted in the foreground until
 * blocking dependents are deleted, and removes owner references when dependents are orphaned.
 */
import type { KubeObject, OwnerReference } from '@chandler/kube';
import { ApiError } from '../errors.ts';
import { systemCall } from '../rest/call.ts';
import { deleteObject, FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from '../rest/delete.ts';
import type { Parts } from '../rest/parts.ts';
import { updateObject } from '../rest/update.ts';
import type { DeleteOptions } from '../rest/write-options.ts';
import { cloneJson } from '../storage/json.ts';
import type { Stored, StoreEvent } from '../storage/store.ts';
import { Owners, ownerState, type Place } from './owners.ts';
import { KeyedQueue } from './queue.ts';

export class GarbageCollector {
  readonly #parts: Parts;
  readonly #owners: Owners;
  readonly #queue: KeyedQueue<string>;
  readonly #places = new Map<string, Place>();
  readonly #stop: () => void;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#owners = new Owners(parts.store);
    this.#queue = new KeyedQueue(parts.world, (id) => this.#attempt(id));
    this.#stop = parts.store.subscribeAll((event) => this.#on(event));
    for (const key of parts.store.keys()) {
      for (const item of parts.store.list(key))
        if (isConcerned(item.object)) this.#enqueue(placeOf(key, item));
    }
  }

  close(): void {
    this.#stop();
    this.#queue.close();
  }

  #on(event: StoreEvent): void {
    this.#owners.on(event);
    const { type, key, item, previous } = event;
    if (type !== 'DELETED') {
      if (isConcerned(item.object)) this.#enqueue(placeOf(key, item));
      if (previous !== undefined) this.#enqueueFormerOwners(item.object, previous.object);
      return;
    }
    for (const dependent of this.#owners.dependentsOf(item.object.metadata.uid)) this.#enqueue(dependent);
    for (const owner of item.object.metadata.ownerReferences ?? []) this.#enqueueOwner(owner, item.namespace);
  }

  /** A waiting owner is requeued when a dependent no longer refers to it. */
  #enqueueFormerOwners(next: KubeObject, previous: KubeObject): void {
    const before = previous.metadata.ownerReferences;
    if (before === undefined || before === next.metadata.ownerReferences) return;
    for (const owner of before) {
      const kept = next.metadata.ownerReferences?.find(({ uid }) => uid === owner.uid);
      if (kept?.blockOwnerDeletion !== true) this.#enqueueOwner(owner, next.metadata.namespace ?? '');
    }
  }

  #enqueueOwner(owner: OwnerReference, namespace: string): void {
    const resource = this.#parts.catalogue.ofKind(owner.apiVersion, owner.kind);
    if (resource === undefined) return;
    this.#enqueue({
      key: resource.storage.key,
      namespace: resource.namespaced ? namespace : '',
      name: owner.name,
    });
  }

  #enqueue(place: Place): void {
    const id = `${place.key}/${place.namespace}/${place.name}`;
    this.#places.set(id, place);
    this.#queue.add(id);
  }

  #attempt(id: string): void {
    const place = this.#places.get(id)!;
    this.#places.delete(id);
    const item = this.#parts.store.get(place.key, place.namespace, place.name);
    if (item === undefined) return;
    try {
      this.#process(place, item);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      this.#parts.world.log.warn('failed to garbage-collect object', { object: id, error: error.message });
    }
  }

  #process(place: Place, item: Stored): void {
    const { deletionTimestamp, finalizers = [] } = item.object.metadata;
    if (deletionTimestamp !== undefined) {
      if (finalizers.includes(ORPHAN_FINALIZER)) this.#orphan(place, item);
      else if (finalizers.includes(FOREGROUND_FINALIZER)) this.#deleteDependents(place, item);
      return;
    }
    const owners = item.object.metadata.ownerReferences ?? [];
    if (owners.length > 0) this.#judge(place, item, owners);
  }

  #judge(place: Place, item: Stored, owners: readonly OwnerReference[]): void {
    const { store, catalogue } = this.#parts;
    const states = owners.map((owner) => ownerState(owner, item.namespace, store, catalogue));
    const lost = states.map((state) => state === 'missing' || state === 'waiting');
    if (!lost.includes(true)) return;
    if (lost.includes(false)) {
      if (states.includes('unknown')) return;
      const gone = new Set(owners.filter((_, index) => lost[index]).map(({ uid }) => uid));
      this.#rewrite(place, (next) => dropOwners(next, gone));
      return;
    }
    const waited = states.includes('waiting') && this.#owners.hasDependents(item.object.metadata.uid);
    // A waiting dependent may itself wait for this object: one of them is deleted first.
    if (waited && this.#isWaitedForInACircle(item)) this.#rewrite(place, unblockOwners);
    this.#delete(place, item, {
      dryRun: false,
      ...(waited ? { propagationPolicy: 'Foreground' } : policyOf(item.object)),
    });
  }

  #isWaitedForInACircle(item: Stored): boolean {
    return this.#owners.dependentsOf(item.object.metadata.uid).some(({ key, namespace, name }) => {
      const metadata = this.#parts.store.get(key, namespace, name)?.object.metadata;
      return metadata?.deletionTimestamp !== undefined && metadata.finalizers?.includes(FOREGROUND_FINALIZER);
    });
  }

  /** First all blocking dependents are deleted; then the finalizer is removed. */
  #deleteDependents(place: Place, item: Stored): void {
    const uid = item.object.metadata.uid;
    let blocked = false;
    for (const dependent of this.#owners.dependentsOf(uid)) {
      const found = this.#parts.store.get(dependent.key, dependent.namespace, dependent.name);
      if (found === undefined || found === item) continue;
      const reference = found.object.metadata.ownerReferences?.find((owner) => owner.uid === uid);
      if (reference?.blockOwnerDeletion === true) blocked = true;
      if (found.object.metadata.deletionTimestamp === undefined) this.#enqueue(dependent);
    }
    if (!blocked) this.#rewrite(place, (next) => dropFinalizer(next, FOREGROUND_FINALIZER));
  }

  #orphan(place: Place, item: Stored): void {
    const uid = item.object.metadata.uid;
    for (const dependent of this.#owners.dependentsOf(uid)) {
      this.#rewrite(dependent, (next) => dropOwners(next, new Set([uid])));
    }
    this.#rewrite(place, (next) => dropFinalizer(next, ORPHAN_FINALIZER));
  }

  #delete(place: Place, item: Stored, options: DeleteOptions): void {
    const uid = item.object.metadata.uid;
    const call = this.#call(place);
    if (call === undefined) return;
    deleteObject(call, { ...options, ...(uid === undefined ? {} : { preconditions: { uid } }) });
  }

  #rewrite(place: Place, change: (next: KubeObject) => void): void {
    const call = this.#call(place);
    if (call === undefined) return;
    updateObject(call, {
      skipAdmission: true,
      next: (current) => {
        const next = cloneJson(current!);
        change(next);
        return next;
      },
    });
  }

  #call({ key, namespace, name }: Place) {
    const resource = this.#parts.catalogue.ofStorage(key);
    if (resource === undefined) return undefined;
    const target = { resource, ...(resource.namespaced ? { namespace } : {}), name };
    return systemCall(this.#parts, target, 'kube-controller-manager');
  }
}

// ---------------------------------------------------------------------------------------------------

function placeOf(key: string, item: Stored): Place {
  return { key, namespace: item.namespace, name: item.name };
}

function isConcerned({ metadata }: KubeObject): boolean {
  if ((metadata.ownerReferences?.length ?? 0) > 0) return true;
  if (metadata.deletionTimestamp === undefined || metadata.finalizers === undefined) return false;
  return metadata.finalizers.includes(ORPHAN_FINALIZER) || metadata.finalizers.includes(FOREGROUND_FINALIZER);
}

function policyOf({ metadata }: KubeObject): Pick<DeleteOptions, 'propagationPolicy'> {
  if (metadata.finalizers?.includes(ORPHAN_FINALIZER)) return { propagationPolicy: 'Orphan' };
  if (metadata.finalizers?.includes(FOREGROUND_FINALIZER)) return { propagationPolicy: 'Foreground' };
  return { propagationPolicy: 'Background' };
}

function dropOwners({ metadata }: KubeObject, uids: ReadonlySet<string>): void {
  const kept = (metadata.ownerReferences ?? []).filter(({ uid }) => !uids.has(uid));
  if (kept.length === 0) delete metadata.ownerReferences;
  else metadata.ownerReferences = kept;
}

function unblockOwners({ metadata }: KubeObject): void {
  for (const owner of metadata.ownerReferences ?? []) owner.blockOwnerDeletion = false;
}

function dropFinalizer({ metadata }: KubeObject, finalizer: string): void {
  const kept = (metadata.finalizers ?? []).filter((name) => name !== finalizer);
  if (kept.length === 0) delete metadata.finalizers;
  else metadata.finalizers = kept;
}
