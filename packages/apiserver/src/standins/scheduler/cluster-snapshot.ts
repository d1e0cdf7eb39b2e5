/**
 * The cluster as the scheduler sees it: nodes with their pods and free resources, updated with every change so that a
 * decision does not recompute them. It decides nothing.
 */
import type {
  CSINode,
  Labels,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  PodAffinityTerm,
  StorageClass,
  Stored,
  Taint,
} from '@chandler/kube';
import { controllerOf, isFinished, isTerminating, labelsOf, nameOf, namespaceOf } from '../object-facts.ts';
import { type Amounts, addAll, amountsOf, NOTHING, podRequests } from '../resources.ts';
import { type HostPort, hostPortsOf } from './host-ports.ts';

/** A pod with a node, and what is derived from it once. */
export interface PlacedPod {
  readonly pod: Stored<Pod>;
  readonly node: string;
  readonly namespace: string;
  readonly labels: Labels;
  readonly terminating: boolean;
  readonly requests: Amounts;
  readonly ports: readonly HostPort[];
  /** Its required anti-affinity terms. */
  readonly repels: readonly PodAffinityTerm[];
}

export interface NodeInfo {
  readonly name: string;
  readonly node: Node;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly allocatable: Amounts;
  readonly pods: ReadonlyMap<string, PlacedPod>;
  readonly used: Amounts;
}

/** Objects that the scheduler looks up by name. */
export interface Lookup {
  namespaceLabels(namespace: string): Labels;
  claim(namespace: string, name: string): Stored<PersistentVolumeClaim> | undefined;
  volume(name: string): Stored<PersistentVolume> | undefined;
  volumes(): Iterable<Stored<PersistentVolume>>;
  storageClass(name: string): Stored<StorageClass> | undefined;
  csiNode(name: string): Stored<CSINode> | undefined;
  /** Names of the volumes that are attached to the node. */
  attachedTo(node: string): Iterable<string>;
}

export class ClusterSnapshot {
  readonly lookup: Lookup;
  readonly #nodes = new Map<string, MutableNode>();
  readonly #placed = new Map<string, PlacedPod>();
  readonly #byNamespace = new Map<string, Map<string, PlacedPod>>();
  readonly #repelling = new Map<string, PlacedPod>();
  readonly #byOwner = new Map<string, Map<string, number>>();
  #sorted: MutableNode[] | undefined;

  constructor(lookup: Lookup) {
    this.lookup = lookup;
  }

  /** Nodes the API server knows, by name. */
  get nodes(): readonly NodeInfo[] {
    this.#sorted ??= [...this.#nodes.values()]
      .filter((info) => info.known)
      .sort((left, right) => (left.name < right.name ? -1 : 1));
    return this.#sorted;
  }

  node(name: string): NodeInfo | undefined {
    const info = this.#nodes.get(name);
    return info?.known ? info : undefined;
  }

  podsIn(namespace: string): Iterable<PlacedPod> {
    return this.#byNamespace.get(namespace)?.values() ?? [];
  }

  get placed(): Iterable<PlacedPod> {
    return this.#placed.values();
  }

  /** Placed pods with required anti-affinity. */
  get repelling(): Iterable<PlacedPod> {
    return this.#repelling.values();
  }

  /** How many pods of the same owner the node has. */
  siblings(ownerUid: string, node: string): number {
    return this.#byOwner.get(ownerUid)?.get(node) ?? 0;
  }

  setNode(node: Stored<Node>): void {
    const info = this.#nodeCalled(nameOf(node));
    info.node = node;
    info.labels = labelsOf(node);
    info.taints = node.spec?.taints ?? [];
    info.allocatable = amountsOf(node.status?.allocatable);
    if (!info.known) this.#sorted = undefined;
    info.known = true;
  }

  removeNode(name: string): void {
    const info = this.#nodes.get(name);
    if (!info) return;
    info.known = false;
    this.#sorted = undefined;
    if (info.pods.size === 0) this.#nodes.delete(name);
  }

  /** Updates the pod; `node` is its assumed node when its spec does not contain it yet. */
  setPod(pod: Stored<Pod>, node = pod.spec.nodeName): void {
    const key = podKey(pod);
    this.removePod(key);
    if (node === undefined || node === '' || isFinished(pod)) return;
    const placed = placedPod(pod, node);
    this.#placed.set(key, placed);
    nested(this.#byNamespace, placed.namespace).set(key, placed);
    if (placed.repels.length > 0) this.#repelling.set(key, placed);
    this.#countSibling(placed, 1);
    const info = this.#nodeCalled(node);
    info.pods.set(key, placed);
    addAll(info.used, placed.requests);
  }

  removePod(key: string): void {
    const placed = this.#placed.get(key);
    if (!placed) return;
    this.#placed.delete(key);
    this.#byNamespace.get(placed.namespace)?.delete(key);
    this.#repelling.delete(key);
    this.#countSibling(placed, -1);
    const info = this.#nodeCalled(placed.node);
    info.pods.delete(key);
    addAll(info.used, placed.requests, -1);
    if (!info.known && info.pods.size === 0) this.#nodes.delete(info.name);
  }

  #countSibling(placed: PlacedPod, change: 1 | -1): void {
    const owner = controllerOf(placed.pod)?.uid;
    if (owner === undefined) return;
    const counts = nested(this.#byOwner, owner);
    const count = (counts.get(placed.node) ?? 0) + change;
    if (count > 0) counts.set(placed.node, count);
    else counts.delete(placed.node);
    if (counts.size === 0) this.#byOwner.delete(owner);
  }

  /** A pod may refer to a node that the watch has not delivered yet. */
  #nodeCalled(name: string): MutableNode {
    let info = this.#nodes.get(name);
    if (!info) {
      info = {
        name,
        node: { metadata: { name } },
        labels: {},
        taints: [],
        allocatable: NOTHING,
        pods: new Map(),
        used: new Map(),
        known: false,
      };
      this.#nodes.set(name, info);
    }
    return info;
  }
}

export function podKey(pod: Stored<Pod>): string {
  return `${namespaceOf(pod)}/${nameOf(pod)}`;
}

// ---------------------------------------------------------------------------------------------------

interface MutableNode extends NodeInfo {
  node: Node;
  labels: Labels;
  taints: readonly Taint[];
  allocatable: Amounts;
  readonly pods: Map<string, PlacedPod>;
  readonly used: Map<string, number>;
  known: boolean;
}

function placedPod(pod: Stored<Pod>, node: string): PlacedPod {
  return {
    pod,
    node,
    namespace: namespaceOf(pod),
    labels: labelsOf(pod),
    terminating: isTerminating(pod),
    requests: podRequests(pod.spec),
    ports: hostPortsOf(pod.spec),
    repels: pod.spec.affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [],
  };
}

function nested<V>(maps: Map<string, Map<string, V>>, key: string): Map<string, V> {
  let map = maps.get(key);
  if (!map) {
    map = new Map();
    maps.set(key, map);
  }
  return map;
}
