/**
 * The cluster state of the stand-ins: one reflector for each kind, shared by all of them, which also shows their own writes
 * before the watch delivers them. Objects are kept in full (except managed fields), because templates are copied.
 */
import {
  type AnyReflector,
  CONFIG_MAPS,
  type ConfigMap,
  CSI_NODES,
  type CSINode,
  DAEMON_SETS,
  type DaemonSet,
  DEPLOYMENTS,
  type Deployment,
  type IndexFunction,
  Interner,
  JOBS,
  type Job,
  KubeClient,
  type KubeObject,
  LEASES,
  type Lease,
  NAMESPACES,
  type NamespacedObject,
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
  ReadYourWrites,
  Reflector,
  type ReplicaSet,
  type ResourceRef,
  SERVICE_ACCOUNTS,
  STATEFUL_SETS,
  STORAGE_CLASSES,
  type StatefulSet,
  type StorageClass,
  Store,
  type Transport,
  trimManagedFields,
  VOLUME_ATTACHMENTS,
  type VolumeAttachment,
  type World,
  withUserAgent,
} from '@chandler/kube';
import { controllerOf } from './object-facts.ts';

/** Pods and workloads by the UID of what manages them; pods by node. */
export const BY_OWNER = 'owner';
export const BY_NODE = 'node';

export class Watched {
  readonly pods: Reflector<Pod>;
  readonly nodes: Reflector<Node>;
  readonly namespaces: Reflector;
  readonly claims: Reflector<PersistentVolumeClaim>;
  readonly volumes: Reflector<PersistentVolume>;
  readonly storageClasses: Reflector<StorageClass>;
  readonly csiNodes: Reflector<CSINode>;
  readonly attachments: Reflector<VolumeAttachment>;
  readonly replicaSets: Reflector<ReplicaSet>;
  readonly deployments: Reflector<Deployment>;
  readonly statefulSets: Reflector<StatefulSet>;
  readonly daemonSets: Reflector<DaemonSet>;
  readonly jobs: Reflector<Job>;
  readonly budgets: Reflector<PodDisruptionBudget>;
  readonly leases: Reflector<Lease>;
  readonly serviceAccounts: Reflector<NamespacedObject>;
  readonly rootCertificates: Reflector<ConfigMap>;
  readonly #transport: Transport;
  readonly #world: World;
  readonly #writes = new ReadYourWrites();
  readonly #interner = new Interner();
  readonly #all: AnyReflector[] = [];

  constructor(world: World, transport: Transport) {
    this.#world = world;
    this.#transport = transport;
    this.pods = this.#watch(PODS, {}, { [BY_OWNER]: ownerUid, [BY_NODE]: nodeName });
    this.nodes = this.#watch(NODES);
    this.namespaces = this.#watch(NAMESPACES);
    this.claims = this.#watch(PERSISTENT_VOLUME_CLAIMS);
    this.volumes = this.#watch(PERSISTENT_VOLUMES);
    this.storageClasses = this.#watch(STORAGE_CLASSES);
    this.csiNodes = this.#watch(CSI_NODES);
    this.attachments = this.#watch(VOLUME_ATTACHMENTS, {}, { [BY_NODE]: ({ spec }) => [spec.nodeName] });
    this.replicaSets = this.#watch(REPLICA_SETS, {}, { [BY_OWNER]: ownerUid });
    this.deployments = this.#watch(DEPLOYMENTS);
    this.statefulSets = this.#watch(STATEFUL_SETS);
    this.daemonSets = this.#watch(DAEMON_SETS);
    this.jobs = this.#watch(JOBS);
    this.budgets = this.#watch(POD_DISRUPTION_BUDGETS);
    this.leases = this.#watch(LEASES, { namespace: NODE_LEASES });
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
      trim: trimManagedFields,
      interner: this.#interner,
      accepts: ({ metadata }) =>
        (name === undefined || metadata.name === name) &&
        (namespace === undefined || metadata.namespace === namespace),
    });
    this.#writes.add(store);
    const client = this.client('kube-controller-manager');
    const reflector = new Reflector<T>({ client, store, world: this.#world, ...selection });
    this.#all.push(reflector);
    return reflector;
  }
}

export const NODE_LEASES = 'kube-node-lease';
export const ROOT_CERTIFICATE = 'kube-root-ca.crt';

// ---------------------------------------------------------------------------------------------------

function ownerUid(object: KubeObject): readonly string[] {
  const uid = controllerOf(object)?.uid;
  return uid === undefined ? [] : [uid];
}

function nodeName({ spec }: Pod): readonly string[] {
  return spec.nodeName ? [spec.nodeName] : [];
}
