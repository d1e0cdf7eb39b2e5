/**
 * A topology group: the number of pods per domain that a spread constraint or an (anti-)affinity term
 * selects. Domains are values of a label or single hosts (nodes first, then claims). Which pods are counted
 * and which are constrained are separate questions, answered elsewhere; this file holds the counts and their
 * rules.
 */
import { type Bits, clearBit, hasBit, lowestBit, NO_BITS, setBit, withRoom } from '../bits.ts';
import type { Toleration } from '../model.ts';
import type { Algebra, Requirement, RequirementSet } from '../requirements/algebra.ts';
import type { Selector } from '../selectors.ts';
import type { LabelClass } from './label-classes.ts';

/** `inverse` counts the pods that have an anti-affinity, by domain. */
export type GroupKind = 'spread' | 'affinity' | 'anti' | 'inverse';

/** Which nodes take part in a spread. */
export interface NodeFilter {
  /** OR; empty means every node. */
  readonly terms: readonly RequirementSet[];
  /** Undefined: taints are ignored. */
  readonly tolerations: readonly Toleration[] | undefined;
  /** Labels that a node must have: those of the other spreads of the pod. */
  readonly keys: readonly number[];
}

/** Whether a new node takes part in a group; open: it depends on the type that is launched. */
export type Part = 'in' | 'out' | 'open';

export interface GroupSpec {
  readonly kind: GroupKind;
  readonly key: number;
  readonly host: boolean;
  readonly maxSkew: number;
  readonly minDomains: number | null;
  readonly selector: Selector;
  readonly namespaces: ReadonlySet<string>;
  readonly filter: NodeFilter | undefined;
  /** Regional offerings are no domain: the pods can run in zones. */
  readonly zonesOnly: boolean;
}

export class TopologyGroup {
  readonly id: number;
  readonly spec: GroupSpec;
  /** The place in the order in which the groups of the request are made. */
  rank = 0;
  /** Incremented with every change of a count. */
  version = 0;
  /** By value number of the key. */
  counts: Int32Array = new Int32Array(8);
  /** Domains that exist, empty or not. */
  known: Bits = NO_BITS;
  /** By host number. */
  hostCounts: Int32Array = new Int32Array(0);
  hostsInUse: Bits = NO_BITS;
  /** The fewest pods on a host, once no node is added any more. */
  emptiestHost = 0;
  /** Sum over all domains or hosts. */
  total = 0;
  /** Pods on claims whose domain is undecided, and these claims by host number; for affinity only. */
  undecided = 0;
  undecidedHosts: Bits = NO_BITS;
  /** By value number: pods on new nodes of which it is open whether they take part; for spreads only. */
  #possible: Int32Array = new Int32Array(0);
  /** By value number: pods on nodes that are being removed, and their sum; for affinity only. */
  #leaving: Int32Array = new Int32Array(0);
  #leavingTotal = 0;
  /** Kinds of pods to place that the group selects, where such pods leave. */
  expected = 0;
  /** By state number: whether new nodes in it take part. A cache of `Participation`. */
  readonly statesIn: (Part | undefined)[] = [];
  readonly #selects: (boolean | undefined)[] = [];
  /** By value number: nodes that take part. */
  readonly #nodes: number[] = [];
  /** Domains in which no new node could be. */
  readonly #byNodesAlone = new Set<number>();
  readonly #minima = new Map<number, { version: number; minimum: number }>();
  /** The minimum over all domains, and at which version it was found. */
  #minimum = 0;
  #minimumVersion = -1;

  constructor(id: number, spec: GroupSpec) {
    this.id = id;
    this.spec = spec;
  }

  /** As for kube-scheduler, pods that are being deleted count for affinities and anti-affinities, not for spreads. */
  selects(pod: LabelClass): boolean {
    const known = this.#selects[pod.id];
    if (known !== undefined) return known;
    const { kind, namespaces, selector } = this.spec;
    const counts = kind !== 'spread' || !pod.terminating;
    const result = counts && namespaces.has(pod.namespace) && selector.matches(pod.labels);
    this.#selects[pod.id] = result;
    return result;
  }

  learnDomain(value: number): void {
    this.known = withRoom(this.known, value + 1);
    if (hasBit(this.known, value)) return;
    setBit(this.known, value);
    this.version++;
  }

  forgetDomain(value: number): void {
    clearBit(this.known, value);
    this.version++;
  }

  /** Changes the number of nodes in the domain; a domain without nodes is removed. */
  addNodes(value: number, change: number): void {
    const before = this.#nodes[value] ?? 0;
    this.#nodes[value] = before + change;
    if (before === 0) this.#bringsNew(value);
    else if (before + change === 0 && this.#byNodesAlone.has(value)) this.forgetDomain(value);
  }

  #bringsNew(value: number): void {
    if (hasBit(this.known, value)) return;
    this.#byNodesAlone.add(value);
    this.learnDomain(value);
  }

  /** How many nodes of the domain take part. */
  nodeCount(value: number): number {
    return this.#nodes[value] ?? 0;
  }

  count(value: number): number {
    return this.counts[value] ?? 0;
  }

  hostCount(host: number): number {
    return this.hostCounts[host] ?? 0;
  }

