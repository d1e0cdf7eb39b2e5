/**
 * Serves custom resources according to their definitions: a CRD is validated, served and, when deleted, emptied, in response
 * to its events. A real API server does this itself; it is not a task of the collector.
 */
import type { KubeObject } from '@chandler/kube';
import { resourcesOf } from '../crd/catalogue.ts';
import { establish } from '../crd/establish.ts';
import { cloneJson, equalJson } from '../storage/json.ts';
import type { Stored, StoreEvent } from '../storage/store.ts';
import { systemCall, timestamp } from './call.ts';
import { CLEANUP_FINALIZER, DEFINITIONS, finishCleanup } from './definition-cleanup.ts';
import { deleteObject } from './delete.ts';
import type { Parts } from './parts.ts';

export class Definitions {
  readonly #parts: Parts;
  /** Definitions that wait for the deletion of their objects, by storage key of these. */
  readonly #ending = new Map<string, string>();
  /** What each definition was served as: only a changed one is compiled again. */
  readonly #shapes = new Map<string, string>();
  readonly #stop: (() => void)[];

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#stop = [
      parts.store.subscribe(DEFINITIONS, (event) => this.#onDefinition(event)),
      parts.store.subscribeAll((event) => this.#onObject(event)),
    ];
    for (const item of [...parts.store.list(DEFINITIONS)]) this.#reconcile(item);
  }

  close(): void {
    for (const stop of this.#stop) stop();
  }

  #onDefinition({ type, item }: StoreEvent): void {
    if (type === 'DELETED') {
      this.#parts.catalogue.withdraw(item.name);
      this.#endWatches(storageKeyOf(item.object));
      this.#shapes.delete(item.name);
      this.#ending.delete(storageKeyOf(item.object));
      this.#reconsiderOthers(item);
      return;
    }
    const latest = this.#parts.store.get(DEFINITIONS, '', item.name);
    if (latest?.revision === item.revision) this.#reconcile(latest);
  }

  /** Their watches would receive nothing any more: the clients must learn that the resource was removed. */
  #endWatches(key: string): void {
    for (const watch of [...this.#parts.watches]) if (watch.storageKey === key) watch.finish();
  }

  #onObject({ type, key }: StoreEvent): void {
    if (type !== 'DELETED' || this.#ending.size === 0) return;
    const name = this.#ending.get(key);
    if (name !== undefined) this.#finishIfEmpty(name, key);
  }

  #reconcile(item: Stored): void {
    if (item.object.metadata.deletionTimestamp !== undefined) this.#empty(item);
    else this.#serve(this.#judge(item));
  }

  /** Writes names and conditions that changed; the event of that write is ignored. */
  #judge(item: Stored): Stored {
    const { store, world } = this.#parts;
    const others: KubeObject[] = [];
    for (const other of store.list(DEFINITIONS)) if (other.name !== item.name) others.push(other.object);
    const { acceptedNames, conditions, storedVersions } = establish(item.object, others);
    const now = timestamp(world);
    const status = {
      ...(item.object['status'] as object | undefined),
      conditions: conditions.map((condition) => ({ lastTransitionTime: now, ...condition })),
      acceptedNames,
      storedVersions,
    };
    if (equalJson(status, item.object['status'])) return item;
    const next = cloneJson(item.object);
    next['status'] = status;
    return store.update(DEFINITIONS, next);
  }

  #serve(item: Stored): void {
    const { catalogue, world } = this.#parts;
    const status = item.object['status'] as { conditions?: { type: string; status: string }[] } | undefined;
    const established = status?.conditions?.some(
      ({ type, status }) => type === 'Established' && status === 'True',
    );
    if (!established) {
      catalogue.withdraw(item.name);
      return;
    }
    const { served, known } = this.#known(item);
    if (served === known) return;
    try {
      catalogue.serve(item.name, resourcesOf(item.object));
      this.#shapes.set(item.name, served);
    } catch (error) {
      world.log.error('a custom resource cannot be served', { definition: item.name, error: String(error) });
    }
  }

  #known(item: Stored): { served: string; known: string | undefined } {
    const names = (item.object['status'] as { acceptedNames?: unknown } | undefined)?.acceptedNames;
    const served = JSON.stringify([item.object.metadata.uid, item.object['spec'], names]);
    return {
      served,
      known: this.#parts.catalogue.servesDefinition(item.name) ? this.#shapes.get(item.name) : undefined,
    };
  }

  #empty(item: Stored): void {
    if (!item.object.metadata.finalizers?.includes(CLEANUP_FINALIZER)) return;
    const { store, catalogue } = this.#parts;
    const key = storageKeyOf(item.object);
    if (this.#ending.has(key)) return;
    this.#ending.set(key, item.name);
    const resource = catalogue.ofStorage(key);
    for (const object of resource === undefined ? [] : [...store.list(key)]) {
      const target = {
        resource: resource!,
        ...(resource!.namespaced ? { namespace: object.namespace } : {}),
        name: object.name,
      };
      deleteObject(systemCall(this.#parts, target, 'kube-apiserver'), { dryRun: false });
    }
    this.#finishIfEmpty(item.name, key);
  }

  #finishIfEmpty(name: string, key: string): void {
    const { store, world } = this.#parts;
    const item = store.get(DEFINITIONS, '', name);
    if (item === undefined || store.count(key) > 0 || !this.#ending.has(key)) return;
    this.#ending.delete(key);
    const next = cloneJson(item.object);
    finishCleanup(next, timestamp(world));
    if (next.metadata.finalizers === undefined) store.delete(DEFINITIONS, item, next);
    else store.update(DEFINITIONS, next);
  }

  /** A name that was taken may be free now. */
  #reconsiderOthers(gone: Stored): void {
    const group = (gone.object['spec'] as { group?: string } | undefined)?.group;
    for (const other of [...this.#parts.store.list(DEFINITIONS)]) {
      if ((other.object['spec'] as { group?: string } | undefined)?.group === group) this.#reconcile(other);
    }
  }
}

// ---------------------------------------------------------------------------------------------------

function storageKeyOf(definition: KubeObject): string {
  const spec = definition['spec'] as { group: string; names: { plural: string } };
  return `${spec.names.plural}.${spec.group}`;
}
