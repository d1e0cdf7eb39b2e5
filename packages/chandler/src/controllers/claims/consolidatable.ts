/**
 * Consolidatable: the pods of a node have not changed for as long as its pool requires. The condition is True or
 * absent.
 */
import { readDurationMs } from '@chandler/kube';
import type { ConditionSet } from '../../api/index.ts';
import type { Claim } from '../lifecycle/claim-patch.ts';
import type { Pool } from '../pools/pool-store.ts';

/** Returns the time until it becomes True; undefined when it is True, or when only a change can make it True. */
export function judgeConsolidatable(
  conditions: ConditionSet,
  claim: Claim,
  pool: Pool,
  nowMs: number,
): number | undefined {
  const afterMs = waitOf(pool);
  const initialized = conditions.get('Initialized');
  if (afterMs === undefined || initialized?.status !== 'True') {
    conditions.clear('Consolidatable');
    return undefined;
  }
  const sinceMs = Date.parse(claim.status?.lastPodEventTime ?? initialized.lastTransitionTime);
  const leftMs = sinceMs + afterMs - nowMs;
  if (leftMs > 0) {
    conditions.clear('Consolidatable');
    // A time in the future must not block it forever.
    return Math.min(leftMs, Math.max(afterMs, 1_000));
  }
  conditions.setTrue('Consolidatable');
  return undefined;
}

// ---------------------------------------------------------------------------------------------------

/** Undefined: never. */
function waitOf(pool: Pool): number | undefined {
  return readDurationMs(pool.spec.disruption?.consolidateAfter ?? '0s');
}
