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
  const open = dynamic.filter((pool) => certainObstacles(pool, pod, wellKnown).taints.length === 0);
  // By one of several alternatives of its affinity, it may be for a NodePool that launches nodes.
  const isOfOpen = open.some((pool) => certainObstacles(pool, pod, wellKnown).labels.length === 0);
  const known = excluded.map((pool) => ({
    pool,
    selected: isSelected(pool, pod, wellKnown, open) && !isOfOpen,
    ...certainObstacles(pool, pod, wellKnown),
  }));
  // Taints say that it is for other pods, unless the pod selects it by what only this NodePool has.
  const isMeant = ({ pool, selected, labels, taints }: (typeof known)[number]) => {
    if (labels.length > 0) return false;
    if (selected) return taints.length === 0 || isNamed(pool, pod, wellKnown);
    // Where no NodePool launches nodes for pods, any static one that takes it.
    return dynamic.length === 0 && taints.length === 0 && !isLeaving(pool);
  };
  const meant = known.filter(isMeant);
  const others = known.filter(
    (each) =>
      !meant.includes(each) &&
      (dynamic.length === 0 || each.selected || each.labels.length + each.taints.length === 0),
  );
  return {
    refusals: meant.map(({ pool, selected, taints }) => refusalOf(pool, selected, taints)),
    pools: meant.map(({ pool }) => pool).filter((pool) => !isLeaving(pool)),
    others: others.map(({ pool }) => ({
      nodePool: pool.metadata.name,
      reason: isLeaving(pool) ? 'it is being deleted' : 'it is static',
    })),
  };
}

/** @param why it is the one that is meant. */
export function refusalOfStatic({ metadata, spec }: PoolShape, why: string): RefusalFact {
  const replicas = String(spec.replicas);
  return {
    code: 'PoolStatic',
    facts: { replicas },
    text: `${why}, and it is static (spec.replicas is ${replicas}): it launches no nodes for pods`,
    nodePool: metadata.name,
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

function refusalOf(pool: PoolShape, selected: boolean, taints: readonly Taint[]): RefusalFact {
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
  return refusalOfStatic(pool, selected ? 'the pod selects it' : 'the pod could use it');
}
