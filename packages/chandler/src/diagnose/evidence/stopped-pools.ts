/**
 * NodePools that are not Ready and would take a pod, beside one that is Ready and full. One that stopped being Ready a
 * short time ago is missed: pods that it took before fill the other one. So is one with as many nodes as the full one, or
 * a higher weight, at any time. One that never was Ready, is left over with few nodes, or has a NodeClass that is being
 * deleted, is not.
 */
import { conditionOf } from '../../state/index.ts';

import { type PodShape, type PoolShape, timeMs } from './shapes.ts';

/** Pods of a NodePool that stopped being Ready fill another one within this time. */
const STOPPED_MS = 60 * 60_000;
/** One that has nodes and stopped earlier is left over, unless it is the main one. */
const STOPPED_WITH_NODES_MS = 24 * 60 * 60_000;

/** A NodePool is Ready within this time of its creation, or it never was. */
const FIRST_READY_MS = 5 * 60_000;

export function isReady(pool: PoolShape): boolean {
  return conditionOf(pool as never, 'Ready')?.status === 'True';
}

/** Of several NodePools that could take a pod, the one with the highest takes it. */
export function weightOf({ spec }: PoolShape): number {
  return Number((spec as { readonly weight?: number }).weight ?? 0);
}

/** @param full the NodePools that are Ready and would take the pod, but are full. */
export function isMissed(
  pool: PoolShape,
  pod: PodShape,
  atMs: number,
  full: readonly PoolShape[] = [],
): boolean {
  const ready = conditionOf(pool as never, 'Ready');
  if (ready === undefined || ready.status === 'True') return false;
  // Somebody has decided that it ends.
  if (conditionOf(pool as never, 'NodeClassReady')?.reason === 'NodeClassTerminating') return false;
  const hasNodes = nodesOf(pool) > 0;
  if (hasNodes && full.every((each) => isMain(pool, each))) return true;
  const stoppedMs = timeMs(ready.lastTransitionTime);
  const createdMs = timeMs(pool.metadata.creationTimestamp);
  if (stoppedMs === undefined || createdMs === undefined) return false;
  if (!hasNodes && stoppedMs < createdMs + FIRST_READY_MS) return false;
  const podMs = timeMs(pod.metadata.creationTimestamp) ?? atMs;
  return stoppedMs >= Math.min(podMs, atMs - (hasNodes ? STOPPED_WITH_NODES_MS : STOPPED_MS));
}

// ---------------------------------------------------------------------------------------------------

/** It takes pods before the other one, or takes as many. */
function isMain(pool: PoolShape, other: PoolShape): boolean {
  return nodesOf(pool) >= nodesOf(other) || weightOf(pool) > weightOf(other);
}

function nodesOf({ status }: PoolShape): number {
  return Number(status?.resources?.['nodes'] ?? 0);
}
