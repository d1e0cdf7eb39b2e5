/**
 * The order in which a static pool deletes claims: those without an instance, then those whose node runs no workload
 * pods, then those with the lowest disruption cost. Pure; ties are resolved by name.
 */
import type { Pod, Stored } from '@chandler/kube';
import { isOwnedByDaemonSet, isOwnedByNode, isProtected, isTerminal } from '../../state/index.ts';
import { expiryOf } from '../claims/expiration.ts';
import type { Claim } from '../lifecycle/claim-patch.ts';

export function inScaleDownOrder(
  claims: readonly Claim[],
  podsOf: (claim: Claim) => readonly Stored<Pod>[],
  nowMs: number,
): readonly Claim[] {
  return claims
    .map((claim) => ({ claim, rank: rankOf(claim, podsOf(claim), nowMs) }))
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
const COST_LIMIT = 10;
const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';

function rankOf(claim: Claim, pods: readonly Stored<Pod>[], nowMs: number): { tier: number; cost: number } {
  if (!claim.status?.providerID) return { tier: TIER.unlaunched, cost: 0 };
  const live = pods.filter((pod) => !isTerminal(pod));
  const wanted = live.some((pod) => isProtected(pod, nowMs));
  const moving = live.filter((pod) => !isOwnedByDaemonSet(pod) && !isOwnedByNode(pod));
  if (moving.length === 0 && !wanted) return { tier: TIER.empty, cost: 0 };
  const cost = 1 + moving.reduce((sum, pod) => sum + Math.max(0, evictionCost(pod)), 0);
  return { tier: wanted ? TIER.protected : TIER.ordinary, cost: cost * lifeLeft(claim, nowMs) };
}

/** The disruption cost of a pod as upstream computes it: its deletion cost and its priority, each scaled. */
function evictionCost({ metadata, spec }: Stored<Pod>): number {
  const deletion = Number(metadata.annotations?.[DELETION_COST] ?? 0);
  const cost = 1 + (Number.isNaN(deletion) ? 0 : deletion) / 2 ** 27 + (spec.priority ?? 0) / 2 ** 25;
  return Math.min(COST_LIMIT, Math.max(-COST_LIMIT, cost));
}

/** The remaining share of its lifetime: a claim that is about to expire costs little. */
function lifeLeft(claim: Claim, nowMs: number): number {
  const endMs = expiryOf(claim);
  const bornMs = Date.parse(claim.metadata.creationTimestamp ?? '');
  if (endMs === undefined || endMs <= bornMs) return 1;
  return Math.min(1, Math.max(0, (endMs - nowMs) / (endMs - bornMs)));
}
