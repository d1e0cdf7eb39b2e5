/**
 * Keeps the topology counts correct while pods are placed. A pod counts in a domain once its node is certain
 * to be there and to take part: immediately on a node or on a claim with one domain left, otherwise when its
 * claim is narrowed to one domain (upstream does not count it then; see `LateCounting`). Where it stays open whether its node
 * takes part, spreads are prepared for both. A pod with anti-affinity, in either direction, counts in every domain that its
 * claim may still be in. Every change is recorded, so that a run
 * can be undone.
 */
import { hasBit, members } from '../bits.ts';
import type { Requirement } from '../requirements/algebra.ts';
import { anyValue } from '../requirements/text.ts';
import type { TopologyGroup } from '../topology/group.ts';
import type { Compiled } from './compiled.ts';
import { mayComeLast, type PodClass } from './pod-class.ts';
import { decidedDomain, hasOtherValue, mayHaveLabel } from './state-domains.ts';
import type { State } from './states.ts';

/**
 * Whether spreads count pods that came to a claim before its domain was decided. `all`: yes. `bound`: not those that could
 * also be bound after the pods of the spread, because no rule binds them. A plan is made with `all`; `bound` places pods that
 * would otherwise be refused, and relies on kube-scheduler to bind them first.
 */
export type LateCounting = 'all' | 'bound';

export class Counts {
  readonly late: LateCounting;
  readonly #compiled: Compiled;
  readonly #groups: TopologyGroup[] = [];
  /** Recorded changes: the count, the domain or host, and the difference; three numbers per entry. */
  readonly #changes: number[] = [];

  constructor(compiled: Compiled, late: LateCounting) {
    this.#compiled = compiled;
    this.late = late;
  }

  /** Whether a spread counts pods of the class that came before the domain was decided. */
  countsLate(podClass: PodClass): boolean {
    return this.late === 'all' || !mayComeLast(podClass);
  }

  /** A pod is added to a node (change 1) or removed from it (-1). */
  onNode(podClass: PodClass, node: number, change: number): void {
    const { groups } = this.#compiled;
    const { domains, hosts } = podClass.counting;
    for (const group of hosts) if (groups.countsNode(group, node)) this.#addHost(group, node, change);
    for (const group of domains) {
      if (groups.countsNode(group, node)) this.groupOnNode(group, node, change);
    }
    for (const group of podClass.keepsAway) this.groupOnNode(group, node, change);
  }

  groupOnNode(group: TopologyGroup, node: number, change: number): void {
    if (group.spec.host) {
      this.#addHost(group, node, change);
      return;
    }
    const value = this.#compiled.nodes.value(node, group.spec.key);
    if (value >= 0) this.#add(group, value, change);
  }

  /** A pod is added to a claim that is then in this state. */
  onClaim(podClass: PodClass, host: number, state: State): void {
    const { groups } = this.#compiled;
    const { domains, hosts } = podClass.counting;
    for (const group of hosts) if (groups.countsState(group, state)) this.#addHost(group, host, 1);
    for (const group of domains) {
      if (isReliedOn(podClass, group)) {
        if (group.spec.kind === 'anti') this.#addPossible(group, state.requirements[group.spec.key], 1);
        else this.#addWhenDecided(group, host, state);
        this.#addWhatMayCount(podClass, group, state, 1);
      } else this.#addIfCertain(podClass, group, state, 1);
    }
    for (const group of podClass.keepsAway) {
      if (group.spec.host) this.#addHost(group, host, 1);
      else this.#addPossible(group, state.requirements[group.spec.key], 1);
    }
  }

  /** A claim comes to this state: a node there may be a new domain, although no pod counts in it. */
  onState(state: State): void {
    const { groups } = this.#compiled;
    for (const group of groups.customSpreads) {
      const domain = this.#domainToBe(group, state);
      if (domain < 0 || hasBit(group.known, domain) || groups.parts.ofState(group, state) === 'out') continue;
      group.learnDomain(domain);
      this.#note(group, LEARNED, domain, 1);
    }
  }

  /** A claim with these pods is narrowed to another state. */
  onNarrowed(classes: readonly PodClass[], host: number, before: State, after: State): void {
    for (const podClass of classes) {
      const { domains, hosts } = podClass.counting;
      for (const group of hosts) this.#renewHost(group, host, before, after);
      for (const group of domains) {
        if (!isReliedOn(podClass, group)) {
          this.#addIfCertain(podClass, group, before, -1);
          this.#addIfCertain(podClass, group, after, 1);
          continue;
        }
        if (group.spec.kind === 'anti') this.#release(group, before, after);
        else if (group.spec.kind !== 'spread' || this.countsLate(podClass))
          this.#renew(group, host, before, after);
        else this.#noteUncounted(group, before, after);
        this.#addWhatMayCount(podClass, group, before, -1);
        this.#addWhatMayCount(podClass, group, after, 1);
      }
      for (const group of podClass.keepsAway) if (!group.spec.host) this.#release(group, before, after);
    }
  }

