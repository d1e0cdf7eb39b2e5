/**
 * What the scheduling engine says about a pending pod: which NodePool would launch a node for it, or why none does. The
 * plan is made here, from a catalogue; where the controller itself said otherwise, the controller counts.
 */
import type { LookupFailure, RefusalFact } from '../../causes/index.ts';
import type { SomeSizes } from '../../cloud/index.ts';

import { addPlan } from './add-plan.ts';
import { refusedAnywhere } from './any-region.ts';
import { aboutPod, findEvents, type ReadEvent } from './events.ts';
import { excludedPools, isDynamic } from './excluded-pools.ts';
import { existingNodeFacts } from './existing-nodes.ts';
import type { GatherContext } from './gather-context.ts';
import { certainObstacles, isSelected, mayTake } from './may-take.ts';
import { currentDecision, nominatedClaim, preemptedNode } from './nomination.ts';
import { ownObstacle, ownRefusals } from './own-obstacle.ts';
import { mayBeServed, planBasis } from './plan-basis.ts';
import type { PoolTypes, PoolWithClass } from './plan-input.ts';
import { defaultConstraints, planOptions } from './plan-options.ts';
import type { Asked } from './plan-pod.ts';
import type { Planner } from './planner.ts';
import {
  besidePlan,
  impossibleIn,
  isOfPod,
  type PlannedPod,
  recordPlan,
  withoutPlan,
} from './record-plan.ts';
import { controllerRefusals } from './refusal-phrases.ts';
import { dependsOnPlaces } from './reserved-places.ts';
import type { PodShape, PoolShape } from './shapes.ts';
import { sizesFor } from './some-sizes.ts';
import {
  type ExcludedForPod,
  type PlanOpen,
  waitingForStatic,
  withNodes,
  withPlanned,
  withTolerated,
} from './static-pools.ts';
import { OF_POOL } from './weigh-event.ts';

export async function readPlan(
  context: GatherContext,
  ofPod: PodShape,
  events: readonly ReadEvent[],
  pools: readonly PoolWithClass[] | undefined,
  isUsable: (claim: string) => Promise<boolean> = async () => false,
): Promise<PlannedPod> {
  const settled = await withoutNewNode(context, ofPod, events, isUsable);
  if (settled !== undefined) return settled;
  const spread = await spreadByDefault(context, ofPod);
  const pod = spread ?? ofPod;
  const said = controllerRefusals(events, context.recorder.atMs);
  const dynamic = (pools ?? []).filter(({ pool }) => isDynamic(pool));
  const { planner } = context;
  const all = (pools ?? []).map(({ pool }) => pool);
  const { wellKnown } = (planner ?? context.cloud.catalogue).labelRules;
  const sizeLabels = new Set(planner?.sizeLabels);
  const excludedBeside = (known: readonly PoolShape[]) =>
    withNodes(context, excludedPools(known, pod, wellKnown, sizeLabels), pod, events);
  const bySpec = await excludedBeside(all);
  if (spread === undefined) return withoutPlan(context, pod, dynamic, said, bySpec);
  const isUneven = (await context.overlays?.changeCapacity()) === true;
  const some = planner === undefined || isUneven ? 'all' : sizesFor(pod, all, planner);
  const known = pools === undefined ? undefined : await withTypes(context, dynamic, some);
  if (known === undefined) return withoutTypes(context, pod, dynamic, said, bySpec, events);
  // The engine is large, and most questions are answered without it.
  const { PodPlans } = await import('./plan-pod.ts');
  const { AroundReader } = await import('./plan-input.ts');
  const around = await new AroundReader(context).read(pod);
  if (around === undefined) return withoutPlan(context, pod, dynamic, said, bySpec);
  const plans = new PodPlans(planner!, planOptions(context.recorder.evidence().first('options')));
  const certain = (await context.overlays?.withoutUnread(pod)) ?? pod;
  const first = await plans.plan(certain, around, known.typed);
  const last = (await plans.isSettled(first, certain, around, known.typed))
    ? first
    : await plans.plan(certain, around, ((await withTypes(context, dynamic, 'all')) ?? known).typed);
  const asked = await withInvalidOverlays(context, last);
  if (dependsOnOverlays(context, pod, certain, asked))
    return withoutPlan(context, pod, dynamic, said, bySpec);
  if (dependsOnPlaces(context, asked)) return withoutPlan(context, pod, dynamic, said, bySpec);
  const basis = await planBasis(context, pod);
  if (asked.outcome === 'newClaim') return recordPlan(context, pod, dynamic, asked, said, basis);
  // A pool that is not planned may be the one that is meant.
  const mayBeMeant = (pool: PoolShape) =>
    isSelectedOf(context, dynamic, pool, pod) || (asked.isForOthers && mayTake(pool, pod));
  if (known.unknown.some(mayBeMeant)) return withoutPlan(context, pod, dynamic, said, bySpec);
  const fitting = dynamic.filter(({ pool }) => asked.fitting.includes(pool));
  const planOpen: PlanOpen = async (open, pool) => {
    const known = pools?.find((each) => each.pool === pool);
    const types = await withTypes(context, [{ nodeClass: undefined, ...known, pool: open }], 'all');
    return types === undefined ? undefined : plans.plan(certain, around, types.typed);
  };
  const isGuess = await isAboutUnknownSizes(context, pod, fitting, asked);
  const impossible = impossibleIn(asked, isGuess);
  const possible =
    impossible.length === 0 ? bySpec : await excludedBeside(all.filter((each) => !impossible.includes(each)));
  const selected = await withPlanned(context, possible, planOpen);
  const excluded = await withTolerated(context, selected, pod, all, asked.refusals, events, planOpen);
  if (excluded.short !== undefined && !asked.refusals.some(isOfPod))
    return waitingForStatic(context, pod, excluded, excluded.short);
  const existing = await existingNodeFacts(context, pod, events, asked.refusals);
  if (!isGuess) {
    const beside = besidePlan(excluded, existing);
    const recorded = recordPlan(context, pod, dynamic, asked, said, basis, beside);
    // What is wrong with the others does not matter to it.
    return beside.isMeant ? { ...recorded, pools: excluded.pools } : recorded;
  }
  const isKnown = said.length + excluded.refusals.length > 0;
  return isKnown ? withoutPlan(context, pod, dynamic, said, excluded) : unknownSizes(context, pod, fitting);
}

