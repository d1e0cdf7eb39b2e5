/**
 * What the scheduling engine says about a pending pod: which NodePool would launch a node for it, or why none does. The
 * plan is made here, from a catalogue; where the controller itself said otherwise, the controller counts.
 */
import { isRestrictedLabel, KubernetesLabel } from '../../api/index.ts';
import type { PlanEvidence, ReadObject, RefusalFact } from '../../causes/index.ts';
import { wantsNoPool } from '../../state/index.ts';

import { closest } from './closest-pools.ts';
import type { ReadEvent } from './events.ts';
import type { GatherContext } from './gather-context.ts';
import type { PoolTypes } from './plan-input.ts';
import type { Asked } from './plan-pod.ts';
import { controllerRefusals, lastDecision } from './refusal-phrases.ts';
import { fullName, type PodShape, type PoolShape } from './shapes.ts';

export interface PlannedPod {
  /** The pools that matter for the pod: the one that takes it, or those that come closest. */
  readonly pools: readonly PoolShape[];
  readonly outcome: PlanEvidence['outcome'] | 'unknown';
  /** The claim that the controller named for it. */
  readonly claim?: string;
}

export interface PoolWithClass {
  readonly pool: PoolShape;
  readonly nodeClass: ReadObject | undefined;
}

export async function readPlan(
  context: GatherContext,
  pod: PodShape,
  events: readonly ReadEvent[],
  pools: readonly PoolWithClass[] | undefined,
  isUsable: (claim: string) => Promise<boolean> = async () => false,
): Promise<PlannedPod> {
  const nominated = nominatedClaim(events);
  if (nominated !== undefined && (await isUsable(nominated)))
    return { pools: [], outcome: 'unknown', claim: nominated };
  if (nominated !== undefined) {
    addPlan(context, pod, { outcome: 'placed', target: nominated, refusals: [] }, 'event Nominated');
    return { pools: [], outcome: 'placed', claim: nominated };
  }
  const own = ownObstacle(context, pod);
  if (own !== undefined) {
    addPlan(context, pod, { outcome: 'refused', target: undefined, refusals: [own] }, 'spec');
    return { pools: [], outcome: 'refused' };
  }
  // It waits for a node without a NodeClaim: a plan for a new node would only blame the NodePools.
  if (lastDecision(events)?.reason === 'Nominated') return { pools: [], outcome: 'unknown' };
  const said = controllerRefusals(events, context.recorder.atMs);
  const dynamic = (pools ?? []).filter(({ pool }) => isDynamic(pool));
  const typed = pools === undefined ? undefined : await withTypes(context, dynamic, 'some');
  if (typed === undefined || context.planner === undefined) return withoutPlan(context, pod, dynamic, said);
  // The engine is large, and most questions are answered without it.
  const { planPod, isSettled } = await import('./plan-pod.ts');
  const { readAround } = await import('./plan-input.ts');
  const around = await readAround(context, pod);
  if (around === undefined) return withoutPlan(context, pod, dynamic, said);
  const first = planPod(context, pod, around, typed);
  const asked = isSettled(first)
    ? first
    : planPod(context, pod, around, (await withTypes(context, dynamic, 'all')) ?? typed);
  const isGuess = asked.outcome === 'refused' && (await isAboutUnknownSizes(context, pod, dynamic, asked));
  return isGuess ? withoutPlan(context, pod, dynamic, said) : recordPlan(context, pod, dynamic, asked, said);
}

// ---------------------------------------------------------------------------------------------------

const CLAIM_NAMED = /\bnodeclaim\/([a-z0-9.-]+)/;

/** The controller has named a claim since it last said that there is none. */
function nominatedClaim(events: readonly ReadEvent[]): string | undefined {
  const last = lastDecision(events);
  return last?.reason === 'Nominated' ? CLAIM_NAMED.exec(last.message)?.[1] : undefined;
}

function isDynamic({ metadata, spec }: PoolShape): boolean {
  return metadata.deletionTimestamp === undefined && spec.replicas === undefined;
}

/** Undefined: the instance types of some pool are not known, so no plan is possible. */
async function withTypes(
  { planner }: GatherContext,
  pools: readonly PoolWithClass[],
  howMany: 'some' | 'all',
): Promise<readonly PoolTypes[] | undefined> {
  if (planner === undefined) return undefined;
  const typed: PoolTypes[] = [];
  for (const { pool, nodeClass } of pools) {
    const types = await planner.instanceTypes(pool, nodeClass, howMany);
    if (types === undefined) return undefined;
    typed.push({ pool, types });
  }
  return typed;
}

/** What no node could change. */
function ownObstacle({ planner }: GatherContext, pod: PodShape): RefusalFact | undefined {
  if (wantsNoPool(pod as never))
    return {
      code: 'OptedOut',
      facts: {},
      text: 'the pod requires nodes without the label karpenter.sh/nodepool, so no node is launched for it',
    };
  const rules = planner?.labelRules;
  if (rules === undefined) return undefined;
  for (const key of Object.keys(pod.spec.nodeSelector ?? {})) {
    const forbidden =
      key === KubernetesLabel.hostname || (isRestrictedLabel(key, rules) && !rules.wellKnown.has(key));
    if (forbidden)
      return {
        code: 'RestrictedLabel',
        facts: { key },
        text: `spec.nodeSelector requires ${key}, which a new node cannot have`,
      };
  }
  return undefined;
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

/** What the controller said is all there is. */
function withoutPlan(
  context: GatherContext,
  pod: PodShape,
  pools: readonly PoolWithClass[],
  said: readonly RefusalFact[],
): PlannedPod {
  if (said.length > 0) return refusedByEvent(context, pod, pools, said);
  return { pools: pools.map(({ pool }) => pool), outcome: 'unknown' };
}

/** Of the NodePools that the controller named, those that come closest. */
function refusedByEvent(
  context: GatherContext,
  pod: PodShape,
  pools: readonly PoolWithClass[],
  said: readonly RefusalFact[],
): PlannedPod {
  const refusals = closest(said, ({ code }) => code);
  addPlan(context, pod, { outcome: 'refused', target: undefined, refusals }, 'event FailedScheduling');
  const named = new Set(refusals.map(({ nodePool }) => nodePool));
  const all = pools.map(({ pool }) => pool);
  const refused = all.filter(({ metadata }) => named.has(metadata.name));
  return { pools: refused.length > 0 ? refused : all, outcome: 'refused' };
}

function recordPlan(
  context: GatherContext,
  pod: PodShape,
  known: readonly PoolWithClass[],
  asked: Asked,
  said: readonly RefusalFact[],
): PlannedPod {
  const { outcome, pools, refusals } = asked;
  if (said.length > 0) {
    const refused = refusedByEvent(context, pod, known, said);
    // Where the pod would fit: read why the pool does not launch.
    return outcome === 'newClaim' ? { pools, outcome } : refused;
  }
  const [pool] = pools;
  const target = outcome === 'newClaim' && pool !== undefined ? `NodePool ${pool.metadata.name}` : undefined;
  addPlan(context, pod, { outcome, target, refusals }, context.planner!.source);
  return { pools, outcome };
}

function addPlan(
  { recorder }: GatherContext,
  pod: PodShape,
  plan: Pick<PlanEvidence, 'outcome' | 'target' | 'refusals'>,
  source: string,
): void {
  const name = fullName(pod);
  recorder.add({
    kind: 'plan',
    reading: recorder.reading(`plan for Pod ${name} (${source})`),
    pod: name,
    ...plan,
  });
}
