/** For a pending pod: the NodePools that come closest to taking it, each with what is missing. The rest is in `otherPools`. */
import type { EvidenceSet, RefusalFact } from '../causes/index.ts';

export interface NearestPool {
  readonly nodePool: string;
  /** All of them must be ended. */
  readonly reasons: readonly string[];
}

export function nearestPools(evidence: EvidenceSet): readonly NearestPool[] {
  const plan = evidence.first('plan');
  if (plan === undefined || plan.outcome !== 'refused') return [];
  const ofPools = plan.refusals.flatMap((fact) =>
    fact.nodePool === undefined ? [] : [{ nodePool: fact.nodePool, reason: reasonOf(fact) }],
  );
  return [...Map.groupBy(ofPools, ({ nodePool }) => nodePool)].map(([nodePool, own]) => ({
    nodePool,
    reasons: [...new Set(own.map(({ reason }) => reason))],
  }));
}

// ---------------------------------------------------------------------------------------------------

/** The summary in the words of Karpenter names the requests alone, not what there is. */
function reasonOf({ code, facts, text }: RefusalFact): string {
  const { resource, requested, available } = facts;
  if (code !== 'ResourceInsufficient' || resource === undefined) return text;
  if (available === undefined || /^0[A-Za-z]*$/.test(available)) return `no instance type offers ${resource}`;
  return `needs ${requested} ${resource} with its daemons; the largest instance type offers ${available}`;
}
