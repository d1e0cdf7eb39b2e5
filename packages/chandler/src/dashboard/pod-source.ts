/**
 * Where the rows of pods come from: a store of rows, or a store of whole pods of which rows are made when somebody asks. The second
 * is for a process that has the pods already and must not keep them twice.
 */
import type { ObjectKey, Pod, Store, StoreChange, Stored } from '@chandler/kube';
import { BY_NODE } from '../state/index.ts';
import { type PagePod, trimToRow } from './page-pods.ts';
import type { TalliedPod } from './pod-tally.ts';

export interface PodSource {
  get(key: ObjectKey): Stored<PagePod> | undefined;
  /** As they are now: what changes while they are read is not in it. */
  values(): Iterable<Stored<PagePod>>;
  /** Without a node. */
  pending(): Iterable<Stored<PagePod>>;
  onNode(name: string): Iterable<Stored<PagePod>>;
  /**
   * Returns the function to unsubscribe.
   * @param guarded for all that is done in the listener of the store: also the rows that are made for this listener.
   */
  subscribe(
    listener: (change: StoreChange<PagePod>) => void,
    guarded: <T>(take: (change: T) => void) => (change: T) => void,
  ): () => void;
}

export function storedRows(store: Store<PagePod>): PodSource {
  return {
    get: (key) => store.get(key),
    values: () => [...store.values()],
    pending: () => [...store.values()].filter(({ phase }) => phase === 'p'),
    onNode: (name) => [...store.values()].filter(({ nodeName }) => nodeName === name),
    subscribe: (listener, guarded) => store.subscribe(guarded(listener)),
  };
}

/** @param store with the index `BY_NODE`. Pods that have succeeded are not shown. */
export function rowsOfPods(store: Store<Pod>): PodSource {
  const row = (pod: Stored<Pod> | undefined) =>
    pod === undefined || !isShown(pod) ? undefined : trimToRow(pod as unknown as Stored<TalliedPod>, ANY);
  return {
    get: (key) => row(store.get(key)),
    values: () => mapped([...store.values()]),
    pending: () => mapped([...store.values()].filter(({ spec }) => (spec?.nodeName ?? '') === '')),
    onNode: (name) => mapped(store.by(BY_NODE, name)),
    subscribe: (listener, guarded) =>
      store.subscribe(
        guarded(({ type, object, before, initial }: StoreChange<Pod>) => {
          const old = row(before);
          const now = type === 'deleted' ? undefined : row(object);
          const more = initial === true ? { initial } : {};
          if (now === undefined) {
            if (old !== undefined) listener({ type: 'deleted', object: old, before: old });
          } else if (old === undefined) listener({ type: 'added', object: now, ...more });
          else listener({ type: 'updated', object: now, before: old, ...more });
        }),
      ),
  };

  function* mapped(pods: readonly Stored<Pod>[]): Generator<Stored<PagePod>> {
    for (const pod of pods) {
      const shown = row(pod);
      if (shown !== undefined) yield shown;
    }
  }
}

// ---------------------------------------------------------------------------------------------------

/** Rows are used and dropped: nothing of them is shared. */
const ANY = { string: (text: string) => text };

function isShown({ status }: Stored<Pod>): boolean {
  return status?.phase !== 'Succeeded';
}
