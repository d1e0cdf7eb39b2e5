/**
 * Watches the ConfigMap by which people stop disruption (`disruption/freezes.ts` reads it). What was read last holds while a
 * watch is interrupted. A role that may not read it from the start is reported once: then there are no freezes but those of
 * NodePools. When what was read is no longer updated, a freeze may have been set since then: freezes are not known.
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
  /** Whether the ConfigMap, or that there is none, is known and up to date. */
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
    const { failingMs, lastError } = this.#reflector;
    if (failingMs < OUTDATED_MS) {
      this.#reported &&= failingMs > 0;
      return this.#synced;
    }
    const forbidden = isApiError(lastError, 'forbidden');
    this.#report(forbidden);
    return !this.#synced && forbidden;
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

  #report(forbidden: boolean): void {
    if (this.#reported) return;
    this.#reported = true;
    const cure = forbidden ? '; the role needs list and watch of the ConfigMap' : '';
    const until = this.#synced ? '; nothing is disrupted until they can' : '';
    this.#options.world.log.warn(`freezes cannot be read${cure}${until}`, {
      configMap: `${this.#options.namespace}/${FREEZE_CONFIG_MAP}`,
      error: String(this.#reflector.lastError),
    });
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** An API server that starts may forbid for a moment what the role allows, and a watch that is cut is resumed sooner. */
const OUTDATED_MS = 60_000;

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
