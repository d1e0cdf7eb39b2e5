/**
 * The cluster state of the stand-ins: one reflector for each kind, shared by all of them, which also shows their own writes
 * before the watch delivers them. Objects are kept in full (except managed fields), because templates are copied.
 */
import {
  CONFIG_MAPS,
  type IndexFunction,
  Interner,
  KubeClient,
  type KubeObject,
  ReadYourWrites,
  Reflector,
  type ResourceRef,
  SERVICE_ACCOUNTS,
  Store,
  type Transport,
  type Trim,
  trimManagedFields,
  type World,
  withUserAgent,
} from '@chandler/kube';
import * as kinds from './kinds.ts';

/** Pods and workloads by the UID of what manages them; pods by node. */
export const BY_OWNER = 'owner';
export const BY_NODE = 'node';

export class Watched {
  readonly pods: Reflector<kinds.Pod>;
  readonly nodes: Reflector<kinds.Node>;
  readonly namespaces: Reflector;
  readonly claims: Reflector<kinds.Claim>;
  readonly volumes: Reflector<kinds.PersistentVolume>;
  readonly storageClasses: Reflector<kinds.StorageClass>;
  readonly csiNodes: Reflector<kinds.CsiNode>;
  readonly attachments: Reflector<kinds.VolumeAttachment>;
  readonly replicaSets: Reflector<kinds.ReplicaSet>;
  readonly deployments: Reflector<kinds.Deployment>;
  readonly statefulSets: Reflector<kinds.StatefulSet>;
  readonly daemonSets: Reflector<kinds.DaemonSet>;
  readonly jobs: Reflector<kinds.Job>;
  readonly budgets: Reflector<kinds.DisruptionBudget>;
  readonly leases: Reflector<kinds.Lease>;
  readonly serviceAccounts: Reflector;
  readonly rootCertificates: Reflector;
  readonly #transport: Transport;
  readonly #world: World;
  readonly #writes = new ReadYourWrites();
  readonly #interner = new Interner();
  readonly #all: Reflector[] = [];

  constructor(world: World, transport: Transport) {
    this.#world = world;
    this.#transport = transport;
    this.pods = this.#watch(kinds.PODS, {}, { [BY_OWNER]: ownerUid, [BY_NODE]: nodeName });
    this.nodes = this.#watch(kinds.NODES);
    this.namespaces = this.#watch(kinds.NAMESPACES);
    this.claims = this.#watch(kinds.CLAIMS);
    this.volumes = this.#watch(kinds.VOLUMES);
    this.storageClasses = this.#watch(kinds.STORAGE_CLASSES);
    this.csiNodes = this.#watch(kinds.CSI_NODES);
    this.attachments = this.#watch(kinds.ATTACHMENTS, {}, { [BY_NODE]: ({ spec }) => [spec.nodeName] });
    this.replicaSets = this.#watch(kinds.REPLICA_SETS, {}, { [BY_OWNER]: ownerUid });
    this.deployments = this.#watch(kinds.DEPLOYMENTS);
    this.statefulSets = this.#watch(kinds.STATEFUL_SETS);
    this.daemonSets = this.#watch(kinds.DAEMON_SETS);
    this.jobs = this.#watch(kinds.JOBS);
    this.budgets = this.#watch(kinds.BUDGETS);
    this.leases = this.#watch(kinds.LEASES, { namespace: NODE_LEASES });
    this.serviceAccounts = this.#watch(SERVICE_ACCOUNTS, { fieldSelector: 'metadata.name=default' });
    this.rootCertificates = this.#watch(CONFIG_MAPS, { fieldSelector: `metadata.name=${ROOT_CERTIFICATE}` });
  }

  /** A client whose writes the stores show at once. Its name appears in managed fields and audit logs. */
  client(component: string): KubeClient {
    const transport = withUserAgent(this.#transport, component);
    return new KubeClient({ transport, onWrite: this.#writes.onWrite });
  }

  /** Resolves when every initial list is complete. */
  async start(): Promise<void> {
    for (const reflector of this.#all) reflector.start();
    await Promise.all(this.#all.map((reflector) => reflector.synced));
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map((reflector) => reflector.stop()));
  }

  #watch<T extends KubeObject>(
    resource: ResourceRef<T>,
    selection: { namespace?: string; fieldSelector?: string } = {},
    indexes: Readonly<Record<string, IndexFunction<T>>> = {},
  ): Reflector<T> {
    const { namespace, fieldSelector } = selection;
    const name = fieldSelector?.split('=')[1];
    const store = new Store<T>({
      resource,
      indexes,
      trim: trimManagedFields as unknown as Trim<T>,
      interner: this.#interner,
      accepts: ({ metadata }) =>
        (name === undefined || metadata.name === name) &&
        (namespace === undefined || metadata.namespace === namespace),
    });
    this.#writes.add(store as unknown as Store);
    const client = this.client('kube-controller-manager');
    const reflector = new Reflector<T>({ client, store, world: this.#world, ...selection });
    this.#all.push(reflector as unknown as Reflector);
    return reflector;
  }
}

export const NODE_LEASES = 'kube-node-lease';
export const ROOT_CERTIFICATE = 'kube-root-ca.crt';

// ---------------------------------------------------------------------------------------------------

function ownerUid(object: KubeObject): readonly string[] {
  const uid = kinds.controllerOf(object)?.uid;
  return uid === undefined ? [] : [uid];
}

function nodeName({ spec }: kinds.Pod): readonly string[] {
  return spec.nodeName ? [spec.nodeName] : [];
}
