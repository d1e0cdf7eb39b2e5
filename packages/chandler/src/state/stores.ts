/**
 * Everything that is watched: the stores, their indexes, and a client whose writes the stores show at once. The cloud
 * names its node classes.
 */
import {
  type AnyReflector,
  CSI_NODES,
  type CSINode,
  DAEMON_SETS,
  type DaemonSet,
  DEPLOYMENTS,
  type Deployment,
  type IndexFunction,
  Interner,
  isApiError,
  KubeClient,
  type KubeObject,
  NAMESPACES,
  NODES,
  type Node,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  type PersistentVolume,
  type PersistentVolumeClaim,
  POD_DISRUPTION_BUDGETS,
  PODS,
  type Pod,
  type PodDisruptionBudget,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  ReadYourWrites,
  Reflector,
  type ReplicaSet,
  type ResourceRef,
  SERVICES,
  type Service,
  STATEFUL_SETS,
  STORAGE_CLASSES,
  StaleWrites,
  type StatefulSet,
  type StorageClass,
  Store,
  type Stored,
  type Transport,
  VOLUME_ATTACHMENTS,
  type VolumeAttachment,
  type World,
} from '@chandler/kube';
import {
  NODE_CLAIMS,
  NODE_OVERLAYS,
  NODE_POOLS,
  type NodeClaim,
  type NodeOverlay,
  type NodePool,
} from '../api/index.ts';
import { trimOf } from './trim.ts';

/** Names of indexes. */
export const BY_NODE = 'node';
export const BY_PROVIDER_ID = 'providerID';
export const BY_POOL = 'pool';
export const BY_CLASS = 'class';
export const BY_OWNER = 'owner';

export interface StoresOptions {
  readonly world: World;
  /** With rate limit, retries and fence. */
  readonly transport: Transport;
  /** Node classes to watch, as the cloud names them. */
  readonly nodeClasses: readonly ResourceRef[];
  /** NodeOverlay is behind a gate, and its CRD may be absent. */
  readonly overlays?: boolean;
  /** Watch what selects pods, for default topology spread constraints. Default false. */
  readonly selectors?: boolean;
  /** Watch the workloads that disruption may roll. Default false. */
  readonly workloads?: boolean;
}

/** Services, and the controllers of pods, with their selectors. */
export interface SelectorStores {
  readonly services: Reflector<Service>;
  /** By kind. */
  readonly controllers: ReadonlyMap<string, Reflector>;
}

/** The workloads of pods. */
export interface WorkloadStores {
  readonly deployments: Reflector<Deployment>;
  readonly replicaSets: Reflector<ReplicaSet>;
  readonly statefulSets: Reflector<StatefulSet>;
}

export class Stores {
  readonly pods: Reflector<Pod>;
  readonly nodes: Reflector<Node>;
  readonly claims: Reflector<NodeClaim>;
  readonly pools: Reflector<NodePool>;
  /** By `group/kind`. */
  readonly nodeClasses: ReadonlyMap<string, Reflector>;
  readonly daemonSets: Reflector<DaemonSet>;
  readonly budgets: Reflector<PodDisruptionBudget>;
  readonly volumes: Reflector<PersistentVolume>;
  readonly volumeClaims: Reflector<PersistentVolumeClaim>;
  readonly storageClasses: Reflector<StorageClass>;
  readonly csiNodes: Reflector<CSINode>;
  readonly attachments: Reflector<VolumeAttachment>;
  readonly namespaces: Reflector;
  readonly overlays: Reflector<NodeOverlay> | undefined;
  readonly selectors: SelectorStores | undefined;
  readonly workloads: WorkloadStores | undefined;
  readonly #options: StoresOptions;
  readonly #writes = new ReadYourWrites();
  readonly #interner = new Interner();
  readonly #all: AnyReflector[] = [];

