/** NodePools that launch no nodes for pods, because they are static or are being deleted: a pod may be meant for one. */
import type { PlanEvidence, RefusalFact } from '../../causes/index.ts';

import { certainObstacles, isSelected } from './may-take.ts';
import type { PodShape, PoolShape } from './shapes.ts';

export interface ExcludedPools {
  /** Those that the pod selects. */
  readonly pools: readonly PoolShape[];
  /** Of these. */
  readonly refusals: readonly RefusalFact[];
  /** Others that have its labels, and no taint that it does not tolerate. */
  readonly others: NonNullable<PlanEvidence['others']>;
}

/** It launches nodes for pods. */
export function isDynamic({ metadata, spec }: PoolShape): boolean {
  return metadata.deletionTimestamp === undefined && spec.replicas === undefined;
}

/** @param wellKnown labels that nodes may have without being named by the NodePool. */
export function excludedPools(
  all: readonly PoolShape[],
  pod: PodShape,
  wellKnown: ReadonlySet<string>,
): ExcludedPools {
  const excluded = all.filter((pool) => !isDynamic(pool));
  const dynamic = all.filter(isDynamic);
  // Without one that launches nodes, that is the cause.
  if (dynamic.length === 0) return { pools: [], refusals: [], others: [] };
  const pools = excluded.filter((pool) => isSelected(pool, pod, wellKnown, dynamic));
  const fitting = excluded.filter((pool) => {
    const { labels, taints } = certainObstacles(pool, pod, wellKnown);
    return !pools.includes(pool) && labels.length + taints.length === 0;
  });
  return {
    pools,
    refusals: pools.map(refusalOf),
    others: fitting.map((pool) => ({
      nodePool: pool.metadata.name,
      reason: isLeaving(pool) ? 'it is being deleted' : 'it is static',
    })),
  };
}

// ---------------------------------------------------------------------------------------------------

function isLeaving({ metadata }: PoolShape): boolean {
  return metadata.deletionTimestamp !== undefined;
}

function refusalOf(pool: PoolShape): RefusalFact {
  const { name: nodePool } = pool.metadata;
  if (isLeaving(pool))
    return {
      code: 'PoolDeleting',
      facts: {},
      text: 'the pod selects it, and it is being deleted: it launches no more nodes',
      nodePool,
    };
  const replicas = String(pool.spec.replicas);
  return {
    code: 'PoolStatic',
    facts: { replicas },
    text: `the pod selects it, and it is static (spec.replicas is ${replicas}): it launches no nodes for pods`,
    nodePool,
  };
}
