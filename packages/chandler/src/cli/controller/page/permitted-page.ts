/**
 * The page as people see it who may list the same kinds: a read model over the stores of the controller, without those kinds that
 * they may not list. No object is kept a second time.
 */
import {
  CONFIG_MAPS,
  type ConfigMap,
  EVENTS,
  type KubeObject,
  NODES,
  PODS,
  type ResourceRef,
  resourceName,
  Store,
  type Timer,
  type Turns,
  turnsOf,
  type World,
  withoutSecrets,
} from '@chandler/kube';
import { NODE_CLAIMS, NODE_OVERLAYS, NODE_POOLS, type NodeClaim, type NodePool } from '../../../api/index.ts';
import { type ModelSources, ReadModel, rowsOfPods, type wire } from '../../../dashboard/index.ts';
import type { WatchedObjects } from '../../../operator/index.ts';
import { deniedKind } from '../../page/page-objects.ts';
import { type PricedStores, priceKey, readPrices } from '../../top/prices.ts';
import type { WatchedWhileShown } from './watched-while-shown.ts';

export interface PermittedPageOptions {
  readonly world: World;
  readonly watched: WatchedObjects;
  readonly events: WatchedWhileShown;
  /** What the controller keeps of failed claims and of commands. */
  readonly kept: WatchedWhileShown;
  /** As kubectl names them. */
  readonly listable: ReadonlySet<string>;
}

/** Everything that is shown of a cluster with these stores. */
export function shownKinds({ stores }: WatchedObjects): readonly ResourceRef[] {
  const kinds: readonly object[] = [NODES, PODS, NODE_CLAIMS, NODE_POOLS, EVENTS, CONFIG_MAPS];
  return [...kinds, ...pricedKinds(stores)] as readonly ResourceRef[];
}

export class PermittedPage {
  readonly model: ReadModel;
  readonly #options: PermittedPageOptions;
  readonly #priced: PricedStores;
  readonly #turns: Turns;
  readonly #denied: readonly wire.Missing[];
  #priceKey: string | undefined;
  #timer: Timer | undefined;
  #problem = '';

  constructor(options: PermittedPageOptions) {
    this.#options = options;
    const { world, watched } = options;
    this.#turns = turnsOf(world.clock);
    const sources = sourcesOf(options);
    this.#priced = pricedStores(options, sources);
    this.#denied = shownKinds(watched)
      .filter((kind) => !this.mayRead(kind))
      .map(deniedKind);
    this.model = new ReadModel({
      sources,
      clock: world.clock,
      log: world.log,
      epoch: world.random.uuid(),
      maxLogBytes: MAX_LOG_BYTES,
    });
  }

  mayRead(resource: ResourceRef): boolean {
    return this.#options.listable.has(resourceName(resource));
  }

  async start(): Promise<void> {
    await Promise.all([this.#options.events.listed(), this.#options.kept.listed()]);
    // It may be closed while it waits.
    if (this.model.isStopped) return;
    await this.#readPrices();
    if (this.model.isStopped) return;
    this.model.setMissing(this.#missing());
    await this.model.start();
    if (!this.model.isStopped) this.#schedule();
  }

  stop(): void {
    if (this.model.isStopped) return;
    this.#timer?.cancel();
    this.model.stop();
    for (const [resource, watched] of this.#shownOnly()) if (this.mayRead(resource)) watched.release();
  }

  #shownOnly(): readonly (readonly [ResourceRef, WatchedWhileShown])[] {
    const { events, kept } = this.#options;
    return [
      [EVENTS as ResourceRef, events],
      [CONFIG_MAPS as ResourceRef, kept],
    ];
  }

  #schedule(): void {
    this.#timer = this.#options.world.clock.after(CHECK_MS, () => void this.#check());
  }

  /** The process may be a controller that leads: a failure is logged, and tried again. */
  async #check(): Promise<void> {
    try {
      this.model.setMissing(this.#missing());
      await this.#readPrices();
    } catch (error) {
      this.#options.world.log.error('the page could not be checked', { error: String(error) });
    }
    if (!this.model.isStopped) this.#schedule();
  }

  /** They follow NodePools and node classes. A failure is logged once, and tried again. */
  async #readPrices(): Promise<void> {
    const key = priceKey(this.#priced);
    if (key === this.#priceKey) return;
    try {
      this.model.setPrices(await readPrices(this.#priced, undefined, () => this.#turns.pass()));
      this.#priceKey = key;
      this.#problem = '';
    } catch (error) {
      const text = withoutSecrets(error instanceof Error ? error.message : String(error));
      if (text !== this.#problem)
        this.#options.world.log.error('the prices of the page could not be read', { error: text });
      this.#problem = text;
    }
  }

  #missing(): readonly wire.Missing[] {
    const { watched } = this.#options;
    const stale = watched.stores
      .failing()
      .filter(({ resource, failingMs }) => failingMs > QUIET_MS && this.#options.listable.has(resource))
      .map(({ resource, error }) => failed(resource, error instanceof Error ? error.message : String(error)));
    const missing = [...this.#denied, ...stale];
    for (const [resource, shown] of this.#shownOnly()) {
      const problem = this.mayRead(resource) ? shown.problem() : undefined;
      if (problem !== undefined) missing.push(failed(resourceName(resource), problem));
    }
    return missing.sort((one, other) => (one.resource < other.resource ? -1 : 1));
  }
}

// ---------------------------------------------------------------------------------------------------

/** A reader that was away for longer reads the snapshot again. */
const MAX_LOG_BYTES = 2 * 1024 * 1024;
const CHECK_MS = 2_000;
const QUIET_MS = 3_000;

function failed(resource: string, text: string): wire.Missing {
  return { resource, reason: 'failed', text: `${resource} are not up to date: ${withoutSecrets(text)}` };
}

function sourcesOf({ watched, events, kept, listable }: PermittedPageOptions): ModelSources {
  const { stores, freezes } = watched;
  const may = (resource: object) => listable.has(resourceName(resource as ResourceRef));
  return {
    nodes: stores.nodes.store,
    claims: may(NODE_CLAIMS) ? stores.claims.store : nothing<NodeClaim>(NODE_CLAIMS),
    claimsAreKnown: may(NODE_CLAIMS),
    pools: may(NODE_POOLS) ? stores.pools.store : nothing<NodePool>(NODE_POOLS),
    pods: may(PODS) ? rowsOfPods(stores.pods.store) : undefined,
    events: may(EVENTS) ? events.acquire() : [],
    freezes: may(CONFIG_MAPS) ? (freezes as Store<ConfigMap>) : undefined,
    kept: may(CONFIG_MAPS) ? (kept.acquire() as unknown as readonly Store<ConfigMap>[]) : [],
  };
}

function pricedKinds({ nodeClasses, overlays }: WatchedObjects['stores']): readonly ResourceRef[] {
  const classes = [...nodeClasses.values()].map(({ store }) => store.resource);
  return overlays === undefined ? classes : [...classes, NODE_OVERLAYS as ResourceRef];
}

/** What may not be listed is not read for prices either. */
function pricedStores(
  { watched: { stores }, listable }: PermittedPageOptions,
  { nodes, pools }: ModelSources,
): PricedStores {
  const all = [...stores.nodeClasses.values(), ...(stores.overlays === undefined ? [] : [stores.overlays])];
  const priced = all
    .map(({ store }) => store as unknown as Store)
    .filter(({ resource }) => listable.has(resourceName(resource)));
  return { nodes, pools, priced };
}

function nothing<T extends KubeObject>(resource: object): Store<T> {
  return new Store<T>({ resource: resource as ResourceRef<T> });
}
