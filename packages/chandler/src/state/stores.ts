/**
 * Everything that is watched: the stores, their indexes, and a client whose writes the stores show at once. The cloud
 * names its node classes.
 */
import type { KubeObject } from '@chandler/kube';
import {
  CSI_NODES,
  DAEMON_SETS,
  type IndexFunction,
  Interner,
  KubeClient,
  NAMESPACES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  ReadYourWrites,
  Reflector,
  type ResourceRef,
  STORAGE_CLASSES,
  Store,
  type Transport,
  type Trim,
  VOLUME_ATTACHMENTS,
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

import type {
  AttachmentObject,
  BudgetObject,
  CsiNodeObject,
  DaemonSetObject,
  NodeObject,
  PodObject,
  StorageClassObject,
  VolumeClaimObject,
  VolumeObject,
} from './objects.ts';
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
}

export class Stores {
  readonly pods: Reflector<PodObject>;
  readonly nodes: Reflector<NodeObject>;
  readonly claims: Reflector<NodeClaim & KubeObject>;
  readonly pools: Reflector<NodePool & KubeObject>;
  /** By `group/kind`. */
  readonly nodeClasses: ReadonlyMap<string, Reflector>;
  readonly daemonSets: Reflector<DaemonSetObject>;
  readonly budgets: Reflector<BudgetObject>;
  readonly volumes: Reflector<VolumeObject>;
  readonly volumeClaims: Reflector<VolumeClaimObject>;
  readonly storageClasses: Reflector<StorageClassObject>;
  readonly csiNodes: Reflector<CsiNodeObject>;
  readonly attachments: Reflector<AttachmentObject>;
  readonly namespaces: Reflector;
  readonly overlays: Reflector<NodeOverlay & KubeObject> | undefined;
  readonly #options: StoresOptions;
  readonly #writes = new ReadYourWrites();
  readonly #interner = new Interner();
  readonly #all: Reflector[] = [];

  constructor(options: StoresOptions) {
    this.#options = options;
    this.pods = this.#watch(PODS as ResourceRef<PodObject>, {
      [BY_NODE]: ({ spec }) => listOf(spec.nodeName),
      [BY_OWNER]: ({ metadata }) => (metadata.ownerReferences ?? []).map((owner) => owner.uid),
    });
    this.nodes = this.#watch(NODES as ResourceRef<NodeObject>, {
      [BY_PROVIDER_ID]: ({ spec }) => listOf(spec?.providerID),
    });
    this.claims = this.#watch(NODE_CLAIMS as ResourceRef<NodeClaim & KubeObject>, {
      [BY_PROVIDER_ID]: ({ status }) => listOf(status?.providerID),
      [BY_POOL]: ({ metadata }) => listOf(metadata.labels?.['karpenter.sh/nodepool']),
      [BY_CLASS]: ({ spec }) => [classKey(spec.nodeClassRef)],
    });
    this.pools = this.#watch(NODE_POOLS as ResourceRef<NodePool & KubeObject>, {
      [BY_CLASS]: ({ spec }) => [classKey(spec.template.spec.nodeClassRef)],
    });
    this.nodeClasses = new Map(
      options.nodeClasses.map((resource) => [`${resource.group}/${resource.kind}`, this.#watch(resource)]),
    );
    this.daemonSets = this.#watch(DAEMON_SETS as ResourceRef<DaemonSetObject>);
    this.budgets = this.#watch(POD_DISRUPTION_BUDGETS as ResourceRef<BudgetObject>);
    this.volumes = this.#watch(PERSISTENT_VOLUMES as ResourceRef<VolumeObject>);
    this.volumeClaims = this.#watch(PERSISTENT_VOLUME_CLAIMS as ResourceRef<VolumeClaimObject>);
    this.storageClasses = this.#watch(STORAGE_CLASSES as ResourceRef<StorageClassObject>);
    this.csiNodes = this.#watch(CSI_NODES as ResourceRef<CsiNodeObject>);
    this.attachments = this.#watch(VOLUME_ATTACHMENTS as ResourceRef<AttachmentObject>, {
      [BY_NODE]: ({ spec }) => listOf(spec?.nodeName),
    });
    this.namespaces = this.#watch(NAMESPACES);
    this.overlays = options.overlays
      ? this.#watch(NODE_OVERLAYS as ResourceRef<NodeOverlay & KubeObject>)
      : undefined;
  }

  /** A client whose writes the stores show at once. With `leader`, only writes that do no harm when late. */
  client(options: { readonly leader: boolean }): KubeClient {
    return new KubeClient({
      transport: this.#options.transport,
      onWrite: this.#writes.onWrite,
      conditionalWritesOnly: options.leader,
    });
  }

  /** Whether the node class is of our cloud: another provider may share the cluster. */
  runs({ group, kind }: Pick<ClassReference, 'group' | 'kind'>): boolean {
    return this.nodeClasses.has(`${group}/${kind}`);
  }

  /** The node class that a reference names; undefined when its kind is not ours or it does not exist. */
  nodeClass(reference: ClassReference): KubeObject | undefined {
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

  #watch<T extends KubeObject>(
    resource: ResourceRef<T>,
    indexes: Readonly<Record<string, IndexFunction<T>>> = {},
  ): Reflector<T> {
    const { world, transport } = this.#options;
    const store = new Store<T>({
      resource,
      indexes,
      interner: this.#interner,
      trim: trimOf(resource) as unknown as Trim<T>,
    });
    this.#writes.add(store as unknown as Store);
    const reflector = new Reflector<T>({ client: new KubeClient({ transport }), store, world });
    this.#all.push(reflector as unknown as Reflector);
    return reflector;
  }
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

function listOf(value: string | undefined): readonly string[] {
  return value === undefined || value === '' ? [] : [value];
}