  constructor(options: StoresOptions) {
    this.#options = options;
    this.pods = this.#watch(PODS, {
      [BY_NODE]: ({ spec }) => listOf(spec.nodeName),
      [BY_OWNER]: ({ metadata }) => (metadata.ownerReferences ?? []).map((owner) => owner.uid),
    });
    this.nodes = this.#watch(NODES, {
      [BY_PROVIDER_ID]: ({ spec }) => listOf(spec?.providerID),
    });
    this.claims = this.#watch(NODE_CLAIMS, {
      [BY_PROVIDER_ID]: ({ status }) => listOf(status?.providerID),
      [BY_POOL]: ({ metadata }) => listOf(metadata.labels?.['karpenter.sh/nodepool']),
      [BY_CLASS]: ({ spec }) => classKeys(spec?.nodeClassRef),
    });
    this.pools = this.#watch(NODE_POOLS, {
      [BY_CLASS]: ({ spec }) => classKeys(spec?.template?.spec?.nodeClassRef),
    });
    this.nodeClasses = new Map(
      options.nodeClasses.map((resource) => [`${resource.group}/${resource.kind}`, this.#watch(resource)]),
    );
    this.daemonSets = this.#watch(DAEMON_SETS);
    this.budgets = this.#watch(POD_DISRUPTION_BUDGETS);
    this.volumes = this.#watch(PERSISTENT_VOLUMES);
    this.volumeClaims = this.#watch(PERSISTENT_VOLUME_CLAIMS);
    this.storageClasses = this.#watch(STORAGE_CLASSES);
    this.csiNodes = this.#watch(CSI_NODES);
    this.attachments = this.#watch(VOLUME_ATTACHMENTS, {
      [BY_NODE]: ({ spec }) => listOf(spec?.nodeName),
    });
    this.namespaces = this.#watch(NAMESPACES);
    this.overlays = options.overlays ? this.#watch(NODE_OVERLAYS) : undefined;
    this.workloads = options.workloads
      ? {
          deployments: this.#watch(DEPLOYMENTS),
          replicaSets: this.#watch(REPLICA_SETS),
          statefulSets: this.#watch(STATEFUL_SETS),
        }
      : undefined;
    // Each kind is watched once.
    const watched: Readonly<Record<string, Reflector | undefined>> = {
      [REPLICA_SETS.kind]: this.workloads?.replicaSets as Reflector | undefined,
      [STATEFUL_SETS.kind]: this.workloads?.statefulSets as Reflector | undefined,
    };
    this.selectors = options.selectors
      ? {
          services: this.#watch(SERVICES),
          controllers: new Map(
            [REPLICA_SETS, STATEFUL_SETS, REPLICATION_CONTROLLERS].map((resource) => [
              resource.kind,
              watched[resource.kind] ?? this.#watch<KubeObject>(resource as ResourceRef),
            ]),
          ),
        }
      : undefined;
    this.#measure();
  }

  /** Of every store. */
  get reflectors(): readonly AnyReflector[] {
    return this.#all;
  }

  /** Stores that are not updated because the API server rejects or does not answer their lists and watches. */
  failing(): readonly FailingStore[] {
    return this.#all.flatMap(({ resource, failingMs, lastError }) =>
      failingMs === 0 ? [] : [{ resource, failingMs, error: lastError }],
    );
  }

  /** A client whose writes the stores show at once. With `leader`, only writes that do no harm when late. */
  client(options: { readonly leader: boolean }): KubeClient {
    return new KubeClient({
      transport: this.#options.transport,
      onWrite: this.#writes.onWrite,
      conditionalWritesOnly: options.leader,
      staleWrites: new StaleWrites(this.#options.world.clock),
    });
  }

  /** Whether the node class is of our cloud: another provider may share the cluster. */
  runs(reference: Pick<ClassReference, 'group' | 'kind'> | undefined): boolean {
    return reference !== undefined && this.nodeClasses.has(`${reference.group}/${reference.kind}`);
  }

  /** The node class that a reference names; undefined when its kind is not ours or it does not exist. */
  nodeClass(reference: ClassReference | undefined): Stored | undefined {
    if (reference === undefined) return undefined;
    return this.nodeClasses.get(`${reference.group}/${reference.kind}`)?.store.get({ name: reference.name });
  }

  /** Resolves when every store is synced. */
  async start(): Promise<void> {
    for (const reflector of this.#all) reflector.start();
    await Promise.all(this.#all.map((reflector) => reflector.synced));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((reflector) => reflector.stop()));
  }

  #measure(): void {
    const { metrics } = this.#options.world;
    metrics.observableGauge(
      {
        name: 'chandler_store_age_seconds',
        help: 'How long a store has not been updated because its lists and watches fail; 0 while its watch is open.',
        labels: ['resource'],
      },
      () => this.#all.map(({ resource, failingMs }) => [failingMs / 1000, { resource }] as const),
    );
    metrics.observableGauge(
      {
        name: 'chandler_store_error',
        help: '1 for a store whose last list or watch failed, by kind of error.',
        labels: ['resource', 'error'],
      },
      () =>
        this.failing().map(
          ({ resource, error }) =>
            [1, { resource, error: isApiError(error) ? error.kind : 'other' }] as const,
        ),
    );
  }

  #watch<T extends KubeObject>(
    resource: ResourceRef<T>,
    indexes: Readonly<Record<string, IndexFunction<T>>> = {},
  ): Reflector<T> {
    const { world, transport } = this.#options;
    const store = new Store<T>({
      resource,
      indexes,
      interner: this.#interner,
      trim: trimOf(resource),
    });
    this.#writes.add(store);
    const reflector = new Reflector<T>({ client: new KubeClient({ transport }), store, world });
    this.#all.push(reflector);
    return reflector;
  }
}

export interface FailingStore {
  /** As kubectl names it: `pods`, `nodeclaims.karpenter.sh`. */
  readonly resource: string;
  readonly failingMs: number;
  readonly error: unknown;
}

export interface ClassReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}

export function classKey({ group, kind, name }: ClassReference): string {
  return `${group}/${kind}/${name}`;
}

// ---------------------------------------------------------------------------------------------------

/** An object may lack the reference: its CRD may be older, or accept anything. */
function classKeys(reference: ClassReference | undefined): readonly string[] {
  return reference === undefined ? [] : [classKey(reference)];
}

function listOf(value: string | undefined): readonly string[] {
  return value === undefined || value === '' ? [] : [value];
}