/** Plans of pods for a NodePool in question, which may wait for it. Undefined: no plan is possible. */
export function plansFor(
  context: GatherContext,
  pools: readonly PoolWithClass[],
  name: string,
): PlansForPool | undefined {
  const { planner } = context;
  const dynamic = pools.filter(({ pool }) => isDynamic(pool));
  const own = dynamic.find(({ pool }) => pool.metadata.name === name)?.pool;
  if (planner === undefined || own === undefined) return undefined;
  const { wellKnown } = planner.labelRules;
  let tools: ReturnType<typeof planTools> | undefined;
  const planned = async (ofPod: PodShape): Promise<Asked | undefined> => {
    tools ??= planTools(context, planner, dynamic);
    const pod = await spreadByDefault(context, ofPod);
    if (pod === undefined) return undefined;
    const { typed, plans, reader } = await tools;
    if (!typed.some(({ pool }) => pool === own)) return undefined;
    const around = await reader.read(pod);
    const certain = (await context.overlays?.withoutUnread(pod)) ?? pod;
    const asked = around === undefined ? undefined : await plans.plan(certain, around, typed);
    if (asked !== undefined && dependsOnOverlays(context, pod, certain, asked)) return undefined;
    if (asked !== undefined && dependsOnPlaces(context, asked)) return undefined;
    const fitting = dynamic.filter(({ pool }) => asked?.fitting.includes(pool));
    const isGuess = asked?.outcome === 'refused' && (await isAboutUnknownSizes(context, pod, fitting, asked));
    return isGuess ? undefined : asked;
  };
  return {
    mayWait: (pod) =>
      ownObstacle(context, pod) === undefined && certainObstacles(own, pod, wellKnown).labels.length === 0,
    isSelectedBy: (pod) => isSelectedOf(context, dynamic, own, pod),
    async concerns(pod) {
      const asked = await planned(pod);
      return asked === undefined || asked.outcome === 'newClaim' || asked.couldTake.includes(own);
    },
    async offers(pod) {
      tools ??= planTools(context, planner, dynamic);
      const types = (await tools).typed.find(({ pool }) => pool === own)?.types;
      const { containers, initContainers = [] } = pod.spec;
      const requested = [...containers, ...initContainers].flatMap(({ resources }) =>
        Object.keys((resources as { requests?: object } | undefined)?.requests ?? {}),
      );
      return types === undefined || requested.every((name) => types.some(({ capacity }) => name in capacity));
    },
    async answerTo(pod) {
      const events = await findEvents(context, aboutPod(pod));
      // A node is being launched for it, or is there.
      if ((await currentDecision(context, events ?? []))?.reason === 'Nominated') return { state: 'other' };
      const said = controllerRefusals(events ?? [], context.recorder.atMs);
      const asked = await planned(pod);
      if (asked === undefined) return { state: 'unknown' };
      const basis = await planBasis(context, pod);
      const add = () => void recordPlan(context, pod, dynamic, asked, said, basis);
      if (asked.outcome === 'refused') {
        if (!asked.couldTake.includes(own)) return { state: 'other' };
        return mayBeServed(basis, asked.refusals) ? { state: 'unknown' } : { state: 'refused', add };
      }
      if (!asked.pools.includes(own)) return { state: 'other' };
      const isRefused = said.some(({ nodePool, code }) => nodePool === name && OF_POOL.has(code));
      if (isRefused) return { state: 'refused', add };
      return basis.isLaunchKnown ? { state: 'taken', add } : { state: 'unknown' };
    },
  };
}

