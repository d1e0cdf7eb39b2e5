/** Empties a deleted namespace, and then removes its finalizers. */
import type { Stored } from '@chandler/kube';
import { ApiError } from '../errors.ts';
import { systemCall, timestamp } from '../rest/call.ts';
import { deleteObject } from '../rest/delete.ts';
import type { Parts } from '../rest/parts.ts';
import { cloneJson, equalJson } from '../storage/json.ts';
import type { StoreEvent } from '../storage/store.ts';
import { KeyedQueue } from './queue.ts';

const KEY = 'namespaces';
const FINALIZER = 'kubernetes';

export class NamespaceLifecycle {
  readonly #parts: Parts;
  readonly #queue: KeyedQueue<string>;
  readonly #ending = new Set<string>();
  readonly #stop: () => void;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#queue = new KeyedQueue(parts.world, (name) => this.#empty(name));
    this.#stop = parts.store.subscribeAll((event) => this.#on(event));
    for (const item of parts.store.list(KEY)) this.#consider(item.object);
  }

  close(): void {
    this.#stop();
    this.#queue.close();
  }

  #on({ key, type, item }: StoreEvent): void {
    if (key === KEY) {
      if (type === 'DELETED') this.#ending.delete(item.name);
      else this.#consider(item.object);
    } else if (this.#ending.size > 0 && this.#ending.has(item.namespace)) {
      this.#queue.add(item.namespace);
    }
  }

  #consider(namespace: Stored): void {
    if (namespace.metadata.deletionTimestamp === undefined || !finalizersOf(namespace).includes(FINALIZER))
      return;
    const name = namespace.metadata.name;
    if (this.#ending.has(name)) return;
    this.#ending.add(name);
    this.#queue.add(name);
  }

  #empty(name: string): void {
    const { store, catalogue, world } = this.#parts;
    if (!this.#ending.has(name)) return;
    const remaining = new Map<string, number>();
    for (const key of store.keys()) {
      const resource = catalogue.ofStorage(key);
      if (resource === undefined || !resource.namespaced || store.count(key, name) === 0) continue;
      for (const item of [...store.list(key, name)]) {
        if (item.object.metadata.deletionTimestamp !== undefined) continue;
        const call = systemCall(
          this.#parts,
          { resource, namespace: name, name: item.name },
          'kube-controller-manager',
        );
        try {
          deleteObject(call, { dryRun: false, propagationPolicy: 'Background' });
        } catch (error) {
          if (!(error instanceof ApiError)) throw error;
          world.log.warn('a namespace could not be emptied', {
            namespace: name,
            object: item.name,
            error: error.message,
          });
        }
      }
      const left = store.count(key, name);
      if (left > 0) remaining.set(key, left);
    }
    this.#finish(name, remaining);
  }

  #finish(name: string, remaining: ReadonlyMap<string, number>): void {
    const { store, world } = this.#parts;
    const item = store.get(KEY, '', name);
    if (item === undefined) return;
    const next = cloneJson(item.object);
    next['status'] = {
      ...(next['status'] as object),
      conditions: conditionsOf(remaining, item.object, timestamp(world)),
    };
    if (remaining.size === 0) {
      const spec = next['spec'] as { finalizers?: string[] };
      const kept = finalizersOf(next).filter((finalizer) => finalizer !== FINALIZER);
      if (kept.length === 0) delete spec.finalizers;
      else spec.finalizers = kept;
      this.#ending.delete(name);
      if (kept.length === 0 && (next.metadata.finalizers?.length ?? 0) === 0) {
        store.delete(KEY, item, next);
        return;
      }
    }
    if (!equalJson(next, item.object)) store.update(KEY, next);
  }
}

// ---------------------------------------------------------------------------------------------------

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
}

const FINE = [
  ['NamespaceDeletionDiscoveryFailure', 'ResourcesDiscovered', 'All resources successfully discovered'],
  [
    'NamespaceDeletionGroupVersionParsingFailure',
    'ParsedGroupVersions',
    'All legacy kube types successfully parsed',
  ],
  [
    'NamespaceDeletionContentFailure',
    'ContentDeleted',
    'All content successfully deleted, may be waiting on finalization',
  ],
] as const;

function conditionsOf(remaining: ReadonlyMap<string, number>, namespace: Stored, now: string): Condition[] {
  const before = (namespace['status'] as { conditions?: Condition[] } | undefined)?.conditions ?? [];
  const named = (type: string, status: string, reason: string, message: string): Condition => {
    const old = before.find((condition) => condition.type === type);
    const lastTransitionTime = old?.status === status ? old.lastTransitionTime : now;
    return { type, status, lastTransitionTime, reason, message };
  };
  const shown = [...remaining].map(([key, count]) => `${key}. has ${count} resource instances`).join(', ');
  return [
    ...FINE.map(([type, reason, message]) => named(type, 'False', reason, message)),
    remaining.size === 0
      ? named('NamespaceContentRemaining', 'False', 'ContentRemoved', 'All content successfully removed')
      : named(
          'NamespaceContentRemaining',
          'True',
          'SomeResourcesRemain',
          `Some resources are remaining: ${shown}`,
        ),
  ];
}

function finalizersOf(namespace: Stored): readonly string[] {
  return (namespace['spec'] as { finalizers?: string[] } | undefined)?.finalizers ?? [];
}
