/**
 * Which pods were planned onto a claim that is on its way. Until its node is ready they are not planned again, and they take their
 * room on it: planned anew each time, pods that can go anywhere would take the places of those that cannot, and machines
 * would be bought for these over and over. A pod that found another place, or goes, gives its room back: those whose place it
 * took get it.
 */
import type { Pod, StoreChange, Stored } from '@chandler/kube';
import type { NodeClaim } from '../api/index.ts';
import { conditionOf, failedToBootstrap, isTerminal, isTerminating, type PodObject } from './objects.ts';
import { BY_PROVIDER_ID, type Stores } from './stores.ts';

interface Promised {
  readonly claimName: string;
  readonly namespace: string;
  readonly name: string;
  /** Where it was when it was promised a place: a pod that has to move is still on the node that goes. */
  readonly nodeName: string | undefined;
}

export class Promises {
  readonly #stores: Stores;
  /** By pod UID. */
  readonly #promised = new Map<string, Promised>();
  /** UIDs by claim name. */
  readonly #byClaim = new Map<string, Set<string>>();

  constructor(stores: Stores) {
    this.#stores = stores;
    stores.pods.store.subscribe((change) => this.#onPod(change));
  }

  give(claimName: string, pods: Iterable<PodObject>): void {
    for (const { metadata } of pods) {
      const { uid, namespace, name } = metadata;
      this.#drop(uid);
      const pod = this.#stores.pods.store.get({ namespace, name });
      if (pod?.metadata.uid !== uid) continue;
      this.#promised.set(uid, { claimName, namespace, name, nodeName: pod.spec.nodeName });
      const uids = this.#byClaim.get(claimName) ?? new Set();
      this.#byClaim.set(claimName, uids.add(uid));
    }
  }

  /** The claim that a pod waits for. */
  claimOf(podUid: string): Stored<NodeClaim> | undefined {
    const promised = this.#promised.get(podUid);
    if (promised === undefined) return undefined;
    const claim = this.#stores.claims.store.get({ name: promised.claimName });
    if (claim !== undefined && this.#isOnItsWay(claim)) return claim;
    this.forget(promised.claimName);
    return undefined;
  }

  has(claimName: string): boolean {
    return this.#byClaim.has(claimName);
  }

  /** Those that still wait, as they are now. */
  podsOf(claimName: string): readonly PodObject[] {
    return [...(this.#byClaim.get(claimName) ?? [])].flatMap((uid) => {
      const { namespace, name } = this.#promised.get(uid)!;
      return this.#stores.pods.store.get({ namespace, name }) ?? [];
    });
  }

  forget(claimName: string): void {
    for (const uid of this.#byClaim.get(claimName) ?? []) this.#promised.delete(uid);
    this.#byClaim.delete(claimName);
  }

  /** A Node that had joined and went may never come back. */
  #isOnItsWay(claim: Stored<NodeClaim>): boolean {
    if (claim.metadata.deletionTimestamp !== undefined || failedToBootstrap(claim)) return false;
    if (conditionOf(claim, 'Initialized')?.status === 'True') return false;
    if (conditionOf(claim, 'Registered')?.status !== 'True') return true;
    return this.#stores.nodes.store.by(BY_PROVIDER_ID, claim.status?.providerID ?? '').length > 0;
  }

  #onPod({ type, object: pod }: StoreChange<Pod>): void {
    const promised = this.#promised.get(pod.metadata.uid);
    if (promised === undefined) return;
    const elsewhere = pod.spec.nodeName !== promised.nodeName;
    if (type === 'deleted' || elsewhere || isTerminal(pod) || isTerminating(pod))
      this.#drop(pod.metadata.uid);
  }

  #drop(uid: string): void {
    const promised = this.#promised.get(uid);
    if (promised === undefined) return;
    this.#promised.delete(uid);
    const uids = this.#byClaim.get(promised.claimName);
    uids?.delete(uid);
    if (uids?.size === 0) this.#byClaim.delete(promised.claimName);
  }
}
