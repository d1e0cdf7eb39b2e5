/**
 * Plans one pod: which pool would launch a node for it, or why each pool does not, the pools that come closest first.
 * Loaded only when a plan is needed: with the planner, it is the largest part of `why`.
 */
import type { RefusalFact } from '../../causes/index.ts';
import {
  type PodRefusal,
  type PoolRefusal,
  poolReasonText,
  problemText,
  type Refusal,
  refusalText,
  type SchedulingInput,
  solve,
} from '../../scheduling/index.ts';
import { conditionOf } from '../../state/index.ts';

import { closest } from './closest-pools.ts';
import type { GatherContext } from './gather-context.ts';
import type { AroundPod, PoolTypes } from './plan-input.ts';
import { fullName, type PodShape, type PoolShape } from './shapes.ts';

/** Of one pod, against pools. */
export interface Asked {
  readonly outcome: 'newClaim' | 'refused';
  readonly pools: readonly PoolShape[];
  readonly refusals: readonly RefusalFact[];
}

/** Pools that are not ready are planned as well: if only they would take the pod, that is the reason. */
export function planPod(
  context: GatherContext,
  pod: PodShape,
  around: AroundPod,
  typed: readonly PoolTypes[],
): Asked {
  const ready = typed.filter(({ pool }) => isReady(pool));
  const asked = engineSays(context, pod, around, ready);
  if (asked.outcome === 'newClaim' || ready.length === typed.length) return asked;
  const whole = engineSays(context, pod, around, typed);
  return whole.outcome === 'refused' && ready.length > 0 ? asked : whole;
}

/** A further size would not change the answer. */
export function isSettled({ outcome, refusals }: Asked): boolean {
  return outcome === 'newClaim' || refusals.every(({ code }) => WHATEVER_THE_SIZE.has(code));
}

// ---------------------------------------------------------------------------------------------------

function isReady(pool: PoolShape): boolean {
  return conditionOf(pool as never, 'Ready')?.status === 'True';
}

/** Obstacles that no further size would change. */
const WHATEVER_THE_SIZE: ReadonlySet<string> = new Set([
  'TaintNotTolerated',
  'LabelUndefined',
  // The largest types are always included.
  'ResourceInsufficient',
  'NoPools',
  'InvalidPod',
  'ResourceClaims',
  'VolumeClaimMissing',
  'StorageClassMissing',
  'VolumeMissing',
]);

function engineSays(
  { planner }: GatherContext,
  pod: PodShape,
  around: AroundPod,
  typed: readonly PoolTypes[],
): Asked {
  const input: SchedulingInput = {
    ...around,
    pools: typed.map(({ pool, types }) => ({
      nodePool: pool,
      instanceTypes: types,
      used: pool.status?.resources ?? {},
    })),
    wellKnownLabels: planner!.wellKnownLabels,
  };
  const plan = solve(input);
  const [claim] = plan.claims;
  if (claim !== undefined) {
    const pool = typed.find((each) => each.pool.metadata.name === claim.nodePool)?.pool;
    return { outcome: 'newClaim', pools: pool === undefined ? [] : [pool], refusals: [] };
  }
  const [refusal] = plan.refusals;
  const problem = plan.inputErrors.find(({ object }) => object === `Pod/${fullName(pod)}`);
  if (refusal === undefined)
    return {
      outcome: 'refused',
      pools: [],
      refusals: [
        {
          code: 'InvalidPod',
          facts: { field: problem?.field ?? '' },
          text: problem === undefined ? 'the pod is invalid' : `${problem.field}: ${problem.problem}`,
        },
      ],
    };
  return refusedBy(refusal, typed);
}

function refusedBy(refusal: PodRefusal, typed: readonly PoolTypes[]): Asked {
  if (refusal.problem !== null) {
    const { code, ...facts } = refusal.problem;
    return {
      outcome: 'refused',
      pools: typed.map(({ pool }) => pool),
      refusals: [{ code, facts: factTexts(facts), text: problemText(refusal.problem) }],
    };
  }
  if (refusal.pools.length === 0)
    return { outcome: 'refused', pools: [], refusals: [{ code: 'NoPools', facts: {}, text: NO_POOLS }] };
  const nearest = closest(refusal.pools, (each) => each.refusal.code);
  return {
    outcome: 'refused',
    pools: typed
      .map(({ pool }) => pool)
      .filter(({ metadata }) => nearest.some((each) => each.nodePool === metadata.name)),
    refusals: nearest.map(poolFact),
  };
}

const NO_POOLS = 'there is no NodePool that could launch a node';

function poolFact({ nodePool, refusal, filter, types }: PoolRefusal): RefusalFact {
  const { code, ...facts } = refusal;
  const text =
    filter === null ? refusalText(refusal) : typesText(refusal, types, { nodePool, refusal, filter, types });
  return { code, facts: factTexts(facts), text, nodePool };
}

/** The reason that holds for all types; otherwise the summary in the words of Karpenter. */
function typesText(refusal: Refusal, types: PoolRefusal['types'], whole: PoolRefusal): string {
  return types.length <= 1 ? refusalText(refusal) : poolReasonText(whole);
}

function factTexts(facts: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [
      name,
      typeof fact === 'string' ? fact : JSON.stringify(fact),
    ]),
  );
}