  /** The domain in which pods of a claim count for a group; -1 while undecided. */
  domainOf(group: TopologyGroup, state: State): number {
    const { groups, algebra } = this.#compiled;
    return groups.countsState(group, state) ? decidedDomain(algebra, state, group.spec.key) : -1;
  }

  /** The domain in which pods of the class may count for a spread, if it is open whether their claim takes part; otherwise -1. */
  possibleDomainOf(podClass: PodClass, group: TopologyGroup, state: State): number {
    const { groups, algebra } = this.#compiled;
    if (group.spec.kind !== 'spread' || mayComeLast(podClass)) return -1;
    return groups.parts.ofState(group, state) === 'open' ? decidedDomain(algebra, state, group.spec.key) : -1;
  }

  /** The domains in which pods of a claim may count for a group, though it is open in which. */
  openDomains(group: TopologyGroup, state: State): number[] {
    const { groups, algebra } = this.#compiled;
    const { key } = group.spec;
    if (groups.parts.ofState(group, state) === 'out' || !mayHaveLabel(state, key)) return [];
    const own = state.requirements[key];
    return members(group.known).filter((value) => own === undefined || algebra.has(own, value));
  }

  /** The domains in which pods of this run count, or may count. */
  *domainsAddedTo(group: TopologyGroup): Generator<number> {
    for (let entry = 0; entry < this.#groups.length; entry++) {
      const at = entry * 3;
      const what = this.#changes[at];
      if (this.#groups[entry] !== group || (what !== DOMAIN && what !== POSSIBLE)) continue;
      if (this.#changes[at + 2]! > 0) yield this.#changes[at + 1]!;
    }
  }

  /** By domain: pods that are there for certain, and that the spread does not count, because they could be bound last. */
  uncountedIn(group: TopologyGroup): ReadonlyMap<number, number> {
    const found = new Map<number, number>();
    for (let entry = 0; entry < this.#groups.length; entry++) {
      if (this.#groups[entry] !== group || this.#changes[entry * 3] !== UNCOUNTED) continue;
      const domain = this.#changes[entry * 3 + 1]!;
      found.set(domain, (found.get(domain) ?? 0) + 1);
    }
    return found;
  }

  /** A node is removed in this run. */
  withoutNode(node: number): void {
    const { groups } = this.#compiled;
    for (const group of groups.all) {
      const value = groups.domainOfNode(group, node);
      if (value < 0) continue;
      group.addNodes(value, -1);
      this.#note(group, NODES, value, -1);
    }
  }

  /** A pod of the group is on a node that is removed in this run. */
  leavingOn(group: TopologyGroup, node: number): void {
    const value = this.#compiled.nodes.value(node, group.spec.key);
    if (value < 0) return;
    group.addLeaving(value, 1);
    this.#note(group, LEAVING, value, 1);
  }

  /** The run places pods that the group selects. */
  expected(group: TopologyGroup): void {
    group.expect(1);
    this.#note(group, EXPECTED, 0, 1);
  }

  /** In this run there is no node in the domain. */
  withoutDomain(group: TopologyGroup, value: number): void {
    group.forgetDomain(value);
    this.#note(group, FORGOTTEN, value, -1);
  }

  undo(): void {
    for (let entry = this.#groups.length - 1; entry >= 0; entry--) {
      const at = entry * 3;
      UNDO[this.#changes[at]!]!(this.#groups[entry]!, this.#changes[at + 1]!, this.#changes[at + 2]!);
    }
    this.#groups.length = 0;
    this.#changes.length = 0;
  }

  /** The one that is decided, or the one that the node will get because no known one is possible; otherwise -1. */
  #domainToBe({ spec: { key }, known }: TopologyGroup, state: State): number {
    const { algebra } = this.#compiled;
    const decided = decidedDomain(algebra, state, key);
    if (decided >= 0 || !hasOtherValue(algebra, state, key, known)) return decided;
    const value = anyValue(algebra, state.requirements[key]!);
    return value === undefined ? -1 : algebra.labels.value(key, value);
  }

  #addWhenDecided(group: TopologyGroup, host: number, state: State): void {
    const domain = this.domainOf(group, state);
    if (domain >= 0) this.#add(group, domain, 1);
    else if (isOpen(group, state)) this.#addUndecided(group, host, 1);
  }

  #addWhatMayCount(podClass: PodClass, group: TopologyGroup, state: State, change: number): void {
    const domain = this.possibleDomainOf(podClass, group, state);
    if (domain >= 0) this.#mayCount(group, domain, change);
  }

  /** As long as the domain is open for one of the spreads that count the pod, it may count for all of them, in each domain. */
  #addIfCertain(podClass: PodClass, group: TopologyGroup, state: State, change: number): void {
    const isOpenFor = (other: TopologyGroup) =>
      other.spec.kind === 'spread' &&
      this.domainOf(other, state) < 0 &&
      this.openDomains(other, state).length > 0;
    const domain = this.domainOf(group, state);
    if (domain >= 0 && !podClass.counting.domains.some(isOpenFor)) this.#add(group, domain, change);
    else if (domain >= 0) this.#mayCount(group, domain, change);
    else for (const value of this.openDomains(group, state)) this.#mayCount(group, value, change);
  }

