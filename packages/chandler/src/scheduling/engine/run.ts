/**
 * One attempt at placing a batch of pods on one snapshot. Holds what changes meanwhile: claims, what nodes
 * have left, counts, limits, reservations. Nodes come first, then claims of this run, then new claims by
 * the weight of their pools; where all refuse, the pod gives up a wish and asks again.
 * `undo` puts everything back, at the cost of what was touched.
 */
import { type Bits, emptyBits, setBit } from '../bits.ts';
import { LiveClaims, placeOnClaim } from './claim-placement.ts';
import { ClaimTable } from './claims.ts';
import type { Compiled } from './compiled.ts';
import { Counts } from './counting.ts';
import { Limits } from './limits.ts';
import { ruleVersion } from './narrowing.ts';
import { openClaim } from './new-claims.ts';
import { placeOnNode } from './node-placement.ts';
import { NodeSpace } from './node-space.ts';
import type { NodeEntry } from './nodes.ts';
import { type Budget, pack } from './pack.ts';
import type { PodClass } from './pod-classes.ts';
import type { QueuedPod } from './queue.ts';
import { Reservations } from './reservations.ts';
import { settleFor } from './settle.ts';

/** Where a pod went, and with how many of its wishes. */
export interface Placement {
  readonly rung: number;
  /** Undefined: a claim. */
  readonly node: number | undefined;
}

/** `reserved`: only capacity that is held for others would do, so the pod waits without giving up wishes. */
export type Outcome = 'placed' | 'refused' | 'reserved';

export class Run {
  readonly compiled: Compiled;
  readonly number: number;
  readonly queue: readonly QueuedPod[];
  readonly claims: ClaimTable;
  readonly space: NodeSpace;
  readonly counts: Counts;
  readonly limits: Limits;
  readonly reservations: Reservations;
  /** Nodes that are not there in this run. */
  readonly removed: Bits;
  /** By place in the queue: the pods without a place at the end. */
  readonly unplaced: number[] = [];
  /** Scratch space of the placements. */
  readonly totals: Float64Array;
  readonly liveNodes: Bits;
  readonly liveClaims = new LiveClaims();
  /** The first host number of a claim; nodes come before, and words do not mix. */
  readonly claimHostBase: number;
  attempts = 0;
  /** By place in the queue. */
  readonly placements: (Placement | undefined)[] = [];

  constructor(
    compiled: Compiled,
    queue: readonly QueuedPod[],
    removedNodes: readonly number[],
    number: number,
  ) {
    this.compiled = compiled;
    this.number = number;
    this.queue = queue;
    const stride = compiled.resources.count;
    this.claims = new ClaimTable(stride);
    this.totals = new Float64Array(stride);
    this.claimHostBase = (compiled.nodes.all.length + 31) & ~31;
    this.removed = emptyBits(compiled.nodes.all.length);
    this.liveNodes = emptyBits(compiled.nodes.all.length);
    for (const node of removedNodes) setBit(this.removed, node);
    this.counts = new Counts(compiled);
    this.space = new NodeSpace(compiled.nodes, stride);
    this.limits = new Limits(compiled, removedNodes);
    this.reservations = new Reservations(compiled.pools);
    compiled.classes.signatures.forget();
    for (const node of removedNodes) {
      this.#forgetPodsOf(compiled.nodes.all[node]!);
      this.counts.withoutNode(node);
    }
  }

  /** Every pod is looked at; those that failed are tried again as long as others still find places. */
  solve(): void {
    this.#learnGroups();
    let waiting = this.queue.map((_, index) => index);
    let progress = true;
    while (progress && waiting.length > 0) {
      progress = false;
      const again: number[] = [];
      for (const index of waiting) {
        if (this.#place(index)) progress = true;
        else again.push(index);
      }
      waiting = again;
    }
    for (const index of waiting) this.unplaced.push(index);
  }

  /** Another way to fill the claims; see `pack`. Pods without a place before have none now. */
  repack(
    first: readonly (Placement | undefined)[],
    unplaced: readonly number[],
    heavyShare: number,
    budget: Budget,
  ): boolean {
    for (const index of unplaced) this.unplaced.push(index);
    this.#learnGroups();
    return pack(this, first, heavyShare, budget);
  }

  undo(): void {
    this.counts.undo();
    this.space.undo();
    this.claims.dissolve();
  }

  hostOfClaim(claim: number): number {
    return this.claimHostBase + claim;
  }

  #place(index: number): boolean {
    const { podClass } = this.queue[index]!;
    if (podClass.problem !== null) return false;
    const { failure } = podClass;
    if (failure.run === this.number && failure.changes === this.#changes(podClass)) return false;
    let rung = this.#climbDown(index, podClass);
    if (rung !== PLACED && settleFor(this, this.compiled.classes.variant(podClass, rung)!)) {
      rung = this.#climbDown(index, podClass);
    }
    if (rung === PLACED) return true;
    podClass.failure = { run: this.number, changes: this.#changes(podClass), rung };
    return false;
  }

  /** Asks with all wishes, then with fewer and fewer of them. @returns the rung at which it ended in vain. */
  #climbDown(index: number, podClass: PodClass): number {
    for (let rung = 0; ; rung++) {
      const variant = this.compiled.classes.variant(podClass, rung);
      if (variant === undefined) return rung - 1;
      if (variant.contradiction !== null) continue;
      const node = placeOnNode(this, variant, index);
      const placed = node >= 0 || placeOnClaim(this, variant, index);
      const outcome = placed ? 'placed' : openClaim(this, variant, index);
      if (outcome === 'reserved') return rung;
      if (outcome === 'refused') continue;
      this.placements[index] = { rung, node: node < 0 ? undefined : node };
      return PLACED;
    }
  }

  /** Groups that were made for one class may count the pods of another. */
  #learnGroups(): void {
    const classes = new Set(this.queue.map(({ podClass }) => podClass));
    for (const { labels } of classes) this.compiled.groups.counting(labels);
  }

  /** The pods of a node that is not there do not count for topology. */
  #forgetPodsOf({ name, index }: NodeEntry): void {
    const { bound, groups } = this.compiled;
    for (const { labels, keepsAway } of bound.countedOn(name)) {
      const { domains, hosts } = groups.counting(labels);
      for (const group of [...domains, ...hosts]) {
        if (groups.countsNode(group, index)) this.counts.groupOnNode(group, index, -1);
      }
      for (const term of keepsAway) {
        this.counts.groupOnNode(groups.ofTerm('inverse', term, labels.namespace, []), index, -1);
      }
    }
  }

  /** Grows whenever something changed that a refused pod of the class could profit from. */
  #changes(podClass: PodClass): number {
    let sum = this.claims.count + this.reservations.changes;
    for (const variant of podClass.variants) {
      if (variant === undefined) continue;
      sum += ruleVersion(variant);
      for (const { group } of variant.hostAffinities) sum += group.version;
    }
    return sum;
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** In place of a rung. */
const PLACED = -1;
