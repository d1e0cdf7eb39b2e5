/**
 * Places pods that a spread over hosts has refused. Such a spread compares a host with the emptiest one. While pods are
 * placed, a new and empty node may still come, so the emptiest is taken to have no pods. Once all others are placed, and no
 * node is added any more, it is known: pods that are bound last may share hosts that have one pod each. As long as nodes that
 * are being removed exist, kube-scheduler compares with them, too: they are empty.
 */
import { hasBit, NO_BITS } from '../bits.ts';
import type { TopologyGroup } from '../topology/group.ts';
import { placeOnClaim } from './claim-placement.ts';
import { placeOnNode } from './node-placement.ts';
import type { PodClass, Variant } from './pod-class.ts';
import type { Run } from './run.ts';

/** @returns the pods that are still not placed. */
export function placeByEmptiestHost(run: Run, pending: readonly number[]): readonly number[] {
  let left = pending;
  for (let before = Number.POSITIVE_INFINITY; left.length < before; ) {
    before = left.length;
    const refused = new Set<PodClass>();
    left = left.filter((index) => {
      const { podClass } = run.queue[index]!;
      if (!refused.has(podClass) && isPlaced(run, index, podClass)) return false;
      refused.add(podClass);
      return true;
    });
  }
  return left;
}

// ---------------------------------------------------------------------------------------------------------------

function isPlaced(run: Run, index: number, podClass: PodClass): boolean {
  if (podClass.problem !== null || podClass.spec.spreads.length === 0) return false;
  const relaxation = podClass.relaxations.length - 1;
  const variant = run.compiled.classes.variant(podClass, relaxation)!;
  if (variant.contradiction !== null || !knowsAllDomains(run, variant)) return false;
  const groups = variant.host.rules.map(({ group }) => group).filter(({ spec }) => spec.kind === 'spread');
  for (const group of groups) group.emptiestHost = fewestOnHost(run, group);
  const found = groups.some(({ emptiestHost }) => emptiestHost > 0) && place(run, variant, index, relaxation);
  for (const group of groups) group.emptiestHost = 0;
  return found;
}

/** The pod is bound last: its other spreads must count every pod, also those on claims whose domain is undecided. */
function knowsAllDomains({ claims, counts }: Run, { domainRules }: Variant): boolean {
  const spreads = domainRules.filter(
    ({ group, onlyDecides }) => group.spec.kind === 'spread' && !onlyDecides,
  );
  if (spreads.length === 0) return true;
  const isKnown = (group: TopologyGroup, claim: number) =>
    counts.domainOf(group, claims.states[claim]!) >= 0 ||
    !claims.classes[claim]!.some(({ labels }) => group.selects(labels));
  return (
    counts.late === 'all' &&
    spreads.every(({ group }) => claims.states.every((_, claim) => isKnown(group, claim)))
  );
}

/** Hosts that were rejected are looked at again. */
function place(run: Run, variant: Variant, index: number, relaxation: number): boolean {
  const { rejected } = variant.host;
  const { claims, nodes } = rejected;
  rejected.claims = NO_BITS;
  rejected.nodes = NO_BITS;
  const node = placeOnNode(run, variant, index);
  const found = node >= 0 || placeOnClaim(run, variant, index);
  rejected.claims = claims;
  rejected.nodes = nodes;
  if (!found) return false;
  run.placements[index] = { relaxation, node: node < 0 ? undefined : node };
  run.needsNoFurtherNode = true;
  return true;
}

function fewestOnHost(run: Run, group: TopologyGroup): number {
  const { compiled, claims, removed } = run;
  const { parts } = compiled.groups;
  const countsRemoved = group.spec.filter?.tolerations === undefined;
  if (compiled.leaving.hasHostOf(group)) return 0;
  let hosts = 0;
  let fewest = Number.POSITIVE_INFINITY;
  for (let claim = 0; claim < claims.count && fewest > 0; claim++) {
    if (parts.ofState(group, claims.states[claim]!) === 'out') continue;
    hosts++;
    fewest = Math.min(fewest, group.hostCount(run.hostOfClaim(claim)));
  }
  for (let node = 0; node < compiled.nodes.all.length && fewest > 0; node++) {
    if (!parts.hasNode(group, node)) continue;
    if (hasBit(removed, node)) {
      if (countsRemoved) return 0;
      continue;
    }
    hosts++;
    fewest = Math.min(fewest, group.hostCount(node));
  }
  return hosts === 0 || hosts < (group.spec.minDomains ?? 0) ? 0 : fewest;
}
