/**
 * NodePools that are not Ready and would take a pod, beside one that is Ready and full. One that has nodes, or that stopped
 * being Ready a short time ago, is missed: pods that it took before fill the other one. One that never was Ready, or has
 * not been for days and has no nodes, is not.
 */
import { conditionOf } from '../../state/index.ts';

import { type PodShape, type PoolShape, timeMs } from './shapes.ts';

/** Pods of a NodePool that stopped being Ready fill another one within this time. */
const STOPPED_MS = 60 * 60_000;

/** A NodePool is Ready within this time of its creation, or it never was. */
const FIRST_READY_MS = 5 * 60_000;

export function isReady(pool: PoolShape): boolean {
  return conditionOf(pool as never, 'Ready')?.status === 'True';
}

export function isMissed(pool: PoolShape, pod: PodShape, atMs: number): boolean {
  const ready = conditionOf(pool as never, 'Ready');
  if (ready === undefined || ready.status === 'True') return false;
  if (Number(pool.status?.resources?.['nodes'] ?? 0) > 0) return true;
  const stoppedMs = timeMs(ready.lastTransitionTime);
  const createdMs = timeMs(pool.metadata.creationTimestamp);
  if (stoppedMs === undefined || createdMs === undefined || stoppedMs < createdMs + FIRST_READY_MS)
    return false;
  const podMs = timeMs(pod.metadata.creationTimestamp) ?? atMs;
  return stoppedMs >= Math.min(podMs, atMs - STOPPED_MS);
}
