/**
 * The current state of the cluster, updated from the stores: a change updates only its node. It adds what no object
 * contains: nominations, reservations, exchanges and marks for deletion. Nothing of it is persisted; it is rebuilt after a
 * restart.
 */
import type { Clock, Node, Pod, StoreChange, Stored } from '@chandler/kube';
import { KarpenterLabel, type NodeClaim } from '../api/index.ts';
import { type ClusterNode, joinNode } from './cluster-node.ts';
import { Exchanges } from './exchanges.ts';
import { PodReservations } from './pod-reservations.ts';
import { BY_NODE, BY_PROVIDER_ID, type Stores } from './stores.ts';

export interface ClusterOptions {
  /** The name that the Node of a claim will have. A Node registers before the cloud has set its providerID. */
  readonly nodeName: (claim: Stored<NodeClaim>) => string;
}

export class Cluster {
  readonly stores: Stores;
  readonly exchanges = new Exchanges();
  readonly #options: ClusterOptions;
  /** Names of claims by the name that their Node will have. */
  readonly #claimOfNodeName = new Map<string, string>();
  readonly #clock: Clock;
  readonly #nodes = new Map<string, ClusterNode>();
  /** Objects whose node must be updated. */
  readonly #dirtyClaims = new Set<string>();
  readonly #dirtyNodes = new Set<string>();
  /** The current key of a claim or a Node. */
  readonly #keyOfClaim = new Map<string, string>();
  readonly #keyOfNode = new Map<string, string>();
  /** Until when (monotonic) a node is nominated for pods, by name of node or claim. */
  readonly #nominated = new Map<string, number>();
  readonly #reservations: PodReservations;
  /** UIDs of pods that a rolling update replaces. */
  readonly #succeeded = new Set<string>();
  /** Keys of nodes that are marked for deletion. */
  readonly #marked = new Set<string>();

