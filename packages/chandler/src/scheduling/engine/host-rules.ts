/**
 * Rules about other pods on the same host. The rules of a host signature only become stricter while pods are
 * placed; an affinity may become satisfiable later and is evaluated each time.
 */
import type { TopologyGroup } from '../topology/group.ts';
import type { Variant } from './pod-class.ts';
import type { HostRule, HostSignature } from './signatures.ts';

/** The first rule that the host violates. */
export function brokenHostRule(signature: HostSignature, host: number): HostRule | undefined {
  return signature.rules.find((rule) => !hostAllows(rule, host));
}

/** @param others pods on the host that are not counted yet. */
export function hostAllows({ group, self }: HostRule, host: number, others = 0): boolean {
  const count = group.hostCount(host) + others;
  if (group.spec.kind !== 'spread') return count === 0;
  return count + (self ? 1 : 0) - group.emptiestHost <= group.spec.maxSkew;
}

/** Groups whose pods must already be on the host; the first pod of a group is not constrained. */
export function requiredAffinityGroups(variant: Variant): TopologyGroup[] {
  return variant.hostAffinities.filter((rule) => !startsGroup(rule)).map(({ group }) => group);
}

// ---------------------------------------------------------------------------------------------------------------

function startsGroup({ group, self }: HostRule): boolean {
  return self && group.total === 0;
}
