/**
 * Everything that keeps a pod from a NodePool. The engine names one obstacle at a time, so each one is taken away in turn,
 * until the NodePool would take the pod or nothing more can be taken away. Of several NodePools, the nearest is the one
 * with the fewest changes to make.
 */
import type { InstanceType, Pod, PoolRefusal, Refusal } from '../../scheduling/index.ts';

import { type CertainObstacles, isOwnLabel, namedLabels } from './may-take.ts';
import { isOffered, shortReason } from './refusal-facts.ts';
import {
  withoutLabel,
  withoutResource,
  withoutTopology,
  withoutVolumes,
  withToleration,
} from './relaxed-pod.ts';
import type { PodShape, PoolShape } from './shapes.ts';
import { compareScores, OF_POOL } from './weigh-event.ts';

/** A pod against one NodePool. */
export interface Attempt {
  readonly pod: PodShape;
  readonly pool: PoolShape;
  readonly types: readonly InstanceType[];
}

export interface PoolObstacles {
  readonly pool: PoolShape;
  /** In the order in which the engine meets them. None: it would take the pod, and is not ready. */
  readonly obstacles: readonly PoolRefusal[];
  readonly certain: CertainObstacles;
  readonly signs: PoolSigns;
}

/** What shows that the pod is meant for the NodePool. */
export interface PoolSigns {
  /** It selects it. */
  readonly selected: boolean;
  /** Its taints do not say that it is for other pods. */
  readonly meant: boolean;
}

/** @returns the refusal of the NodePool; undefined: it would take the pod. */
export type Ask = (attempt: Attempt) => PoolRefusal | undefined;

/** What is known of a NodePool before it is looked into. */
export interface PoolStart {
  readonly attempt: Attempt;
  /**
   * The refusal of the NodePool among the others, which counts even if it would take the pod alone. Undefined: it would take
   * the pod, and is not ready.
   */
  readonly first: PoolRefusal | undefined;
  readonly certain: CertainObstacles;
  readonly signs: PoolSigns;
  readonly isReady: boolean;
  /** Labels that nodes of every NodePool may have. */
  readonly wellKnown: ReadonlySet<string>;
}

export interface RankedPools {
  /** Of all, those with the fewest changes to make. */
  readonly nearest: readonly PoolObstacles[];
  /** Of the others, obstacles may be missing: they were looked into only until it was certain that others are nearer. */
  readonly all: readonly PoolObstacles[];
}

/** @param pause gives way to other work between two plans. */
export async function rankPools(
  ask: Ask,
  starts: readonly PoolStart[],
  pause: () => Promise<void> | undefined = () => undefined,
): Promise<RankedPools> {
  const searches = starts.map((start) => new Search(start));
  const scores = searches.map((each) => each.score());
  for (;;) {
    const best = scores.reduce(
      (one, other) => (compareScores(other, one) < 0 ? other : one),
      scores[0] ?? [],
    );
    // Labels and taints decide; among those with as few of them, all is known.
    const limit = ofLabels(best);
    const next = searches.findIndex(
      (each, index) => each.isOpen && compareScores(ofLabels(scores[index]!), limit) <= 0,
    );
    if (next === -1) {
      const all = searches.map((each) => each.found());
      return { nearest: all.filter((_, index) => compareScores(scores[index]!, best) === 0), all };
    }
    searches[next]!.step(ask);
    scores[next] = searches[next]!.score();
    await pause();
  }
}

/** Neither a label nor a taint keeps the pod from the NodePool, labels of its instance types apart. */
export function isFitting({ obstacles, certain }: PoolObstacles, sizeLabels: ReadonlySet<string>): boolean {
  return (
    certain.taints.length === 0 &&
    certain.labels.length === 0 &&
    !obstacles.some(({ refusal }) =>
      isMismatch(refusal)
        ? !('key' in refusal && sizeLabels.has(refusal.key))
        : refusal.code === 'TaintNotTolerated',
    )
  );
}

/**
 * A change of this NodePool alone would let it take the pod. Of the size of a pod that does not select it, nothing can be
 * said; nor of taints, if other NodePools are as near.
 */