/** For one NodePool. */
export interface PlansForPool {
  /** By its labels alone, the pod may wait for the NodePool. */
  mayWait(pod: PodShape): boolean;
  isSelectedBy(pod: PodShape): boolean;
  /** False: it certainly waits for something else. */
  concerns(pod: PodShape): Promise<boolean>;
  /** False: it requests a resource that no instance type of the NodePool has. */
  offers(pod: PodShape): Promise<boolean>;
  answerTo(pod: PodShape): Promise<PoolAnswer>;
}

/**
 * `refused`: a change of the NodePool alone would end that. `taken`: the NodePool would launch a node for it, and the
 * controller has not said that it does. `other`: another NodePool takes it or is nearer, or it has a node.
 */
export type PoolAnswer =
  /** `add`: adds the plan to the evidence. */
  { readonly state: 'refused' | 'taken'; readonly add: () => void } | { readonly state: 'other' | 'unknown' };

// ---------------------------------------------------------------------------------------------------

/** The instance types of no NodePool are known: only what no region and no node class changes is said. */
async function withoutTypes(
  context: GatherContext,
  pod: PodShape,
  dynamic: readonly PoolWithClass[],
  said: readonly RefusalFact[],
  bySpec: ExcludedForPod,
  events: readonly ReadEvent[],
): Promise<PlannedPod> {
  if (context.planner === undefined || dynamic.length === 0)
    return withoutPlan(context, pod, dynamic, said, bySpec);
  const asked = await refusedAnywhere(context, pod, dynamic);
  const basis = await planBasis(context, pod);
  if (asked === undefined && context.planner.isRegionUnknown?.() === true)
    context.recorder.addUnread('plan', 'region of the cluster', NO_REGION);
  if (asked === undefined || bySpec.short !== undefined)
    return withoutPlan(context, pod, dynamic, said, bySpec);
  const existing = await existingNodeFacts(context, pod, events, asked.refusals);
  return recordPlan(context, pod, dynamic, asked, said, basis, besidePlan(bySpec, existing));
}

const NO_REGION: LookupFailure = {
  why: 'notShown',
  message: 'by no node, NodeClaim, node class or option of the controller',
};

/** Records that the NodeOverlays could not be read, where that decides. */
function dependsOnOverlays(
  { overlays }: GatherContext,
  pod: PodShape,
  certain: PodShape,
  { outcome }: Asked,
): boolean {
  if (pod === certain || outcome === 'refused') return false;
  overlays?.recordUnread();
  return true;
}

async function withInvalidOverlays({ overlays }: GatherContext, asked: Asked): Promise<Asked> {
  return overlays === undefined ? asked : { ...asked, refusals: await overlays.named(asked.refusals) };
}

/** As the controller plans it, with the default spread of the cluster. Undefined: what that selects could not be read. */
async function spreadByDefault(context: GatherContext, pod: PodShape): Promise<PodShape | undefined> {
  if (defaultConstraints(context.recorder.evidence().first('options')).length === 0) return pod;
  const { withDefaultSpread } = await import('./default-spread.ts');
  return withDefaultSpread(context, pod);
}