  add(value: number, change: number): void {
    if (value >= this.counts.length) this.counts = grown(this.counts, value + 1);
    this.counts[value]! += change;
    this.total += change;
    this.version++;
    if (!hasBit(this.known, value)) this.learnDomain(value);
  }

  possibleCount(value: number): number {
    return this.#possible[value] ?? 0;
  }

  /** The pod may count in the domain; the minimum does not rely on it. */
  addPossible(value: number, change: number): void {
    if (value >= this.#possible.length) this.#possible = grown(this.#possible, value + 1);
    this.#possible[value]! += change;
    this.version++;
  }

  addHost(host: number, change: number): void {
    if (host >= this.hostCounts.length) this.hostCounts = grown(this.hostCounts, host + 1);
    this.hostsInUse = withRoom(this.hostsInUse, host + 1);
    const count = this.hostCounts[host]! + change;
    this.hostCounts[host] = count;
    if (count > 0) setBit(this.hostsInUse, host);
    else this.hostsInUse[host >>> 5]! &= ~(1 << (host & 31));
    this.total += change;
    this.version++;
  }

  /** The smallest count among the domains the pod may use; zero when there are fewer than minDomains. */
  minimum(algebra: Algebra, podDomains: Requirement | undefined): number {
    if (podDomains === undefined) {
      if (this.#minimumVersion !== this.version) {
        this.#minimum = this.#smallest(algebra, undefined, -1, 0);
        this.#minimumVersion = this.version;
      }
      return this.#minimum;
    }
    const cached = this.#minima.get(podDomains.id);
    if (cached !== undefined && cached.version === this.version) return cached.minimum;
    const minimum = this.#smallest(algebra, podDomains, -1, 0);
    this.#minima.set(podDomains.id, { version: this.version, minimum });
    return minimum;
  }

  /** Whether a spread allows one more pod in the domain, also if all nodes take part that may. */
  spreadAllows(value: number, self: boolean, minimum: number): boolean {
    const count = this.count(value) + this.possibleCount(value) + (self ? 1 : 0);
    return hasBit(this.known, value) && count - minimum <= this.spec.maxSkew;
  }

  /** As `spreadAllows`, when pods of the domain itself may or may not count, or others enter it together with the pod. */
  spreadAllowsWith(
    algebra: Algebra,
    podDomains: Requirement | undefined,
    value: number,
    self: boolean,
    others: number,
  ): boolean {
    const more = others + this.possibleCount(value);
    return this.spreadAllows(value, self, this.#smallest(algebra, podDomains, value, more) - others);
  }

  /** Whether the pods of a domain are within the spread, also if all nodes take part that may. */
  spreadHolds(algebra: Algebra, podDomains: Requirement | undefined, value: number): boolean {
    const more = this.possibleCount(value);
    return this.count(value) + more - this.#smallest(algebra, podDomains, value, more) <= this.spec.maxSkew;
  }

  /** Whether the next pod of an affinity group is its first: no selected pod counts anywhere. */
  get mayStart(): boolean {
    return this.total === 0 && this.undecided === 0;
  }

  /**
   * Whether the first pod may be in the domain. Where selected pods still exist on nodes that are being removed, only in
   * theirs; a pod that does not belong to the group can be near them, too, unless further ones are to be placed.
   */
  mayStartIn(value: number, self: boolean): boolean {
    if (!this.mayStart) return false;
    if (!this.hasLeaving) return self;
    return this.leavingCount(value) > 0 && (self || this.expected === 0);
  }

  get hasLeaving(): boolean {
    return this.#leavingTotal > 0;
  }

  leavingCount(value: number): number {
    return this.#leaving[value] ?? 0;
  }

  /** Changes the number of selected pods that are on nodes that are being removed. */
  addLeaving(value: number, change: number): void {
    if (value >= this.#leaving.length) this.#leaving = grown(this.#leaving, value + 1);
    this.#leaving[value]! += change;
    this.#leavingTotal += change;
    this.version++;
  }

  expect(change: number): void {
    this.expected += change;
    this.version++;
  }

  /** The domain of a host is undecided for all its pods, or for none. */
  addUndecided(host: number, change: number): void {
    this.undecided += change;
    this.version++;
    this.undecidedHosts = withRoom(this.undecidedHosts, host + 1);
    if (change > 0) setBit(this.undecidedHosts, host);
    else clearBit(this.undecidedHosts, host);
  }

  /** The minimum if one of the domains had this many more pods. */
  #smallest(algebra: Algebra, podDomains: Requirement | undefined, domain: number, more: number): number {
    let minimum = Number.MAX_SAFE_INTEGER;
    let eligible = 0;
    for (let word = 0; word < this.known.length; word++) {
      for (let rest = this.known[word]!; rest !== 0; rest &= rest - 1) {
        const value = (word << 5) + lowestBit(rest);
        if (podDomains !== undefined && !algebra.has(podDomains, value)) continue;
        eligible++;
        const count = this.count(value) + (value === domain ? more : 0);
        if (count < minimum) minimum = count;
      }
    }
    return this.spec.minDomains !== null && eligible < this.spec.minDomains ? 0 : minimum;
  }
}

// ---------------------------------------------------------------------------------------------------------------

function grown(counts: Int32Array, length: number): Int32Array {
  const result = new Int32Array(Math.max(length, counts.length * 2, 8));
  result.set(counts);
  return result;
}
