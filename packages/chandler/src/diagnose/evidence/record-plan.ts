/** Records what was found out about a pending pod: the plan, or in its place what the controller and the objects say. */
import type { PlanEvidence, RefusalFact } from '../../causes/index.ts';

import { addPlan } from './add-plan.ts';
import type { ExcludedPools } from './excluded-pools.ts';
import type { GatherContext } from './gather-context.ts';
import { mayTake } from './may-take.ts';
import { mayBeServed, mayBeTaken, type PlanBasis } from './plan-basis.ts';
import type { PoolWithClass } from './plan-input.ts';
import type { Asked } from './plan-pod.ts';
import type { PodShape, PoolShape } from './shapes.ts';
import { type ExcludedForPod, OF_POD_SPEC, type UnreadyNode, waitingForStatic } from './static-pools.ts';
import { isMissed } from './stopped-pools.ts';
import { OF_POOL, weighedByObjects, weighedByPlan } from './weigh-event.ts';

export interface PlannedPod {
  /** The pools that matter for the pod: the one that takes it, or those that come closest. */
  readonly pools: readonly PoolShape[];
  readonly outcome: PlanEvidence['outcome'] | 'unknown';
  /** The claim that the controller named for it, or that of a static NodePool whose Node is gone. */
  readonly claim?: string;
  /** The pod waits for it in place of a new one. */
  readonly unready?: UnreadyNode;
}

/** What the controller said, and the objects, are all there is. */
export function withoutPlan(
  context: GatherContext,
  pod: PodShape,
  known: readonly PoolWithClass[],
  said: readonly RefusalFact[],
  excluded: ExcludedForPod,
): PlannedPod {
  const all = known.map(({ pool }) => pool);
  const { refusals: certain, others } = excluded;
  if (excluded.short !== undefined) return waitingForStatic(context, pod, excluded, excluded.short);
  if (certain.length > 0) {
    addPlan(context, pod, { outcome: 'refused', target: undefined, refusals: certain, others }, 'spec');
    return { pools: excluded.pools, outcome: 'refused' };
  }
  if (said.length === 0) return { pools: all.filter((pool) => mayTake(pool, pod)), outcome: 'unknown' };
  const { pools, refusals } = weighedByObjects(said, all, pod, context.planner?.labelRules.wellKnown);
  if (refusals.length === 0) return { pools, outcome: 'unknown' };
  const refused = refusedByEvent(context, pod, pools, { refusals });
  if (!refusals.every(({ code }) => OF_POOL.has(code))) return refused;
  return withMissed(
    context,
    pod,
    refused,
    pools.filter((pool) => mayTake(pool, pod)),
  );
}

/** Reads on with the NodePools that are named, or with those that come closest. */
function refusedByEvent(
  context: GatherContext,
  pod: PodShape,
  pools: readonly PoolShape[],
  plan: Pick<PlanEvidence, 'refusals' | 'others'>,
): PlannedPod {
  addPlan(context, pod, { outcome: 'refused', target: undefined, ...plan }, 'event FailedScheduling');
  const named = new Set(plan.refusals.map(({ nodePool }) => nodePool));
  const refused = pools.filter(({ metadata }) => named.has(metadata.name));
  return { pools: refused.length > 0 ? refused : pools, outcome: 'refused' };
}

/** What is wrong with NodePools that would take it and have stopped being Ready matters as well. */
function withMissed(
  { recorder }: GatherContext,
  pod: PodShape,
  planned: PlannedPod,
  pools: readonly PoolShape[],
): PlannedPod {
  const full = planned.pools;
  const missed = pools.filter((pool) => !full.includes(pool) && isMissed(pool, pod, recorder.atMs, full));
  return { ...planned, pools: [...planned.pools, ...missed] };
}

/** One that takes no pod is no reason to leave out a static one; but the cloud may have sizes that the catalogue does not have. */
export function impossibleIn({ impossible }: Asked, isAboutSizes: boolean): readonly PoolShape[] {
  return isAboutSizes ? [] : impossible;
}

function othersOf(asked: Asked, refusals: readonly RefusalFact[]): Asked['others'] {
  const named = new Set(refusals.map(({ nodePool }) => nodePool));
  return asked.others.filter(({ nodePool }) => !named.has(nodePool));
}

/** Of NodePools and nodes that are not planned. */
export interface BesidePlan extends Pick<ExcludedPools, 'refusals' | 'others'> {
  /** The pod is meant for one that launches nothing for it. */
  readonly isMeant: boolean;
}

export function besidePlan(
  { refusals, others }: ExcludedPools,
  existing: readonly RefusalFact[],
): BesidePlan {
  const isMeant = refusals.length > 0;
  return { refusals: isMeant ? refusals : existing, others, isMeant };
}

/** A volume, or what else keeps the pod from every node. */
export function isOfPod({ code, nodePool }: RefusalFact): boolean {
  return nodePool === undefined && code !== 'ResourceUnknown' && code !== 'NoPools';
}

export function recordPlan(
  context: GatherContext,
  pod: PodShape,
  known: readonly PoolWithClass[],
  asked: Asked,
  said: readonly RefusalFact[],
  basis: PlanBasis,
  beside: BesidePlan = { refusals: [], others: [], isMeant: false },
): PlannedPod {
  const { outcome, pools } = asked;
  const withBeside = (ofPools: readonly RefusalFact[]) => [
    ...beside.refusals,
    ...ofPools.filter(({ code }) => !beside.isMeant || !OF_POD_SPEC.has(code)),
  ];
  const refusals = withBeside(asked.refusals);
  const othersBeside = (named: readonly RefusalFact[]) => [...othersOf(asked, named), ...beside.others];
  const weighed = said.length === 0 ? undefined : weighedByPlan(said, asked);
  if (weighed !== undefined) {
    const all = pools.length > 0 ? pools : known.map(({ pool }) => pool);
    const others = othersBeside(weighed);
    const refused = refusedByEvent(context, pod, all, {
      refusals: withBeside(weighed),
      others,
    });
    // Where the pod would fit: read why the pool does not launch.
    return outcome === 'newClaim' ? { pools, outcome } : withMissed(context, pod, refused, asked.unready);
  }
  const isUnknown =
    outcome === 'newClaim'
      ? !basis.isLaunchKnown
      : mayBeServed(basis, refusals) || mayBeTaken(basis, refusals);
  if (isUnknown) return { pools, outcome: 'unknown' };
  const [pool] = pools;
  const target = outcome === 'newClaim' && pool !== undefined ? `NodePool ${pool.metadata.name}` : undefined;
  const others = othersBeside(refusals);
  addPlan(context, pod, { outcome, target, refusals, others }, context.planner!.source);
  return withMissed(context, pod, { pools, outcome }, asked.unready);
}
