/**
 * Watches the ConfigMap by which people stop disruption (`disruption/freezes.ts` reads it). What was read last holds while the
 * API server does not answer. A role that may not read it is reported once: then there are no freezes but those of NodePools.
 */
import {
  CONFIG_MAPS,
  type ConfigMap,
  isApiError,
  type KubeClient,
  Reflector,
  type Source,
  Store,
  type World,
} from '@chandler/kube';
import { FREEZE_CONFIG_MAP, type Freeze, freezesOf } from '../../disruption/index.ts';

/** What controllers read of it. */
export interface Freezes {
  /** False until the ConfigMap, or that there is none, is known. */
  readonly known: boolean;
  /** Also those that have ended. */
  current(): readonly Freeze[];
  /** @returns a function that unsubscribes. */
  onChange(listener: () => void): () => void;
}

export interface FreezeWatchOptions {
  readonly world: World;
  readonly client: KubeClient;
  /** Of the controller. */
  readonly namespace: string;
}

export class FreezeWatch implements Freezes {
  readonly #options: FreezeWatchOptions;
  readonly #reflector: Reflector<ConfigMap>;
  readonly #listeners = new Set<() => void>();
  #freezes: readonly Freeze[] = [];
  #synced = false;
  #reported = false;

  constructor(options: FreezeWatchOptions) {
    this.#options = options;
    const { world, client, namespace } = options;
    const store = new Store<ConfigMap>({ resource: CONFIG_MAPS, trim: (object) => object });
    const fieldSelector = `metadata.name=${FREEZE_CONFIG_MAP}`;
    this.#reflector = new Reflector<ConfigMap>({ client, store, world, namespace, fieldSelector });
    store.subscribe(({ object, type }) => this.#read(type === 'deleted' ? undefined : object));
    void this.#reflector.synced.then(() => {
      this.#synced = true;
      this.#changed();
    });
  }

  get known(): boolean {
    if (this.#synced) return true;
    if (!isApiError(this.#reflector.lastError, 'forbidden')) return false;
    if (!this.#reported)
      this.#options.world.log.warn('freezes cannot be read; the role needs list and watch of the ConfigMap', {
        configMap: `${this.#options.namespace}/${FREEZE_CONFIG_MAP}`,
      });
    this.#reported = true;
    return true;
  }

  /** The ConfigMap itself. */
  get store(): Store<ConfigMap> {
    return this.#reflector.store;
  }

  current(): readonly Freeze[] {
    return this.#freezes;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Runs until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    this.#reflector.start();
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    await this.#reflector.stop();
  }

  #read(object: ConfigMap | undefined): void {
    this.#freezes = freezesOf(object);
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Enqueues these keys whenever the freezes change. */
export function freezeSource(freezes: Freezes, keys: () => Iterable<string>): Source {
  return {
    synced: Promise.resolve(),
    start: (queue) =>
      freezes.onChange(() => {
        for (const key of keys()) queue.add(key);
      }),
  };
}
