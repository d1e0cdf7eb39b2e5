/**
 * New nodes that would break the spread of pods which are placed already. Where a NodePool leaves the value of a label open,
 * a pod can bring a value that a spread of other pods did not count: because it honors taints and knows the value from no
 * NodePool that it tolerates, for example. kube-scheduler counts the domain of every node, and a domain without pods allows
 * no more than maxSkew in any other.
 */
import { hasBit } from '../bits.ts';
import type { TopologyGroup } from '../topology/group.ts';
import type { Run } from './run.ts';
import { decidedDomain, hasOtherValue } from './state-domains.ts';
import type { State } from './states.ts';

/** The spread that a node in this state would break; undefined: none. */
export function spreadBrokenBy(run: Run, state: State): TopologyGroup | undefined {
  const { groups } = run.compiled;
  const { customSpreads } = groups;
  if (customSpreads.length === 0) return undefined;
  return customSpreads.find(
    (group) => isNewDomain(run, group, state) && hasCrowdedDomain(run, group) && mustHold(run, group),
  );
}

/** The states that break no spread. */
export function withoutBreaking(run: Run, states: readonly State[]): readonly State[] {
  if (run.compiled.groups.customSpreads.length === 0) return states;
  return states.filter((state) => spreadBrokenBy(run, state) === undefined);
}

/** Whether a node in this state would be a domain that the spread does not know. */
export function isNewDomain({ compiled }: Run, group: TopologyGroup, state: State): boolean {
  const domain = decidedDomain(compiled.algebra, state, group.spec.key);
  const isUnknown =
    domain >= 0
      ? !hasBit(group.known, domain)
      : hasOtherValue(compiled.algebra, state, group.spec.key, group.known);
  return isUnknown && compiled.groups.parts.ofState(group, state) !== 'out';
}

// ---------------------------------------------------------------------------------------------------------------

/** By group: queue indexes of the pods whose spread it is and must hold. */
const OWNERS = new WeakMap<Run, ReadonlyMap<TopologyGroup, readonly number[]>>();

/** Whether a pod that is placed has this spread, and must keep it. */
function mustHold(run: Run, group: TopologyGroup): boolean {
  let owners = OWNERS.get(run);
  if (owners === undefined) {
    const byGroup = new Map<TopologyGroup, number[]>();
    for (const [index, { podClass }] of run.queue.entries())
      for (const own of podClass.hardSpreads) {
        const list = byGroup.get(own);
        if (list === undefined) byGroup.set(own, [index]);
        else list.push(index);
      }
    owners = byGroup;
    OWNERS.set(run, owners);
  }
  return owners.get(group)?.some((index) => run.placements[index] !== undefined) ?? false;
}

/** Pods of the run are in a domain that has too many beside an empty one. Pods that were bound before stay in any case. */
function hasCrowdedDomain({ counts }: Run, group: TopologyGroup): boolean {
  for (const domain of counts.domainsAddedTo(group))
    if (group.count(domain) + group.possibleCount(domain) > group.spec.maxSkew) return true;
  return false;
}
