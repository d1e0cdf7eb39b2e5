/**
 * The claims of a plan, stored as columns: state, number of pods, sum of requests. Claims are kept in buckets
 * by number of pods, because a pod tries the claim with the fewest pods first, and the oldest claim within a
 * bucket.
 */
import { type Bits, clearBit, NO_BITS, setBit, withRoom } from '../bits.ts';
import type { HostPort } from '../host-ports.ts';
import type { Requests } from '../resources.ts';
import type { PodClass } from './pod-class.ts';
import type { State } from './states.ts';

/** Fields that only few claims have. */
export interface ClaimExtras {
  readonly ports: HostPort[];
  readonly shared: Set<string>;
  /** Reservations held, by id. */
  reservations: ReadonlySet<string>;
  minValuesRelaxed: boolean;
}

export class ClaimTable {
  count = 0;
  readonly states: State[] = [];
  readonly podCounts: number[] = [];
  /** A row that is known to have room, tried first. */
  readonly witnesses: number[] = [];
  /** Pods of the claim by queue index, and their classes. */
  readonly pods: number[][] = [];
  readonly classes: PodClass[][] = [];
  readonly extras: (ClaimExtras | undefined)[] = [];
  /** By claim, then by slot. */
  amounts: Float64Array = new Float64Array(0);
  /** By number of pods: the claims with that many. */
  readonly buckets: Bits[] = [];
  /** By number of pods: the nonempty words of the bucket, so that empty ones are skipped. */
  readonly bucketWords: Bits[] = [];
  readonly stride: number;

  constructor(stride: number) {
    this.stride = stride;
  }

  open(state: State): number {
    const claim = this.count++;
    if (this.count * this.stride > this.amounts.length) {
      const grown = new Float64Array(Math.max(64 * this.stride, this.amounts.length * 2));
      grown.set(this.amounts);
      this.amounts = grown;
    }
    this.amounts.fill(0, claim * this.stride, (claim + 1) * this.stride);
    this.states.push(state);
    this.podCounts.push(0);
    this.witnesses.push(-1);
    this.pods.push([]);
    this.classes.push([]);
    this.extras.push(undefined);
    this.#enter(claim, 0);
    state.members = withRoom(state.members, claim + 1);
    setBit(state.members, claim);
    return claim;
  }

  /** Adds a pod to the claim and moves it to its new state. */
  add(claim: number, pod: number, podClass: PodClass, state: State, witness: number): void {
    this.narrow(claim, state, witness);
    const { slots, amounts } = podClass.requests;
    for (let index = 0; index < slots.length; index++) {
      this.amounts[claim * this.stride + slots[index]!]! += amounts[index]!;
    }
    this.pods[claim]!.push(pod);
    this.classes[claim]!.push(podClass);
    const count = this.podCounts[claim]!;
    this.podCounts[claim] = count + 1;
    this.#leave(claim, count);
    this.#enter(claim, count + 1);
  }

  narrow(claim: number, state: State, witness: number): void {
    const before = this.states[claim]!;
    if (before !== state) {
      clearBit(before.members, claim);
      state.members = withRoom(state.members, claim + 1);
      setBit(state.members, claim);
      this.states[claim] = state;
    }
    this.witnesses[claim] = witness;
  }

  extrasOf(claim: number): ClaimExtras {
    let extras = this.extras[claim];
    if (extras === undefined) {
      extras = { ports: [], shared: new Set(), reservations: new Set(), minValuesRelaxed: false };
      this.extras[claim] = extras;
    }
    return extras;
  }

  /** Writes the requests of the claim with the pod into `totals`. */
  totalsWith(claim: number, requests: Requests, totals: Float64Array): void {
    const { stride, amounts } = this;
    const start = claim * stride;
    for (let slot = 0; slot < stride; slot++) totals[slot] = amounts[start + slot]!;
    for (let index = 0; index < requests.slots.length; index++) {
      totals[requests.slots[index]!]! += requests.amounts[index]!;
    }
  }

  /** Removes the claims from their states. */
  dissolve(): void {
    for (let claim = 0; claim < this.count; claim++) this.states[claim]!.members = NO_BITS;
  }

  #enter(claim: number, bucket: number): void {
    this.buckets[bucket] = withRoom(this.buckets[bucket] ?? NO_BITS, claim + 1);
    setBit(this.buckets[bucket]!, claim);
    this.bucketWords[bucket] = withRoom(this.bucketWords[bucket] ?? NO_BITS, (claim >>> 5) + 1);
    setBit(this.bucketWords[bucket]!, claim >>> 5);
  }

  #leave(claim: number, bucket: number): void {
    const bits = this.buckets[bucket]!;
    clearBit(bits, claim);
    if (bits[claim >>> 5] === 0) clearBit(this.bucketWords[bucket]!, claim >>> 5);
  }
}
