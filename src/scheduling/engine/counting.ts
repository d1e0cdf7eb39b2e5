/**
 * Keeps the topology counts true while pods are placed. A pod counts in a domain once its node is surely
 * there: at once on a node or a claim with one domain left, and otherwise when its claim comes down to one,
 * which upstream forgets. A pod that keeps others away, or is kept away, counts wherever it may still land.
 * Every change is written down, so that a run can be undone.
 */
import { hasBit, members } from '../bits.ts';
import type { Requirement } from '../requirements/algebra.ts';
import type { TopologyGroup } from '../topology/group.ts';
import type { Compiled } from './compiled.ts';
import type { PodClass } from './pod-classes.ts';
import type { State } from './states.ts';

export class Counts {
  readonly #compiled: Compiled;
  readonly #groups: TopologyGroup[] = [];
  /** Domain and change by entry. */
  readonly #changes: number[] = [];

  constructor(compiled: Compiled) {
    this.#compiled = compiled;
  }

  /** A pod comes to a node (change 1) or leaves it (-1). */
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

  /** A pod comes to a claim, which is in this state with it. */
  onClaim(podClass: PodClass, host: number, state: State): void {
    const { groups } = this.#compiled;
    const { domains, hosts } = podClass.counting;
    for (const group of hosts) if (groups.countsState(group, state)) this.#addHost(group, host, 1);
    for (const group of domains) {
      if (groups.countsState(group, state)) this.#addPossible(group, state.requirements[group.spec.key], 1);
    }
    for (const group of podClass.keepsAway) {
      if (group.spec.host) this.#addHost(group, host, 1);
      else this.#addPossible(group, state.requirements[group.spec.key], 1);
    }
  }

  /** A claim with these pods comes from one state to a narrower one. */
  onNarrowed(classes: readonly PodClass[], before: State, after: State): void {
    for (const key of this.#compiled.groups.keys) {
      const old = before.requirements[key];
      const now = after.requirements[key];
      if (old === now || now === undefined) continue;
      for (const podClass of classes) this.#renew(podClass, key, old, now, after);
    }
  }

  undo(): void {
    for (let entry = this.#groups.length - 1; entry >= 0; entry--) {
      const group = this.#groups[entry]!;
      const at = this.#changes[entry * 2]!;
      const change = this.#changes[entry * 2 + 1]!;
      if (group.spec.host) group.addHost(at, -change);
      else group.add(at, -change);
    }
    this.#groups.length = 0;
    this.#changes.length = 0;
  }

  #renew(
    podClass: PodClass,
    key: number,
    old: Requirement | undefined,
    now: Requirement,
    after: State,
  ): void {
    const { groups } = this.#compiled;
    for (const group of podClass.counting.domains) {
      if (group.spec.key !== key || !groups.countsState(group, after)) continue;
      if (group.spec.kind === 'anti') this.#release(group, old, now);
      else if (isSingle(now) && !isSingle(old)) this.#addPossible(group, now, 1);
    }
    for (const group of podClass.keepsAway) if (group.spec.key === key) this.#release(group, old, now);
  }

  /** The node can no longer be in domains it gave up. */
  #release(group: TopologyGroup, old: Requirement | undefined, now: Requirement): void {
    if (now.complement) return;
    if (old === undefined || old.complement) {
      this.#addPossible(group, now, 1);
      return;
    }
    for (const value of members(old.values)) if (!hasBit(now.values, value)) this.#add(group, value, -1);
  }

  #addPossible(group: TopologyGroup, domains: Requirement | undefined, change: number): void {
    if (domains === undefined || domains.complement) return;
    const everywhere = group.spec.kind === 'anti' || group.spec.kind === 'inverse';
    if (!everywhere && !isSingle(domains)) return;
    for (const value of members(domains.values)) this.#add(group, value, change);
  }

  #add(group: TopologyGroup, value: number, change: number): void {
    group.add(value, change);
    this.#groups.push(group);
    this.#changes.push(value, change);
  }

  #addHost(group: TopologyGroup, host: number, change: number): void {
    group.addHost(host, change);
    this.#groups.push(group);
    this.#changes.push(host, change);
  }
}

// ---------------------------------------------------------------------------------------------------------------

function isSingle(requirement: Requirement | undefined): boolean {
  return requirement !== undefined && !requirement.complement && requirement.size === 1;
}
