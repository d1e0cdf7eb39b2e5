/**
 * The order in which a static pool deletes claims: those without an instance, then those whose node runs no workload
 * pods, then those with the lowest disruption cost. Pure; ties are resolved by name.
 */
import type { Pod, Stored } from '@chandler/kube';
import { type CostOptions, disruptionCost, isProtected } from '../../disruption/index.ts';
import { isOwnedByDaemonSet, isOwnedByNode, isTerminal } from '../../state/index.ts';
import type { Claim } from '../lifecycle/claim-patch.ts';

export function inScaleDownOrder(
  claims: readonly Claim[],
  podsOf: (claim: Claim) => readonly Stored<Pod>[],
  nowMs: number,
  options: CostOptions = {},
): readonly Claim[] {
  return claims
    .map((claim) => ({ claim, rank: rankOf(claim, podsOf(claim), nowMs, options) }))
    .sort(
      (one, other) =>
        one.rank.tier - other.rank.tier ||
        one.rank.cost - other.rank.cost ||
        (one.claim.metadata.name < other.claim.metadata.name ? -1 : 1),
    )
    .map(({ claim }) => claim);
}

// ---------------------------------------------------------------------------------------------------

const TIER = { unlaunched: 0, empty: 1, ordinary: 2, protected: 3 } as const;

function rankOf(
  claim: Claim,
  pods: readonly Stored<Pod>[],
  nowMs: number,
  options: CostOptions,
): { tier: number; cost: number } {
  if (!claim.status?.providerID) return { tier: TIER.unlaunched, cost: 0 };
  const live = pods.filter((pod) => !isTerminal(pod));
  const wanted = live.some((pod) => isProtected(pod, nowMs));
  const moving = live.filter((pod) => !isOwnedByDaemonSet(pod) && !isOwnedByNode(pod));
  if (moving.length === 0 && !wanted) return { tier: TIER.empty, cost: 0 };
  return { tier: wanted ? TIER.protected : TIER.ordinary, cost: disruptionCost(pods, claim, nowMs, options) };
}