export function couldTake({ obstacles, certain, signs }: PoolObstacles, isNearestAlone: boolean): boolean {
  return (
    certain.labels.length === 0 && obstacles.every(({ refusal }) => isOfPool(refusal, signs, isNearestAlone))
  );
}

/** The NodePool has taints or no instance types, and nothing in the pod points to it. */
export function isForOthers(pool: PoolObstacles): boolean {
  return (pool.certain.taints.length > 0 && !pool.signs.meant) || isImpossible(pool);
}

/** The NodePool has no instance types, and nothing in the pod points to it. */
export function isImpossible({ obstacles, signs }: PoolObstacles): boolean {
  return !signs.selected && obstacles.some(({ refusal }) => refusal.code === 'PoolWithoutTypes');
}

/** No label keeps the pod from the NodePool, and no taint of a NodePool for others. */
export function mayBeMeant({ certain, signs }: PoolObstacles): boolean {
  return certain.labels.length === 0 && (certain.taints.length === 0 || signs.meant);
}

/** Why a NodePool is not for the pod: by labels, by taints, or by the first thing in the way. */
export function decisiveReason({ obstacles, certain }: PoolObstacles): string {
  const all = obstacles.map(({ refusal }) => refusal);
  if (all.length === 0) return 'it is not Ready';
  const forOthers = all.find(isOfOthers);
  if (forOthers !== undefined) return shortReason(forOthers);
  const [label] = certain.labels;
  if (label !== undefined) return `no node with ${label.key}=${label.value}`;
  const [taint] = certain.taints;
  return shortReason(taint === undefined ? all[0]! : { code: 'TaintNotTolerated', taint });
}

// ---------------------------------------------------------------------------------------------------

const MAX_OBSTACLES = 8;

/** What a NodePool without instance types weighs: it cannot take any pod. */
const WITHOUT_TYPES = 10;

/** The first numbers of a score. */
function ofLabels(score: readonly number[]): readonly number[] {
  return score.slice(0, 4);
}

class Search {
  readonly #start: PoolStart;
  readonly #obstacles: PoolRefusal[];
  #next: Attempt | undefined;

  constructor(start: PoolStart) {
    this.#start = start;
    this.#obstacles = start.first === undefined ? [] : [start.first];
    this.#next = start.first === undefined ? undefined : relaxed(start.attempt, start.first.refusal);
  }

  /** There may be more obstacles. */
  get isOpen(): boolean {
    return this.#next !== undefined;
  }

