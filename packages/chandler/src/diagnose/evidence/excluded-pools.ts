/** NodePools that launch no nodes for pods, because they are static or are being deleted: a pod may be meant for one. */
import type { Taint } from '@chandler/kube';
import type { PlanEvidence, RefusalFact } from '../../causes/index.ts';
import { refusalText } from '../../scheduling/index.ts';

import { certainObstacles, isOwnLabel, isSelected, namedLabels } from './may-take.ts';
import type { PodShape, PoolShape } from './shapes.ts';

export interface ExcludedPools {
  /** Of those that the pod selects, and that have all labels that it requires. No other NodePool has these. */
  readonly refusals: readonly RefusalFact[];
  /** Of these, the ones that may get more nodes: what is wrong with one that is being deleted does not matter. */
  readonly pools: readonly PoolShape[];
  /** Others that the pod selects by some label, or that no label and no taint keeps it from. */
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
  const known = excluded.map((pool) => ({
    pool,
    selected: isSelected(pool, pod, wellKnown, dynamic),
    ...certainObstacles(pool, pod, wellKnown),
  }));
  // Taints say that it is for other pods, unless the pod selects it by what only this NodePool has.
  const meant = known.filter(
    ({ pool, selected, labels, taints }) =>
      selected && labels.length === 0 && (taints.length === 0 || isNamed(pool, pod, wellKnown)),
  );
  const others = known.filter(
    (each) => !meant.includes(each) && (each.selected || each.labels.length + each.taints.length === 0),
  );
  return {
    refusals: meant.map(({ pool, taints }) => refusalOf(pool, taints)),
    pools: meant.map(({ pool }) => pool).filter((pool) => !isLeaving(pool)),
    others: others.map(({ pool }) => ({
      nodePool: pool.metadata.name,
      reason: isLeaving(pool) ? 'it is being deleted' : 'it is static',
    })),
  };
}

// ---------------------------------------------------------------------------------------------------

function isLeaving({ metadata }: PoolShape): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** By its name, or by a label of its own. */
function isNamed(pool: PoolShape, pod: PodShape, wellKnown: ReadonlySet<string>): boolean {
  return [...namedLabels(pool, pod)].some((key) => isOwnLabel(key, wellKnown));
}

function refusalOf(pool: PoolShape, taints: readonly Taint[]): RefusalFact {
  const { name: nodePool } = pool.metadata;
  const [taint] = taints;
  const untolerated = taint === undefined ? '' : refusalText({ code: 'TaintNotTolerated', taint });
  if (isLeaving(pool))
    return {
      code: 'PoolDeleting',
      facts: {},
      text: `the pod selects it, and it is being deleted: it launches no more nodes${untolerated === '' ? '' : `; and the pod ${untolerated}`}`,
      nodePool,
    };
  const replicas = String(pool.spec.replicas);
  // More nodes would not take the pod, either.
  if (taint !== undefined)
    return {
      code: 'TaintNotTolerated',
      facts: { taint: taint.key, replicas },
      text: `${untolerated}; it is static (spec.replicas is ${replicas})`,
      nodePool,
    };
  return {
    code: 'PoolStatic',
    facts: { replicas },
    text: `the pod selects it, and it is static (spec.replicas is ${replicas}): it launches no nodes for pods`,
    nodePool,
  };
}
