/** The state that the playground displays, kept up to date by watches. */
import type { Node, Pod, StatusCondition } from '@chandler/kube';
import {
  EVENTS,
  fetchTransport,
  KubeClient,
  type KubeObject,
  Reflector,
  type ResourceRef,
  Store,
  type Trim,
  trimManagedFields,
  type World,
} from '@chandler/kube';
import { NODE_CLAIMS, NODE_POOLS } from '../api/index.ts';
import type { Playground } from './playground.ts';

export interface Conditioned extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly StatusCondition[];
    readonly nodeName?: string;
    readonly providerID?: string;
  };
}

export interface ClusterEvent extends KubeObject {
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly involvedObject?: { readonly kind?: string; readonly name?: string };
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
}

export class ClusterWatch {
  readonly claims: Reflector<Conditioned>;
  readonly pools: Reflector<Conditioned>;
  /** Node classes, by cloud. */
  readonly classes: readonly Reflector<Conditioned>[];
  readonly events: Reflector<ClusterEvent>;
  readonly pods: Store<Pod>;
  readonly nodes: Store<Node>;
  readonly #client: KubeClient;
  readonly #world: World;

  constructor(world: World, { server, standins, clouds }: Playground) {
    if (standins === undefined) throw new Error('the cluster view requires stand-ins');
    this.#world = world;
    this.#client = new KubeClient({ transport: fetchTransport(server.adminFetch) });
    this.pods = standins.watched.pods.store;
    this.nodes = standins.watched.nodes.store;
    this.claims = this.#reflector(NODE_CLAIMS);
    this.pools = this.#reflector(NODE_POOLS);
    this.classes = clouds.map(({ nodeClasses }) => this.#reflector(nodeClasses));
    this.events = this.#reflector(EVENTS);
  }

  start(): void {
    for (const one of this.#all()) one.start();
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all().map((one) => one.stop()));
  }

  #all(): readonly Reflector[] {
    return [this.claims, this.pools, ...this.classes, this.events] as unknown as Reflector[];
  }

  #reflector<T extends KubeObject>(resource: ResourceRef): Reflector<T> {
    const typed = resource as ResourceRef<T>;
    const store = new Store<T>({ resource: typed, trim: trimManagedFields as unknown as Trim<T> });
    return new Reflector<T>({ client: this.#client, store, world: this.#world });
  }
}
