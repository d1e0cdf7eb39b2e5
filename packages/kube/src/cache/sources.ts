/** What triggers a controller: changes in stores, turned into keys. Any store may feed any controller. */
import { keyOf } from '../client/resource.ts';
import type { Turns } from '../controller/turns.ts';
import { LOW_PRIORITY, type WorkQueue } from '../controller/work-queue.ts';
import type { KubeObject } from '../object.ts';
import type { Log } from '../world.ts';
import type { Reflector } from './reflector.ts';
import type { Store, StoreChange } from './store.ts';

export interface Source {
  /** Resolves when the source has delivered all initial keys. */
  readonly synced: Promise<unknown>;
  /** Feeds the queue until the returned function is called. @param turns: many objects are fed in several turns. */
  start(queue: WorkQueue, log: Log, turns: Turns): () => void;
}

export interface StoreSourceOptions<T extends KubeObject> {
  /** Keys that a change is about. Default: the object's own. */
  readonly keys?: (change: StoreChange<T>) => Iterable<string>;
  /** Filter of changes. Default: all. */
  readonly filter?: (change: StoreChange<T>) => boolean;
}

export function storeSource<T extends KubeObject>(
  from: Pick<Reflector<T>, 'store' | 'synced'>,
  options: StoreSourceOptions<T> = {},
): Source {
  const { keys = (change: StoreChange<T>) => [keyOf(change.object)], filter = () => true } = options;
  const store: Store<T> = from.store;
  return {
    synced: from.synced,
    start(queue, log, turns) {
      const feed = (change: StoreChange<T>) => {
        // A mistake in a mapping must not stop the reflector that all controllers share.
        try {
          if (!filter(change)) return;
          const priority = change.initial ? LOW_PRIORITY : 0;
          for (const key of keys(change)) queue.add(key, { priority });
        } catch (error) {
          log.error('failed to map object to reconcile requests', { error, object: keyOf(change.object) });
        }
      };
      return feedStore(store, feed, turns);
    },
  };
}

/** Reports every object of the store as added, and then each change, until the returned function is called. */
export function feedStore<T extends KubeObject>(
  store: Store<T>,
  feed: (change: StoreChange<T>) => void,
  turns: Turns,
): () => void {
  let isOpen = true;
  const feedAll = async () => {
    let count = 0;
    for (const object of store.values()) {
      feed({ type: 'added', object, initial: true });
      if (++count % FED_AT_ONCE !== 0) continue;
      const turn = turns.pass();
      if (turn !== undefined) await turn;
      if (!isOpen) return;
    }
  };
  // Up to the first pause it runs at once, and from then on changes are reported too.
  void feedAll();
  const unsubscribe = store.subscribe(feed);
  return () => {
    isOpen = false;
    unsubscribe();
  };
}

const FED_AT_ONCE = 500;

/** One key, once, at the start: for controllers that reconcile everything at once. */
export function onceSource(key = ''): Source {
  return {
    synced: Promise.resolve(),
    start(queue) {
      queue.add(key);
      return () => undefined;
    },
  };
}
