/**
 * Everything that keeps a pod from a NodePool. The engine names one obstacle at a time, so each one is taken away in turn,
 * until the NodePool would take the pod or nothing more can be taken away. Of several NodePools, the nearest is the one
 * with the fewest changes to make.
 */
import type { InstanceType, Pod, PoolRefusal, Refusal } from '../../scheduling/index.ts';

import {
  withoutLabel,
  withoutResource,
  withoutTopology,
  withoutVolumes,
  withToleration,
} from './relaxed-pod.ts';
import type { PodShape, PoolShape } from './shapes.ts';

/** A pod against one NodePool. */
export interface Attempt {
  readonly pod: PodShape;
  readonly pool: PoolShape;
  readonly types: readonly InstanceType[];
}

export interface PoolObstacles {
  readonly pool: PoolShape;
  /** In the order in which the engine meets them; at least one. */
  readonly obstacles: readonly PoolRefusal[];
}

/** @returns the refusal of the NodePool; undefined: it would take the pod. */
export type Ask = (attempt: Attempt) => PoolRefusal | undefined;

/** @param first the refusal of the NodePool among the others, which counts even if it would take the pod alone. */
export function obstaclesOf(ask: Ask, start: Attempt, first: PoolRefusal): PoolObstacles {
  const obstacles: PoolRefusal[] = [first];
  let attempt = relaxed(start, first.refusal);
  while (attempt !== undefined && obstacles.length < MAX_OBSTACLES) {
    const next = ask(attempt);
    if (next === undefined) break;
    obstacles.push(next);
    attempt = relaxed(attempt, next.refusal);
  }
  return { pool: start.pool, obstacles };
}

/** Those with the fewest changes to make. */
export function nearestPools(
  pools: readonly PoolObstacles[],
  isReady: (pool: PoolShape) => boolean,
  counts: (refusal: Refusal) => boolean = () => true,
): readonly PoolObstacles[] {
  const scored = pools.map((each) => ({ each, score: scoreOf(each, isReady(each.pool), counts) }));
  const [best] = scored.map(({ score }) => score).sort(compare);
  return scored.filter(({ score }) => compare(score, best!) === 0).map(({ each }) => each);
}

/** Neither a label nor a taint keeps the pod from the NodePool, labels of sizes apart. */
export function isFitting({ obstacles }: PoolObstacles, sizeLabels: ReadonlySet<string>): boolean {
  return !obstacles.some(({ refusal }) =>
    isMismatch(refusal)
      ? !('key' in refusal && sizeLabels.has(refusal.key))
      : refusal.code === 'TaintNotTolerated',
  );
}

/** Why a NodePool is not for the pod: by labels, by taints, or by the first thing in the way. */
export function decisiveOf({ obstacles }: PoolObstacles): PoolRefusal {
  const isTaint = ({ refusal }: PoolRefusal) => refusal.code === 'TaintNotTolerated';
  return obstacles.find(({ refusal }) => isMismatch(refusal)) ?? obstacles.find(isTaint) ?? obstacles[0]!;
}

// ---------------------------------------------------------------------------------------------------

const MAX_OBSTACLES = 8;

/** What a NodePool without instance types weighs: it cannot take any pod, so that any other one is nearer. */
const WITHOUT_TYPES = 10;

/**
 * The labels that the pod selects first: they say which NodePool it is meant for. Then taints, which keep pods away on
 * purpose. What is left is a NodePool for this pod that is full, too small or not ready.
 */
function scoreOf(
  { obstacles }: PoolObstacles,
  ready: boolean,
  counts: (refusal: Refusal) => boolean,
): readonly number[] {
  const counted = obstacles.map(({ refusal }) => refusal).filter(counts);
  const mismatches = counted.filter(isMismatch).length;
  const taints = counted.filter(({ code }) => code === 'TaintNotTolerated').length;
  const rest = counted.length - mismatches - taints;
  const impossible = counted.some(({ code }) => code === 'PoolWithoutTypes') ? WITHOUT_TYPES : 0;
  return [mismatches, taints, rest + impossible + (ready ? 0 : 1)];
}

function isMismatch(refusal: Refusal): boolean {
  return (
    refusal.code === 'LabelUndefined' ||
    (refusal.code === 'RequirementIncompatible' && refusal.source === 'pod')
  );
}

function compare(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((amount, at) => amount !== other[at]);
  return index < 0 ? 0 : one[index]! - other[index]!;
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

/** Only labels of its own are left of the requirements of the NodePool, so that those and its taints can be compared with the pod. */
function withEveryType(attempt: Attempt): Attempt | undefined {
  const { pool, types } = attempt;
  const offered = new Set(types.flatMap(({ requirements }) => requirements.map(({ key }) => key)));
  const { template } = pool.spec;
  const all = template.spec.requirements ?? [];
  const requirements = all.filter(({ key }) => !offered.has(key));
  if (requirements.length === all.length) return undefined;
  const spec = { ...pool.spec, template: { ...template, spec: { ...template.spec, requirements } } };
  return { ...attempt, pool: { ...pool, spec } as PoolShape };
}
