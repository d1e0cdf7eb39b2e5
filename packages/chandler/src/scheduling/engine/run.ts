/**
 * One attempt to place a batch of pods on one snapshot. It holds the mutable state: claims, free resources of
 * nodes, counts, limits, reservations. `undo` restores everything, at the cost of what was touched.
 * `pod-placement.ts` decides which pod is placed where.
 */
import { type Bits, emptyBits, members, setBit } from '../bits.ts';
import { CandidateClaims } from './candidate-claims.ts';
import { ClaimPrices } from './claim-prices.ts';
import { ClaimTable } from './claims.ts';
import type { Compiled } from './compiled.ts';
import { Counts, type LateCounting } from './counting.ts';
import { Limits } from './limits.ts';
import { NodeSpace } from './node-space.ts';
import type { NodeEntry } from './nodes.ts';
import type { PodClass } from './pod-class.ts';
import type { QueuedPod } from './queue.ts';
import { canReach } from './reachable-domains.ts';
import { Reservations } from './reservations.ts';

/** Where a pod was placed, and at which relaxation. */
export interface Placement {
  readonly relaxation: number;
  /** Undefined: a claim. */
  readonly node: number | undefined;
}

/** `reserved`: only capacity that other claims hold would fit, so the pod waits and is not relaxed. */
export type Outcome = 'placed' | 'refused' | 'reserved';

export class Run {
  readonly compiled: Compiled;
  readonly number: number;
  readonly queue: readonly QueuedPod[];
  readonly claims: ClaimTable;
  readonly prices: ClaimPrices;
  readonly space: NodeSpace;
  readonly counts: Counts;
  readonly limits: Limits;
  readonly reservations: Reservations;
  /** Nodes that are removed in this run. */
  readonly removed: Bits;
  /** Queue indexes of the pods that are not placed. */
  readonly unplaced: number[] = [];
  /** Scratch space of the placements. */
  readonly totals: Float64Array;
  readonly candidateNodes: Bits;
  readonly candidateClaims = new CandidateClaims();
  /** The first host number of a claim; nodes come before, aligned to a word. */
  readonly claimHostBase: number;
  attempts = 0;
  /** A run whose claims cost more than this is of no use, and is given up. */
  maxPrice: number = Number.POSITIVE_INFINITY;
  /** Pods share hosts that a further, empty node would forbid. */
  needsNoFurtherNode = false;
  isTooExpensive = false;
  /** Whether a pod gets a claim of its own when that costs less than an open claim with it. */
  thrifty = false;
  /** Classes whose pods give up all of their preferences at once. */
  relaxed: ReadonlySet<PodClass> = new Set();
  /** 0: a new claim is opened in the best of its domains. Otherwise in one that this number chooses, if it has room there. */
  variation = 0;
  /** By queue index. */
  readonly placements: (Placement | undefined)[] = [];

  constructor(
    compiled: Compiled,
    queue: readonly QueuedPod[],
    removedNodes: readonly number[],
    number: number,
    late: LateCounting = 'all',
    /** Whether affinity groups may start elsewhere than where their pods on removed nodes are. */
    startsAnywhere = false,
  ) {
    this.compiled = compiled;
    this.number = number;
    this.queue = queue;
    const stride = compiled.resources.count;
    this.claims = new ClaimTable(stride);
    this.prices = new ClaimPrices(this.claims, compiled.states);
    this.totals = new Float64Array(stride);
    this.claimHostBase = (compiled.nodes.all.length + 31) & ~31;
    this.removed = emptyBits(compiled.nodes.all.length);
    this.candidateNodes = emptyBits(compiled.nodes.all.length);
    for (const node of removedNodes) setBit(this.removed, node);
    this.counts = new Counts(compiled, late);
    this.space = new NodeSpace(compiled.nodes, stride);
    this.limits = new Limits(compiled, removedNodes);
    this.reservations = new Reservations(compiled.pools);
    compiled.classes.signatures.forget();
    for (const node of removedNodes) {
      this.#forgetPodsOf(compiled.nodes.all[node]!, startsAnywhere);
      this.counts.withoutNode(node);
    }
    if (removedNodes.length > 0 || !compiled.leaving.isEmpty) this.#expectPods();
    this.#forgetUnreachable();
  }

  undo(): void {
    this.counts.undo();
    this.space.undo();
    this.claims.dissolve();
  }

  hostOfClaim(claim: number): number {
    return this.claimHostBase + claim;
  }

  /** Where limits leave no new node, a domain without nodes is none. */
  #forgetUnreachable(): void {
    const { algebra, states, pools, templates: before, groups, isAvoided } = this.compiled;
    const templates = pools.map((pool) => this.limits.template(pool));
    if (templates.every((template, pool) => template === before[pool])) return;
    for (const group of groups.all) {
      if (group.spec.kind !== 'spread' || group.spec.host) continue;
      for (const value of members(group.known)) {
        if (
          group.nodeCount(value) === 0 &&
          !canReach({ algebra, states, templates, isAvoided }, group, value)
        )
          this.counts.withoutDomain(group, value);
      }
    }
  }

  /** Pods with affinity follow pods that are placed rather than those that leave. */
  #expectPods(): void {
    const { groups } = this.compiled;
    if (!groups.all.some(({ hasLeaving }) => hasLeaving)) return;
    for (const labels of new Set(this.queue.map(({ podClass }) => podClass.labels))) {
      const { domains } = groups.counting(labels);
      for (const group of domains) if (group.hasLeaving) this.counts.expected(group);
    }
  }

  /** The pods of a removed node do not count for topology, except that an affinity group starts where they are. */
  #forgetPodsOf({ name, index }: NodeEntry, startsAnywhere: boolean): void {
    const { bound, groups } = this.compiled;
    for (const { labels, keepsAway } of bound.countedOn(name)) {
      const { domains, hosts } = groups.counting(labels);
      for (const group of [...domains, ...hosts]) {
        if (!groups.countsNode(group, index)) continue;
        this.counts.groupOnNode(group, index, -1);
        const { kind, host } = group.spec;
        if (kind === 'affinity' && !host && !startsAnywhere) this.counts.leavingOn(group, index);
      }
      for (const term of keepsAway) {
        this.counts.groupOnNode(groups.ofTerm('inverse', term, labels.namespace, []), index, -1);
      }
    }
  }
}
