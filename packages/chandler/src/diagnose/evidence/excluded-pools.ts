/** NodePools that launch no nodes for pods, because they are static or are being deleted: a pod may be meant for one. */
import type { PlanEvidence, RefusalFact } from '../../causes/index.ts';

import {
  type CertainObstacles,
  certainObstacles,
  isMeantFor,
  isOwnLabel,
  isSelected,
  isSelectedByName,
  namedLabels,
} from './may-take.ts';
import type { PodShape, PoolShape } from './shapes.ts';
import { certainFacts, compareScores } from './weigh-event.ts';

export interface ExcludedPools {
  /**
   * Of those that the pod selects, and that have all labels that it requires; where none has all of them, of those that are
   * nearest. No other NodePool has these.
   */
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

/**
 * @param wellKnown labels that nodes may have without being named by the NodePool.
 * @param sizeLabels labels that tell sizes apart.
 */
export function excludedPools(
  all: readonly PoolShape[],
  pod: PodShape,
  wellKnown: ReadonlySet<string>,
  sizeLabels: ReadonlySet<string> = new Set(),
): ExcludedPools {
  const excluded = all.filter((pool) => !isDynamic(pool));
  const dynamic = all.filter(isDynamic);
  const open = dynamic.filter((pool) => certainObstacles(pool, pod, wellKnown).taints.length === 0);
  // A taint is not on purpose where the pod points to the NodePool.
  const isLeft = dynamic.every(
    (pool) =>
      !open.includes(pool) && !isMeantFor(pool, pod, sizeLabels, isSelected(pool, pod, wellKnown, open)),
  );
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
    // Where no NodePool launches nodes for pods like it, any static one that takes it.
    return isLeft && taints.length === 0 && !isLeaving(pool);
  };
  // More labels than any NodePool has: what the one lacks that it names, or that has more of them than the others.
  const nearestOpen = open.map((pool) => lackOf(certainObstacles(pool, pod, wellKnown)));
  const isNearest = (each: (typeof known)[number]) =>
    each.selected &&
    isNamed(each.pool, pod, wellKnown) &&
    (isSelectedByName(each.pool, pod) ||
      nearestOpen.every((other) => compareScores(lackOf(each), other) < 0));
  const fitting = known.filter(isMeant);
  const meant = fitting.length > 0 ? fitting : nearestOf(known.filter(isNearest));
  const others = known.filter(
    (each) =>
      !meant.includes(each) &&
      (dynamic.length === 0 || each.selected || each.labels.length + each.taints.length === 0),
  );
  return {
    refusals: meant.flatMap(({ pool, selected, ...certain }) => refusalsOf(pool, selected, certain)),
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

/** What also more of its nodes would not change. */
export function ofStatic({ metadata, spec }: PoolShape, refusal: RefusalFact): RefusalFact {
  const replicas = String(spec.replicas);
  return {
    ...refusal,
    facts: { ...refusal.facts, replicas },
    text: `${refusal.text}; it is static (spec.replicas is ${replicas})`,
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

/** Of how many labels it lacks: first those that only a NodePool itself can have. */
function lackOf({ labels }: Pick<CertainObstacles, 'labels'>): readonly number[] {
  const own = labels.filter(({ isOwn }) => isOwn).length;
  return [own, labels.length - own];
}

function nearestOf<T extends CertainObstacles>(known: readonly T[]): readonly T[] {
  const [best] = known.map(lackOf).toSorted(compareScores);
  return known.filter((each) => best !== undefined && compareScores(lackOf(each), best) === 0);
}

function refusalsOf(pool: PoolShape, selected: boolean, obstacles: CertainObstacles): readonly RefusalFact[] {
  const certain = certainFacts(pool, obstacles);
  if (isLeaving(pool)) {
    const also = certain.map(
      ({ code, text }) => `; and ${code === 'TaintNotTolerated' ? 'the pod ' : ''}${text}`,
    );
    return [
      {
        code: 'PoolDeleting',
        facts: {},
        text: `the pod selects it, and it is being deleted: it launches no more nodes${also.join('')}`,
        nodePool: pool.metadata.name,
      },
    ];
  }
  if (certain.length === 0)
    return [refusalOfStatic(pool, selected ? 'the pod selects it' : 'the pod could use it')];
  // More nodes would not take the pod, either.
  return certain.map((each) => ofStatic(pool, each));
}
