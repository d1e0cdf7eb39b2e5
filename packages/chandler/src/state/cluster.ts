/**
 * The cluster as it is known now, kept up with the stores: a change touches only the node it is about. Adds what no
 * object says: which nodes are nominated for pods and which are about to go. Nothing here is written
 * anywhere; after a restart it is built anew.
 */
import type { Clock, KubeObject, StoreChange } from '@chandler/kube';
import type { NodeClaim } from '../api/index.ts';
import { type ClusterNode, joinNode } from './cluster-node.ts';
import type { NodeObject, PodObject } from './objects.ts';
import { PodReservations } from './pod-reservations.ts';
import { BY_NODE, BY_PROVIDER_ID, type Stores } from './stores.ts';

export class Cluster {
  readonly stores: Stores;
  readonly #clock: Clock;
  readonly #nodes = new Map<string, ClusterNode>();
  /** Objects whose node has to be looked at again. */
  readonly #dirtyClaims = new Set<string>();
  readonly #dirtyNodes = new Set<string>();
  /** The key under which a claim or a Node stands now. */
  readonly #keyOfClaim = new Map<string, string>();
  readonly #keyOfNode = new Map<string, string>();
  /** Until when (monotonic) a node is nominated for pods, by name of node or claim. */
  readonly #nominated = new Map<string, number>();
  readonly #reservations: PodReservations;
  /** Nodes that are about to go by our own decision, by key. */
  readonly #marked = new Set<string>();

  constructor(stores: Stores, clock: Clock) {
    this.stores = stores;
    this.#clock = clock;
    this.#reservations = new PodReservations(stores);
    stores.claims.store.subscribe((change) => this.#onClaim(change));
    stores.nodes.store.subscribe((change) => this.#onNode(change));
    for (const claim of stores.claims.store.values()) this.#dirtyClaims.add(claim.metadata.name ?? '');
    for (const node of stores.nodes.store.values()) this.#dirtyNodes.add(node.metadata.name ?? '');
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

  podsOn(node: ClusterNode): readonly PodObject[] {
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

  /** Pods were planned onto it; it is left alone for a while. */
  nominate(name: string, forMs: number): void {
    this.#nominated.set(name, this.#clock.monotonic() + forMs);
  }

  isNominated(node: ClusterNode): boolean {
    const now = this.#clock.monotonic();
    return [node.name, node.claim?.metadata.name ?? ''].some(
      (name) => (this.#nominated.get(name) ?? 0) > now,
    );
  }

  /** These pods wait for this claim; while it is on its way they are not planned again. */
  reserve(claimName: string, pods: Iterable<PodObject>): void {
    this.#reservations.reserve(claimName, pods);
  }

  /** The claim on its way that a pod waits for. */
  reservedClaim(podUid: string): NodeClaim | undefined {
    return this.#reservations.claimOf(podUid);
  }

  /** Pods wait for this claim. */
  hasReservations(claimName: string): boolean {
    return this.#reservations.has(claimName);
  }

  /** The pods that take their room on a claim while it is on its way. */
  reservedPods(claimName: string): readonly PodObject[] {
    return this.#reservations.podsOf(claimName);
  }

  /** Claims that no machine was accepted for yet. */
  unlaunched(): readonly ClusterNode[] {
    return [...this.nodes()].filter((node) => !node.launched && !node.deleting);
  }

  #onClaim({ object, before, type }: StoreChange<NodeClaim & KubeObject>): void {
    this.#dirtyClaims.add(object.metadata.name ?? '');
    if (type === 'deleted') this.#forgetNominations(object.metadata.name ?? '');
    for (const claim of [object, before]) this.#dirtyPartners(claim?.status?.providerID);
  }

  #onNode({ object, before, type }: StoreChange<NodeObject>): void {
    this.#dirtyNodes.add(object.metadata.name ?? '');
    if (type === 'deleted') this.#forgetNominations(object.metadata.name ?? '');
    for (const node of [object, before]) this.#dirtyPartners(node?.spec?.providerID);
  }

  /** A changed object may have found or lost its other half. */
  #dirtyPartners(providerID: string | undefined): void {
    if (!providerID) return;
    for (const claim of this.stores.claims.store.by(BY_PROVIDER_ID, providerID))
      this.#dirtyClaims.add(claim.metadata.name ?? '');
    for (const node of this.stores.nodes.store.by(BY_PROVIDER_ID, providerID))
      this.#dirtyNodes.add(node.metadata.name ?? '');
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
    // Claims first: a Node with a claim is filed with it.
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
    // The other half stays and has to be filed again.
    if (known.claim !== undefined && keys !== this.#keyOfClaim)
      this.#dirtyClaims.add(known.claim.metadata.name ?? '');
    if (known.node !== undefined && keys !== this.#keyOfNode)
      this.#dirtyNodes.add(known.node.metadata.name ?? '');
  }

  #fileClaim(name: string): void {
    const claim = this.stores.claims.store.get({ name });
    if (claim === undefined) return;
    const providerID = claim.status?.providerID ?? '';
    const nodes = providerID === '' ? [] : this.stores.nodes.store.by(BY_PROVIDER_ID, providerID);
    this.#file(joinNode(nodes[0], claim));
  }

  #fileNode(name: string): void {
    if (this.#keyOfNode.has(name)) return;
    const node = this.stores.nodes.store.get({ name });
    if (node === undefined) return;
    const joined = joinNode(node, undefined);
    // A second Node that names the same machine must not hide the first.
    this.#file(this.#nodes.has(joined.key) ? { ...joined, key: name } : joined);
  }

  #file(joined: ClusterNode): void {
    this.#nodes.set(joined.key, joined);
    if (joined.claim !== undefined) this.#keyOfClaim.set(joined.claim.metadata.name ?? '', joined.key);
    if (joined.node !== undefined) this.#keyOfNode.set(joined.node.metadata.name ?? '', joined.key);
  }
}