  step(ask: Ask): void {
    const more = ask(this.#next!);
    if (more !== undefined) this.#obstacles.push(more);
    const isOver = more === undefined || this.#obstacles.length >= MAX_OBSTACLES;
    this.#next = isOver ? undefined : relaxed(this.#next!, more.refusal);
  }

  found(): PoolObstacles {
    const { attempt, certain, signs } = this.#start;
    return { pool: attempt.pool, obstacles: this.#obstacles, certain, signs };
  }

  /**
   * First the taints of a NodePool that nothing in the pod points to: it is for other pods, whatever it would take besides;
   * and that it has no instance types.
   * Then the labels that NodePools are told apart by, which say whose NodePool the pod is meant for. Then other labels that it
   * selects, such as a zone, and the resources that no node of the NodePool has. Then taints of a NodePool that it is meant
   * for. Then what does not fit the pod, such as sizes that are too small. What is left are NodePools for this pod: one that
   * is ready and full is used by others, one that is not ready may have been left so. It only grows with each step.
   */
  score(): readonly number[] {
    const { certain, isReady, signs, wellKnown } = this.#start;
    const found = this.#obstacles.map(({ refusal }) => refusal);
    const forOthers = found.filter(isOfOthers).length;
    const own = found.filter((each) => isMismatch(each) && isOwnLabel(each.key, wellKnown)).length;
    const certainOwn = certain.labels.filter(({ isOwn }) => isOwn).length;
    const tainted = found.filter(({ code }) => code === 'TaintNotTolerated').length;
    const ofPool = found.filter(({ code }) => OF_POOL.has(code)).length;
    const unfit = found.length - forOthers - tainted - ofPool;
    const taints = Math.max(tainted, certain.taints.length);
    const isImpossible = found.some(({ code }) => code === 'PoolWithoutTypes');
    // It can take no pod, so that any other one is nearer, unless the pod selects it.
    const isUseless = isImpossible && !signs.selected;
    const meant = signs.meant && !isUseless;
    return [
      (meant ? 0 : 2 * taints) + (isUseless ? 1 : 0),
      Math.max(own, certainOwn),
      Math.max(forOthers - own, certain.labels.length - certainOwn),
      meant ? taints : 0,
      unfit + (isImpossible ? WITHOUT_TYPES : 0),
      isReady ? 0 : 1,
      ofPool,
    ];
  }
}

function isOfPool(refusal: Refusal, { selected, meant }: PoolSigns, isNearestAlone: boolean): boolean {
  switch (refusal.code) {
    case 'TaintNotTolerated':
      return meant || isNearestAlone;
    case 'ResourceInsufficient':
      return selected && isOffered(refusal.available);
    case 'NoTypeMeetsAll':
      return selected;
    default:
      return OF_POOL.has(refusal.code);
  }
}

/** Of a NodePool that is for other pods. */
function isOfOthers(refusal: Refusal): boolean {
  return isMismatch(refusal) || (refusal.code === 'ResourceInsufficient' && !isOffered(refusal.available));
}

function isMismatch(
  refusal: Refusal,
): refusal is Extract<Refusal, { code: 'LabelUndefined' | 'RequirementIncompatible' }> {
  return (
    refusal.code === 'LabelUndefined' ||
    (refusal.code === 'RequirementIncompatible' && refusal.source === 'pod')
  );
}

/** The same without the obstacle. Undefined: it cannot be taken away. */
function relaxed(attempt: Attempt, refusal: Refusal): Attempt | undefined {
  const { pod, pool } = attempt;
  const withPod = (changed: Pod | undefined) =>
    changed === undefined ? undefined : { ...attempt, pod: changed as unknown as PodShape };
  switch (refusal.code) {
    case 'TaintNotTolerated':
      return withPod(withToleration(pod as never, refusal.taint));
    case 'LabelUndefined':
      return withPod(withoutLabel(pod as never, refusal.key));
    case 'RequirementIncompatible':
      return refusal.source === 'volume'
        ? withPod(withoutVolumes(pod as never))
        : withPod(withoutLabel(pod as never, refusal.key));
    case 'VolumeLimit':
      return withPod(withoutVolumes(pod as never));
    case 'ResourceInsufficient':
      return withPod(withoutResource(pod as never, refusal.resource));
    case 'TopologyUnsatisfiable':
      return withPod(withoutTopology(pod as never, refusal.kind));
    case 'LimitExceeded':
      return { ...attempt, pool: { ...pool, spec: { ...pool.spec, limits: {} } } as PoolShape };
    case 'PoolWithoutTypes':
      return withEveryType(attempt);
    default:
      return undefined;
  }
}

/**
 * Only labels of its own are left of the requirements of the NodePool, so that those and its taints can be compared with the
 * pod. What the pod requires and the NodePool names is not the pod's to change.
 */
function withEveryType(attempt: Attempt): Attempt | undefined {
  const { pool, types } = attempt;
  const offered = new Set(types.flatMap(({ requirements }) => requirements.map(({ key }) => key)));
  const { template } = pool.spec;
  const all = template.spec.requirements ?? [];
  const requirements = all.filter(({ key }) => !offered.has(key));
  if (requirements.length === all.length) return undefined;
  const spec = { ...pool.spec, template: { ...template, spec: { ...template.spec, requirements } } };
  const named = [...namedLabels(pool, attempt.pod)].filter((key) => offered.has(key));
  const pod = named.reduce<Pod>((each, key) => withoutLabel(each, key) ?? each, attempt.pod as never);
  return { ...attempt, pool: { ...pool, spec } as PoolShape, pod: pod as unknown as PodShape };
}