  #mayCount(group: TopologyGroup, domain: number, change: number): void {
    group.addPossible(domain, change);
    this.#note(group, POSSIBLE, domain, change);
  }

  #renew(group: TopologyGroup, host: number, before: State, after: State): void {
    if (this.domainOf(group, before) >= 0) return;
    const domain = this.domainOf(group, after);
    if (domain >= 0) this.#add(group, domain, 1);
    const change = Number(domain < 0 && isOpen(group, after)) - Number(isOpen(group, before));
    if (change !== 0) this.#addUndecided(group, host, change);
  }

  #noteUncounted(group: TopologyGroup, before: State, after: State): void {
    const domain = this.domainOf(group, after);
    if (domain >= 0 && this.domainOf(group, before) < 0) this.#note(group, UNCOUNTED, domain, 0);
  }

  #renewHost(group: TopologyGroup, host: number, before: State, after: State): void {
    const { groups } = this.#compiled;
    if (!groups.countsState(group, before) && groups.countsState(group, after)) this.#addHost(group, host, 1);
  }

  /** The node can no longer be in domains that it was narrowed away from. */
  #release(group: TopologyGroup, before: State, after: State): void {
    const old = before.requirements[group.spec.key];
    const now = after.requirements[group.spec.key];
    if (old === now || now === undefined || now.complement) return;
    if (old === undefined || old.complement) {
      this.#addPossible(group, now, 1);
      return;
    }
    for (const value of members(old.values)) if (!hasBit(now.values, value)) this.#add(group, value, -1);
  }

  #addPossible(group: TopologyGroup, domains: Requirement | undefined, change: number): void {
    if (domains === undefined || domains.complement) return;
    for (const value of members(domains.values)) this.#add(group, value, change);
  }

  #add(group: TopologyGroup, value: number, change: number): void {
    if (!hasBit(group.known, value)) this.#note(group, LEARNED, value, 1);
    group.add(value, change);
    this.#note(group, DOMAIN, value, change);
  }

  #addUndecided(group: TopologyGroup, host: number, change: number): void {
    group.addUndecided(host, change);
    this.#note(group, UNDECIDED, host, change);
  }

  #addHost(group: TopologyGroup, host: number, change: number): void {
    group.addHost(host, change);
    this.#note(group, HOST, host, change);
  }

  #note(group: TopologyGroup, what: number, at: number, change: number): void {
    this.#groups.push(group);
    this.#changes.push(what, at, change);
  }
}

// ---------------------------------------------------------------------------------------------------------------

const DOMAIN = 0;
const HOST = 1;
const UNDECIDED = 2;
const LEARNED = 3;
const NODES = 4;
const FORGOTTEN = 5;
const LEAVING = 6;
const EXPECTED = 7;
const POSSIBLE = 8;
const UNCOUNTED = 9;

const UNDO: readonly ((group: TopologyGroup, at: number, change: number) => void)[] = [
  (group, domain, change) => group.add(domain, -change),
  (group, host, change) => group.addHost(host, -change),
  (group, host, change) => group.addUndecided(host, -change),
  (group, domain) => group.forgetDomain(domain),
  (group, domain, change) => group.addNodes(domain, -change),
  (group, domain) => group.learnDomain(domain),
  (group, domain, change) => group.addLeaving(domain, -change),
  (group, _, change) => group.expect(-change),
  (group, domain, change) => group.addPossible(domain, -change),
  () => {},
];

/** Whether other pods may rely on a pod of the class before all of its domains are decided. */
function isReliedOn({ decidesDomains }: PodClass, { spec }: TopologyGroup): boolean {
  return !decidesDomains || spec.kind !== 'spread';
}

/** Whether a pod on such a claim can satisfy affinities once its domain is decided. */
function isOpen(group: TopologyGroup, state: State): boolean {
  return group.spec.kind === 'affinity' && mayHaveLabel(state, group.spec.key);
}
