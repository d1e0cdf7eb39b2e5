/**
 * Which pods are planned onto a claim whose node is not ready yet. Until it is, they are not planned again and they use
 * their capacity on it: planned anew each time, pods that fit anywhere would take the capacity of those that do not, and
 * instances would be launched for these over and over. A pod that is bound elsewhere, or deleted, releases its capacity.
 */
import { isOwnedByStatefulSet, type Pod, type StoreChange, type Stored } from '@chandler/kube';
import type { NodeClaim } from '../api/index.ts';
import { conditionOf, failedToBootstrap, isTerminal, isTerminating } from './objects.ts';
import { BY_PROVIDER_ID, type Stores } from './stores.ts';

interface Reservation {
  readonly claimName: string;
  readonly namespace: string;
  readonly name: string;
  /** Its node at the time of the reservation: a pod that is rescheduled is still on its old node. */
  readonly nodeName: string | undefined;
}

export class PodReservations {
  readonly #stores: Stores;
  readonly #isLeaving: (nodeName: string) => boolean;
  /** By pod UID. */
  readonly #reservations = new Map<string, Reservation>();
  /** UIDs by claim name. */
  readonly #byClaim = new Map<string, Set<string>>();

  /** @param isLeaving whether the node of this name is being removed, so that its pods need another one. */
  constructor(stores: Stores, isLeaving: (nodeName: string) => boolean) {
    this.#stores = stores;
    this.#isLeaving = isLeaving;
    stores.pods.store.subscribe((change) => this.#onPod(change));
  }

  /** @param pods as they were planned: a claim is created in a request, and a pod may be bound to another node meanwhile. */
  reserve(claimName: string, pods: Iterable<Stored<Pod>>): void {
    for (const { metadata, spec } of pods) {
      const { uid, namespace, name } = metadata;
      this.#drop(uid);
      const pod = this.#stores.pods.store.get({ namespace, name });
      if (pod?.metadata.uid !== uid) continue;
      const { nodeName } = pod.spec;
      if (nodeName !== undefined && nodeName !== spec.nodeName && !this.#isLeaving(nodeName)) continue;
      this.#reservations.set(uid, { claimName, namespace, name, nodeName });
      const uids = this.#byClaim.get(claimName) ?? new Set();
      this.#byClaim.set(claimName, uids.add(uid));
    }
  }

  /** The claim that a pod waits for. */
  claimOf(podUid: string): Stored<NodeClaim> | undefined {
    const reservation = this.#reservations.get(podUid);
    if (reservation === undefined) return undefined;
    const claim = this.#stores.claims.store.get({ name: reservation.claimName });
    if (claim !== undefined && this.#isInFlight(claim)) return claim;
    this.forget(reservation.claimName);
    return undefined;
  }

  has(claimName: string): boolean {
    return this.#byClaim.has(claimName);
  }

  /** The pods that still wait, in their current version. */
  podsOf(claimName: string): readonly Stored<Pod>[] {
    return [...(this.#byClaim.get(claimName) ?? [])].flatMap((uid) => {
      const { namespace, name } = this.#reservations.get(uid)!;
      return this.#stores.pods.store.get({ namespace, name }) ?? [];
    });
  }

  forget(claimName: string): void {
    for (const uid of this.#byClaim.get(claimName) ?? []) this.#reservations.delete(uid);
    this.#byClaim.delete(claimName);
  }

  /** A registered Node that disappeared may never return. */
  #isInFlight(claim: Stored<NodeClaim>): boolean {
    if (claim.metadata.deletionTimestamp !== undefined || failedToBootstrap(claim)) return false;
    if (conditionOf(claim, 'Initialized')?.status === 'True') return false;
    if (conditionOf(claim, 'Registered')?.status !== 'True') return true;
    return this.#stores.nodes.store.by(BY_PROVIDER_ID, claim.status?.providerID ?? '').length > 0;
  }

  #onPod({ type, object: pod }: StoreChange<Pod>): void {
    const reservation = this.#reservations.get(pod.metadata.uid);
    if (reservation === undefined) return;
    const elsewhere = pod.spec.nodeName !== reservation.nodeName;
    // A StatefulSet creates its pod again only after the old one is gone; until then the capacity is kept for it.
    const leaves = isTerminating(pod) && !isOwnedByStatefulSet(pod);
    if (type === 'deleted' || elsewhere || isTerminal(pod) || leaves) this.#drop(pod.metadata.uid);
  }

  #drop(uid: string): void {
    const reservation = this.#reservations.get(uid);
    if (reservation === undefined) return;
    this.#reservations.delete(uid);
    const uids = this.#byClaim.get(reservation.claimName);
    uids?.delete(uid);
    if (uids?.size === 0) this.#byClaim.delete(reservation.claimName);
  }
}
