/** How long a NodeClaim took, and how long others of its NodePool take. Pure. */
import type { ClaimRow, ClaimsAnswer } from '../../wire.ts';

export const OUTCOMES: Readonly<Record<ClaimRow['outcome'], string>> = {
  'under-way': 'in progress',
  succeeded: 'succeeded',
  failed: 'failed',
  leaving: 'terminating',
};

/** Until now for a stage that is not over. */
export function endOf(stage: ClaimRow['stages'][number], nowMs: number): number {
  return stage.endMs ?? Math.max(nowMs, stage.startMs);
}

/** From its creation to the end of its last stage. */
export function spanMs(claim: ClaimRow, nowMs: number): number {
  return Math.max(0, ...claim.stages.map((stage) => endOf(stage, nowMs) - claim.createdMs));
}

/** To the stage that the claim is at, or has ended with, if others have a median for it: of its NodePool or of all. */
export function medianMs({ medians }: ClaimsAnswer, { pool, stages }: ClaimRow): number | null {
  const own = (pool !== null && Object.hasOwn(medians, pool) ? medians[pool] : undefined) ?? medians['*'];
  const last = stages.findLast(({ stage }) => own !== undefined && Object.hasOwn(own, stage));
  const value = last === undefined ? undefined : own?.[last.stage];
  return value === undefined ? null : value * 1000;
}