/** What is known before NodePools are planned: others make room for it, a node was named, or none would take it. */
async function withoutNewNode(
  context: GatherContext,
  pod: PodShape,
  events: readonly ReadEvent[],
  isUsable: (claim: string) => Promise<boolean>,
): Promise<PlannedPod | undefined> {
  // No plan: what keeps it from a new node does not matter while others make room for it.
  if ((await preemptedNode(context, pod)) !== undefined) return { pools: [], outcome: 'unknown' };
  const decision = await currentDecision(context, events);
  const nominated = decision === undefined ? undefined : nominatedClaim(decision);
  if (nominated !== undefined && (await isUsable(nominated)))
    return { pools: [], outcome: 'unknown', claim: nominated };
  if (nominated !== undefined) {
    addPlan(context, pod, { outcome: 'placed', target: nominated, refusals: [] }, 'event Nominated');
    return { pools: [], outcome: 'placed', claim: nominated };
  }
  const own = ownObstacle(context, pod);
  if (own !== undefined) return withOwnObstacle(context, pod, events, own);
  // It waits for a node without a NodeClaim: a plan for a new node would only blame the NodePools.
  return decision?.reason === 'Nominated' ? { pools: [], outcome: 'unknown' } : undefined;
}

async function withOwnObstacle(
  context: GatherContext,
  pod: PodShape,
  events: readonly ReadEvent[],
  own: RefusalFact,
): Promise<PlannedPod> {
  const refusals = await ownRefusals(context, pod, events, own);
  if (refusals.length === 0) return { pools: [], outcome: 'unknown' };
  addPlan(context, pod, { outcome: 'refused', target: undefined, refusals }, 'spec');
  return { pools: [], outcome: 'refused' };
}

/** For plans of several pods. */
async function planTools(context: GatherContext, planner: Planner, pools: readonly PoolWithClass[]) {
  const { PodPlans } = await import('./plan-pod.ts');
  const { AroundReader } = await import('./plan-input.ts');
  const typed = (await withTypes(context, pools, 'all'))?.typed ?? [];
  const options = planOptions(context.recorder.evidence().first('options'));
  return { typed, plans: new PodPlans(planner, options), reader: new AroundReader(context) };
}

interface KnownTypes {
  readonly typed: readonly PoolTypes[];
  /** Pools of another cloud, and others of which the instance types are not known. */
  readonly unknown: readonly PoolShape[];
}

/** Undefined: the instance types of no pool are known, so no plan is possible. */
async function withTypes(
  { planner }: GatherContext,
  pools: readonly PoolWithClass[],
  howMany: 'all' | SomeSizes,
): Promise<KnownTypes | undefined> {
  if (planner === undefined) return undefined;
  const typed: PoolTypes[] = [];
  const unknown: PoolShape[] = [];
  for (const { pool, nodeClass, isClassUnread } of pools) {
    const types = isClassUnread === true ? undefined : await planner.instanceTypes(pool, nodeClass, howMany);
    if (types === undefined) unknown.push(pool);
    else typed.push({ pool, types });
  }
  return typed.length === 0 && unknown.length > 0 ? undefined : { typed, unknown };
}

/** The pod selects this one of the pools. */
function isSelectedOf(
  { planner }: GatherContext,
  pools: readonly PoolWithClass[],
  pool: PoolShape,
  pod: PodShape,
): boolean {
  const wellKnown = planner?.labelRules.wellKnown ?? new Set();
  const all = pools.map((each) => each.pool);
  const open = all.filter((each) => certainObstacles(each, pod, wellKnown).taints.length === 0);
  return isSelected(pool, pod, wellKnown, open);
}

async function isAboutUnknownSizes(
  { planner }: GatherContext,
  pod: PodShape,
  pools: readonly PoolWithClass[],
  { refusals }: Asked,
): Promise<boolean> {
  const { dependsOnUnknownSizes } = await import('./unknown-sizes.ts');
  return dependsOnUnknownSizes(
    planner!,
    pod,
    pools.map(({ pool }) => pool),
    refusals,
  );
}

/** The plan says nothing; but a size that has nearly the name of another may be misspelled. */
async function unknownSizes(
  context: GatherContext,
  pod: PodShape,
  fitting: readonly PoolWithClass[],
): Promise<PlannedPod> {
  const { unknownSizeFacts } = await import('./unknown-sizes.ts');
  const pools = fitting.map(({ pool }) => pool);
  const refusals = await unknownSizeFacts(context.planner!, pools);
  if (refusals.length > 0 && refusals.length === pools.length)
    addPlan(context, pod, { outcome: 'refused', target: undefined, refusals }, context.planner!.source);
  return { pools, outcome: 'unknown' };
}
