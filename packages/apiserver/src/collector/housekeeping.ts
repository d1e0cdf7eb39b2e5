/**
 * Small controllers that the plugins of the server rely on: finalizers of unused claims and volumes are removed, the status
 * of quotas is updated, old events expire.
 */
import type { KubeObject, Timer } from '@chandler/kube';
import { PV_PROTECTION, PVC_PROTECTION } from '../rest/admission/object-defaults.ts';
import { quotaUsage } from '../rest/admission/resource-quota.ts';
import type { Parts } from '../rest/parts.ts';
import { cloneJson, equalJson } from '../storage/json.ts';
import type { Stored, StoreEvent } from '../storage/store.ts';
import { KeyedQueue } from './queue.ts';

const CLAIMS = 'persistentvolumeclaims';
const VOLUMES = 'persistentvolumes';
const QUOTAS = 'resourcequotas';
const EVENTS = 'events';
export const EVENT_LIFETIME_MS = 60 * 60_000;
const SWEEP_MS = 5 * 60_000;

export class Housekeeping {
  readonly #parts: Parts;
  readonly #protected: KeyedQueue<string>;
  readonly #quotas: KeyedQueue<string>;
  readonly #stop: () => void;
  #sweep: Timer | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#protected = new KeyedQueue(parts.world, (id) => this.#release(id));
    this.#quotas = new KeyedQueue(parts.world, (namespace) => this.#count(namespace));
    this.#stop = parts.store.subscribeAll((event) => this.#on(event));
    if (parts.store.count(EVENTS) > 0) this.#scheduleSweep();
  }

  close(): void {
    this.#stop();
    this.#protected.close();
    this.#quotas.close();
    this.#sweep?.cancel();
  }

  #on({ key, type, item }: StoreEvent): void {
    if (key === CLAIMS || key === VOLUMES) {
      if (item.object.metadata.deletionTimestamp !== undefined)
        this.#protected.add(`${key}/${item.namespace}/${item.name}`);
    } else if (key === EVENTS && type === 'ADDED') {
      this.#scheduleSweep();
    } else if (key === 'pods') {
      for (const claim of claimsOf(item.object)) this.#protected.add(`${CLAIMS}/${item.namespace}/${claim}`);
    }
    if (this.#parts.store.count(QUOTAS, item.namespace) > 0) this.#quotas.add(item.namespace);
  }

  #release(id: string): void {
    const [key, namespace, name] = id.split('/') as [string, string, string];
    const { store } = this.#parts;
    const item = store.get(key, namespace, name);
    if (item?.object.metadata.deletionTimestamp === undefined) return;
    const inUse = key === CLAIMS ? this.#isMounted(item) : isBound(item.object);
    if (inUse) return;
    const finalizer = key === CLAIMS ? PVC_PROTECTION : PV_PROTECTION;
    const finalizers = item.object.metadata.finalizers ?? [];
    if (!finalizers.includes(finalizer)) return;
    const next = cloneJson(item.object);
    next.metadata.finalizers = finalizers.filter((other) => other !== finalizer);
    if (next.metadata.finalizers.length > 0) {
      store.update(key, next);
      return;
    }
    delete next.metadata.finalizers;
    store.delete(key, item, next);
  }

  #isMounted(claim: Stored): boolean {
    for (const pod of this.#parts.store.list('pods', claim.namespace)) {
      const phase = (pod.object['status'] as { phase?: string } | undefined)?.phase;
      if (phase === 'Succeeded' || phase === 'Failed') continue;
      if (claimsOf(pod.object).includes(claim.name)) return true;
    }
    return false;
  }

  #count(namespace: string): void {
    const { store, catalogue } = this.#parts;
    for (const item of [...store.list(QUOTAS, namespace)]) {
      const list = (key: string, within: string) => objectsOf(store.list(key, within));
      const used = quotaUsage(item.object, list, catalogue.all());
      const hard = (item.object['spec'] as { hard?: Record<string, string> } | undefined)?.hard ?? {};
      const status = { hard, used };
      if (equalJson(status, item.object['status'])) continue;
      store.update(QUOTAS, { ...cloneJson(item.object), status });
    }
  }

  #scheduleSweep(): void {
    this.#sweep ??= this.#parts.world.clock.after(SWEEP_MS, () => {
      this.#sweep = undefined;
      this.#expireEvents();
      if (this.#parts.store.count(EVENTS) > 0) this.#scheduleSweep();
    });
  }

  #expireEvents(): void {
    const { store, world } = this.#parts;
    const oldestMs = world.clock.now() - EVENT_LIFETIME_MS;
    for (const item of [...store.list(EVENTS)]) {
      const { lastTimestamp, series } = item.object as {
        lastTimestamp?: string;
        series?: { lastObservedTime?: string };
      };
      const seen = series?.lastObservedTime ?? lastTimestamp ?? item.object.metadata.creationTimestamp ?? '';
      if (Date.parse(seen) < oldestMs) store.delete(EVENTS, item);
    }
  }
}

// ---------------------------------------------------------------------------------------------------

function claimsOf(pod: KubeObject): string[] {
  const spec = pod['spec'] as { volumes?: { persistentVolumeClaim?: { claimName: string } }[] } | undefined;
  return (spec?.volumes ?? []).flatMap(({ persistentVolumeClaim: claim }) =>
    claim === undefined ? [] : [claim.claimName],
  );
}

function isBound(volume: KubeObject): boolean {
  return (volume['status'] as { phase?: string } | undefined)?.phase === 'Bound';
}

function* objectsOf(items: Iterable<Stored>): Generator<KubeObject> {
  for (const { object } of items) yield object;
}
