/**
 * Plans one pod: which pool would launch a node for it, or why each pool does not, the pools that come closest first.
 * Loaded only when a plan is needed: with the planner, it is the largest part of `why`.
 */
import type { PlanEvidence, RefusalFact } from '../../causes/index.ts';
import {
  type Plan,
  type Pod,
  type PodRefusal,
  type PoolRefusal,
  type SchedulingInput,
  solve,
} from '../../scheduling/index.ts';
import { conditionOf } from '../../state/index.ts';

import type { GatherContext } from './gather-context.ts';
import type { AroundPod, PoolTypes } from './plan-input.ts';
import {
  type Ask,
  type Attempt,
  decisiveOf,
  isFitting,
  nearestPools,
  obstaclesOf,
} from './pool-obstacles.ts';
import { poolFact, problemFact, type RefusalContext, shortReason } from './refusal-facts.ts';
import { withoutVolumes } from './relaxed-pod.ts';
import { fullName, type PodShape, type PoolShape } from './shapes.ts';

/** Of one pod, against pools. */
export interface Asked {
  readonly outcome: 'newClaim' | 'refused';
  /** The pool that takes it, or those that come closest. */
  readonly pools: readonly PoolShape[];
  /** Of these. */
  readonly refusals: readonly RefusalFact[];
  /** Pools that no label and no taint keeps it from; sizes apart, which the catalogue may not have. */
  readonly fitting: readonly PoolShape[];
  /** Why the other pools are not for this pod. */
  readonly others: NonNullable<PlanEvidence['others']>;
}

/**
 * Pools that are not ready are planned as well: if only they would take the pod, that is the reason. If none would, the
 * ones with the fewest changes to make are named, ready ones first.
 */
export function planPod(
  context: GatherContext,
  pod: PodShape,
  around: AroundPod,
  typed: readonly PoolTypes[],
): Asked {
  const ready = typed.filter(({ pool }) => isReady(pool));
  if (ready.length === 0 || ready.length === typed.length) return engineSays(context, pod, around, typed);
  const asked = takenBy(planned(context, around, pod, ready), ready);
  return asked ?? engineSays(context, pod, around, typed);
}

export function isReady(pool: PoolShape): boolean {
  return conditionOf(pool as never, 'Ready')?.status === 'True';
}

/** A further size would not change the answer. */
export function isSettled({ outcome, refusals }: Asked): boolean {
  return outcome === 'newClaim' || refusals.every(({ code }) => WHATEVER_THE_SIZE.has(code));
}

// ---------------------------------------------------------------------------------------------------

/** Obstacles that no further size would change. */
const WHATEVER_THE_SIZE: ReadonlySet<string> = new Set([
  'TaintNotTolerated',
  'LabelUndefined',
  // The largest types are always included.
  'ResourceInsufficient',
  'ResourceUnknown',
  'VolumeElsewhere',
  'NoPools',
  'InvalidPod',
  'ResourceClaims',
  'VolumeClaimMissing',
  'StorageClassMissing',
  'VolumeMissing',
]);

function engineSays(
  context: GatherContext,
  pod: PodShape,
  around: AroundPod,
  typed: readonly PoolTypes[],
): Asked {
  const plan = planned(context, around, pod, typed);
  const taken = takenBy(plan, typed);
  if (taken !== undefined) return taken;
  const [refusal] = plan.refusals;
  const problem = plan.inputErrors.find(({ object }) => object === `Pod/${fullName(pod)}`);
  if (refusal === undefined)
    return {
      ...NOT_RANKED,
      pools: [],
      refusals: [
        {
          code: 'InvalidPod',
          facts: { field: problem?.field ?? '' },
          text: problem === undefined ? 'the pod is invalid' : `${problem.field}: ${problem.problem}`,
        },
      ],
    };
  const about: RefusalContext = {
    volumes: around.volumes ?? {},
    types: typed.flatMap(({ types }) => types),
    sizeLabels: new Set(context.planner!.sizeLabels),
  };
  if (refusal.problem === null)
    return refusedBy(refusal, pod, typed, about, (attempt) => refusalOf(context, around, attempt, typed));
  // What else keeps it from a node, once its volumes are right.
  const lighter = withoutVolumes(pod);
  const rest = lighter === undefined ? NO_MORE : engineSays(context, lighter, around, typed);
  return { ...rest, outcome: 'refused', refusals: [problemFact(refusal.problem, about), ...rest.refusals] };
}

function takenBy({ claims: [claim] }: Plan, typed: readonly PoolTypes[]): Asked | undefined {
  if (claim === undefined) return undefined;
  const pool = typed.find((each) => each.pool.metadata.name === claim.nodePool)?.pool;
  return {
    outcome: 'newClaim',
    pools: pool === undefined ? [] : [pool],
    refusals: [],
    fitting: [],
    others: [],
  };
}

const NO_MORE: Asked = { outcome: 'refused', pools: [], refusals: [], fitting: [], others: [] };

const NOT_RANKED = { outcome: 'refused', fitting: [], others: [] } as const;

function planned(
  { planner }: GatherContext,
  around: AroundPod,
  pod: PodShape,
  typed: readonly PoolTypes[],
): Plan {
  const input: SchedulingInput = {
    ...around,
    pods: [pod as unknown as Pod],
    pools: typed.map(({ pool, types }) => ({
      nodePool: pool,
      instanceTypes: types,
      used: pool.status?.resources ?? {},
    })),
    wellKnownLabels: planner!.wellKnownLabels,
  };
  return solve(input);
}

/** Of one pool. The others are there without room: their zones are domains of a spread. */
function refusalOf(
  context: GatherContext,
  around: AroundPod,
  { pod, pool, types }: Attempt,
  typed: readonly PoolTypes[],
): PoolRefusal | undefined {
  const { name } = pool.metadata;
  const others = (pod.spec.topologySpreadConstraints ?? []).length === 0 ? [] : typed;
  const closed = others
    .filter((each) => each.pool.metadata.name !== name)
    .map((each) => ({
      ...each,
      pool: { ...each.pool, spec: { ...each.pool.spec, limits: { nodes: '0' } } } as PoolShape,
    }));
  const plan = planned(context, around, pod, [{ pool, types }, ...closed]);
  return plan.refusals[0]?.pools.find(({ nodePool }) => nodePool === name);
}

function refusedBy(
  refusal: PodRefusal,
  pod: PodShape,
  typed: readonly PoolTypes[],
  about: RefusalContext,
  ask: Ask,
): Asked {
  if (refusal.pools.length === 0)
    return { ...NOT_RANKED, pools: [], refusals: [{ code: 'NoPools', facts: {}, text: NO_POOLS }] };
  const ranked = refusal.pools.flatMap((first) => {
    const own = typed.find(({ pool }) => pool.metadata.name === first.nodePool);
    return own === undefined ? [] : [obstaclesOf(ask, { ...own, pod }, first)];
  });
  const nearest = nearestPools(ranked, isReady);
  return {
    outcome: 'refused',
    pools: nearest.map(({ pool }) => pool),
    refusals: nearest.flatMap(({ obstacles }) => obstacles.map((each) => poolFact(each, about))),
    fitting: ranked.filter((each) => isFitting(each, about.sizeLabels)).map(({ pool }) => pool),
    others: ranked
      .filter((each) => !nearest.includes(each))
      .map((each) => ({ nodePool: each.pool.metadata.name, reason: shortReason(decisiveOf(each)) })),
  };
}

const NO_POOLS = 'there is no NodePool that could launch a node';
