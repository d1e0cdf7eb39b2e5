/**
 * The order in which NodeClaims are looked at, where more exist than are: those that fail, then those that take longer than
 * usual, then the rest. A bound on their number leaves out those that are well.
 */
import { ChandlerAnnotation } from '../../api/index.ts';
import { decodeJourney } from '../../journey/index.ts';

import { type ClaimShape, conditionsOf, isInitialized, timeMs } from './shapes.ts';

/** A NodeClaim that is no node after this time is late. */
export const CLAIM_LATE_MS = 15 * 60_000;

/**
 * Of those that fail, and of the rest, the newest first: they show how things are now. Of those that are late, the oldest.
 * @param isBroken what the claim does not show: its node is not Ready.
 */
export function urgentFirst(
  claims: readonly ClaimShape[],
  atMs: number,
  isBroken: (claim: ClaimShape) => boolean = () => false,
): readonly ClaimShape[] {
  const urgencyOf = (claim: ClaimShape) => {
    if (isFailing(claim) || isBroken(claim)) return FAILING;
    return !isInitialized(claim) && atMs - createdMs(claim) > CLAIM_LATE_MS ? LATE : REST;
  };
  return claims
    .map((claim) => ({ claim, urgency: urgencyOf(claim) }))
    .sort(
      (one, other) =>
        one.urgency - other.urgency ||
        (one.urgency === LATE ? 1 : -1) * (createdMs(one.claim) - createdMs(other.claim)) ||
        byName(one.claim, other.claim),
    )
    .map(({ claim }) => claim);
}

/** The longest in progress first. */
export function oldestFirst(claims: readonly ClaimShape[]): readonly ClaimShape[] {
  return claims.toSorted((one, other) => createdMs(one) - createdMs(other) || byName(one, other));
}

// ---------------------------------------------------------------------------------------------------

const FAILING = 0;
const LATE = 1;
const REST = 2;

/** A step failed or was refused, by its conditions or its launch record. */
function isFailing(claim: ClaimShape): boolean {
  if (isInitialized(claim)) return false;
  const conditions = conditionsOf(claim);
  if (conditions.some(({ type, status }) => STEPS.has(type) && status === 'False')) return true;
  const launched = conditions.find(({ type }) => type === 'Launched');
  const { reason = '' } = launched ?? {};
  if (launched?.status !== 'True' && reason !== '' && reason !== 'AwaitingReconciliation') return true;
  const stages = decodeJourney(claim.metadata.annotations?.[ChandlerAnnotation.journey]);
  return stages.some(({ outcome }) => outcome === 'failed');
}

/** `CSEProvisioned`: the bootstrap of its VM. */
const STEPS: ReadonlySet<string> = new Set(['Launched', 'Registered', 'Initialized', 'CSEProvisioned']);

/** Of the same age: what was listed in another order is looked at in the same one. */
function byName(one: ClaimShape, other: ClaimShape): number {
  return one.metadata.name < other.metadata.name ? -1 : 1;
}

function createdMs({ metadata }: ClaimShape): number {
  return timeMs(metadata.creationTimestamp) ?? 0;
}