  constructor(stores: Stores, clock: Clock, options: ClusterOptions) {
    this.stores = stores;
    this.#options = options;
    this.#clock = clock;
    this.#reservations = new PodReservations(stores, (nodeName) => {
      const node = this.nodeNamed(nodeName);
      return node !== undefined && this.isMarkedForDeletion(node);
    });
    stores.claims.store.subscribe((change) => this.#onClaim(change));
    stores.nodes.store.subscribe((change) => this.#onNode(change));
    for (const claim of stores.claims.store.values()) {
      this.#dirtyClaims.add(claim.metadata.name);
      this.#claimOfNodeName.set(options.nodeName(claim), claim.metadata.name);
    }
    for (const node of stores.nodes.store.values()) this.#dirtyNodes.add(node.metadata.name);
  }

  /** Every node and every claim once, by key. */
  nodes(): IterableIterator<ClusterNode> {
    this.#refresh();
    return this.#nodes.values();
  }

  nodeOfClaim(name: string): ClusterNode | undefined {
    this.#refresh();
    return this.#nodes.get(this.#keyOfClaim.get(name) ?? '');
  }

  nodeNamed(name: string): ClusterNode | undefined {
    this.#refresh();
    return this.#nodes.get(this.#keyOfNode.get(name) ?? '');
  }

  podsOn(node: ClusterNode): readonly Stored<Pod>[] {
    return node.node === undefined ? [] : this.stores.pods.store.by(BY_NODE, node.name);
  }

  /** Deleted already, or marked for deletion by us. */
  isMarkedForDeletion(node: ClusterNode): boolean {
    return node.deleting || this.#marked.has(node.key);
  }

  mark(keys: Iterable<string>): void {
    for (const key of keys) this.#marked.add(key);
  }

  unmark(keys: Iterable<string>): void {
    for (const key of keys) this.#marked.delete(key);
  }

  /** Pods whose successors exist, or will: for them no other place is planned. */
  succeeded(podUids: Iterable<string>): void {
    for (const uid of podUids) this.#succeeded.add(uid);
  }

  unsucceeded(podUids: Iterable<string>): void {
    for (const uid of podUids) this.#succeeded.delete(uid);
  }

  hasSuccessor({ metadata }: Stored<Pod>): boolean {
    return this.#succeeded.has(metadata.uid);
  }

  /** Pods are nominated to it; it must not be disrupted until then. */
  nominate(name: string, forMs: number): void {
    this.#nominated.set(name, this.#clock.monotonic() + forMs);
  }

  isNominated(node: ClusterNode): boolean {
    const now = this.#clock.monotonic();
    const isFresh = (name: string) => (this.#nominated.get(name) ?? 0) > now;
    return isFresh(node.name) || (node.claim !== undefined && isFresh(node.claim.metadata.name));
  }

  /** Reserves capacity for these pods; they are not scheduled again while the claim is in flight. */
  reserve(claimName: string, pods: Iterable<Stored<Pod>>): void {
    this.#reservations.reserve(claimName, pods);
  }

  /** The in-flight claim that a pod waits for. */
  reservedClaim(podUid: string): NodeClaim | undefined {
    return this.#reservations.claimOf(podUid);
  }

  /** Whether pods wait for this claim. */
  hasReservations(claimName: string): boolean {
    return this.#reservations.has(claimName);
  }

  /** The pods with reservations on a claim in flight. */
  reservedPods(claimName: string): readonly Stored<Pod>[] {
    return this.#reservations.podsOf(claimName);
  }

  /** Claims that are not launched yet. */
  unlaunched(): readonly ClusterNode[] {
    return [...this.nodes()].filter((node) => !node.launched && !node.deleting);
  }

  /** A later claim may have the name by now: addresses, and names made of them, are used again. */
  #forgetNodeName(nodeName: string, claim: string): void {
    if (this.#claimOfNodeName.get(nodeName) === claim) this.#claimOfNodeName.delete(nodeName);
  }

  #onClaim({ object, before, type }: StoreChange<NodeClaim>): void {
    const { name } = object.metadata;
    const nodeName = this.#options.nodeName(object);
    // On some clouds the name is known only when the instance is.
    const earlier = before === undefined ? nodeName : this.#options.nodeName(before);
    if (earlier !== nodeName) this.#forgetNodeName(earlier, name);
    this.#dirtyClaims.add(name);
    if (type === 'deleted') {
      this.#forgetNominations(name);
      this.#forgetNodeName(nodeName, name);
    } else this.#claimOfNodeName.set(nodeName, name);
    if (this.stores.nodes.store.get({ name: nodeName }) !== undefined) this.#dirtyNodes.add(nodeName);
    for (const claim of [object, before]) this.#dirtyPartners(claim?.status?.providerID);
  }

  #onNode({ object, before, type }: StoreChange<Node>): void {
    this.#dirtyNodes.add(object.metadata.name);
    const awaited = this.#claimOfNodeName.get(object.metadata.name);
    if (awaited !== undefined) this.#dirtyClaims.add(awaited);
    if (type === 'deleted') this.#forgetNominations(object.metadata.name);
    for (const node of [object, before]) this.#dirtyPartners(node?.spec?.providerID);
  }

  /** A change may connect a Node and a claim, or separate them. */
  #dirtyPartners(providerID: string | undefined): void {
    if (!providerID) return;
    for (const claim of this.stores.claims.store.by(BY_PROVIDER_ID, providerID))
      this.#dirtyClaims.add(claim.metadata.name);
    for (const node of this.stores.nodes.store.by(BY_PROVIDER_ID, providerID))
      this.#dirtyNodes.add(node.metadata.name);
  }

  #forgetNominations(name: string): void {
    this.#nominated.delete(name);
    const now = this.#clock.monotonic();
    for (const [other, until] of this.#nominated) if (until <= now) this.#nominated.delete(other);
    this.#reservations.forget(name);
  }

  #refresh(): void {
    if (this.#dirtyClaims.size === 0 && this.#dirtyNodes.size === 0) return;
    for (const name of this.#dirtyClaims) this.#drop(this.#keyOfClaim, name);
    for (const name of this.#dirtyNodes) this.#drop(this.#keyOfNode, name);
    // Claims first: a Node is stored with its claim.
    for (const name of this.#dirtyClaims) this.#fileClaim(name);
    for (const name of this.#dirtyNodes) this.#fileNode(name);
    this.#dirtyClaims.clear();
    this.#dirtyNodes.clear();
    for (const key of this.#marked) if (!this.#nodes.has(key)) this.#marked.delete(key);
  }

  #drop(keys: Map<string, string>, name: string): void {
    const key = keys.get(name);
    if (key === undefined) return;
    keys.delete(name);
    const known = this.#nodes.get(key);
    if (known === undefined) return;
    this.#nodes.delete(key);
    // The other object stays and must be stored again.
    if (known.claim !== undefined && keys !== this.#keyOfClaim)
      this.#dirtyClaims.add(known.claim.metadata.name);
    if (known.node !== undefined && keys !== this.#keyOfNode) this.#dirtyNodes.add(known.node.metadata.name);
  }

  #fileClaim(name: string): void {
    const claim = this.stores.claims.store.get({ name });
    if (claim === undefined) return;
    const providerID = claim.status?.providerID ?? '';
    const nodes = providerID === '' ? [] : this.stores.nodes.store.by(BY_PROVIDER_ID, providerID);
    this.#file(joinNode(nodes[0] ?? this.#nodeWithoutId(claim), claim));
  }

  /** The Node of the claim whose providerID is not set yet; otherwise the instance would count twice until then. */
  #nodeWithoutId(claim: Stored<NodeClaim>): Stored<Node> | undefined {
    const node = this.stores.nodes.store.get({ name: this.#options.nodeName(claim) });
    if (node === undefined || (node.spec?.providerID ?? '') !== '') return undefined;
    const pool = claim.metadata.labels?.[KarpenterLabel.nodePool];
    const poolOfNode = node.metadata.labels?.[KarpenterLabel.nodePool];
    return poolOfNode === undefined || poolOfNode === pool ? node : undefined;
  }

  #fileNode(name: string): void {
    if (this.#keyOfNode.has(name)) return;
    const node = this.stores.nodes.store.get({ name });
    if (node === undefined) return;
    const joined = joinNode(node, undefined);
    // A second Node with the same providerID must not hide the first.
    this.#file(this.#nodes.has(joined.key) ? { ...joined, key: name } : joined);
  }

  #file(joined: ClusterNode): void {
    this.#nodes.set(joined.key, joined);
    if (joined.claim !== undefined) this.#keyOfClaim.set(joined.claim.metadata.name, joined.key);
    if (joined.node !== undefined) this.#keyOfNode.set(joined.node.metadata.name, joined.key);
  }
}
