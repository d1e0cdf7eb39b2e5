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

/** To the last stage that there is a median for, of its NodePool or of all. */
export function medianMs({ medians }: ClaimsAnswer, { pool }: ClaimRow): number | null {
  const own = (pool !== null && Object.hasOwn(medians, pool) ? medians[pool] : undefined) ?? medians['*'];
  const values = Object.values(own ?? {});
  return values.length === 0 ? null : Math.max(...values) * 1000;
}
