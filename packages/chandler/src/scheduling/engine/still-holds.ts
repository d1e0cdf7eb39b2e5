/**
 * Whether pods on existing nodes may stay there when the claims are filled in another way: their spread or affinity may have
 * depended on where other pods were.
 */
import type { TopologyGroup } from '../topology/group.ts';
import type { PodClass, Variant } from './pod-class.ts';
import type { Run } from './run.ts';

/** @param onNodes the pods, each with its node. */
export function allStillHold(run: Run, onNodes: readonly (readonly [Variant, number])[]): boolean {
  const followers = new Followers(run);
  return onNodes.every(([variant, node]) => stillHolds(run, variant, node, followers));
}

// ---------------------------------------------------------------------------------------------------------------

function stillHolds({ compiled }: Run, variant: Variant, node: number, followers: Followers): boolean {
  return variant.domainRules.every(({ group, self, podDomains, onlyDecides }) => {
    const { kind, key } = group.spec;
    const value = compiled.nodes.value(node, key);
    if (onlyDecides || value < 0) return true;
    if (kind === 'spread') return group.spreadHolds(compiled.algebra, podDomains, value);
    if (kind !== 'affinity') return true;
    const count = group.count(value);
    if (!self) return count > 0;
    return group.total === count || count > followers.of(group, value);
  });
}

/** Placed pods that need another pod of their group in the same domain: they are no reason for each other to be there. */
class Followers {
  readonly #run: Run;
  readonly #counts = new Map<TopologyGroup, ReadonlyMap<number, number>>();

  constructor(run: Run) {
    this.#run = run;
  }

  of(group: TopologyGroup, value: number): number {
    let counts = this.#counts.get(group);
    if (counts === undefined) {
      counts = this.#count(group);
      this.#counts.set(group, counts);
    }
    return counts.get(value) ?? 0;
  }

  #count(group: TopologyGroup): ReadonlyMap<number, number> {
    const { compiled, claims, counts, queue, placements } = this.#run;
    const found = new Map<number, number>();
    const follows = (podClass: PodClass) =>
      compiled.classes.variant(podClass, 0)!.domainRules.some((rule) => rule.group === group && rule.self);
    const add = (value: number, pods: number) => found.set(value, (found.get(value) ?? 0) + pods);
    placements.forEach((placement, index) => {
      if (placement?.node === undefined || !follows(queue[index]!.podClass)) return;
      add(compiled.nodes.value(placement.node, group.spec.key), 1);
    });
    claims.states.forEach((state, claim) => {
      add(counts.domainOf(group, state), claims.classes[claim]!.filter(follows).length);
    });
    return found;
  }
}
