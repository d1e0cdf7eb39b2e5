/**
 * What the engine says about a pod that waits: which pool would buy a node for it, or why none does. It is asked here
 * and now, with the sizes that are known here; where the controller itself said otherwise, the controller counts.
 */
import { isRestrictedLabel, KubernetesLabel, type LabelRules } from '../../api/index.ts';
import type { PlanEvidence, RefusalFact } from '../../causes/index.ts';
import {
  type InstanceType,
  type PodRefusal,
  type PoolRefusal,
  poolRefusalText,
  problemText,
  type Refusal,
  refusalText,
  type SchedulingInput,
  solve,
} from '../../scheduling/index.ts';
import { conditionOf, wantsNoPool } from '../../state/index.ts';
import type { Ask } from './ask.ts';
import type { ReadEvent } from './events.ts';
import { type AroundPod, type PoolTypes, readAround } from './plan-input.ts';
import { controllerRefusals } from './refusal-phrases.ts';
import { fullName, type NodeClassShape, type PodShape, type PoolShape } from './shapes.ts';

/** What there is to buy, and the rules of the cloud about labels. */
export interface Planner {
  /**
   * Undefined: what this class of nodes offers is not known here. `some`: the largest of every family and a
   * few more, which settles most questions in a fraction of the time.
   */
  instanceTypes(
    pool: PoolShape,
    nodeClass: NodeClassShape | undefined,
    howMany: 'some' | 'all',
  ): readonly InstanceType[] | undefined | Promise<readonly InstanceType[] | undefined>;
  readonly wellKnownLabels: readonly string[];
  readonly labelRules: LabelRules;
  /** Where the sizes come from: `the built-in catalogue of sizes`. */
  readonly source: string;
}

export interface PlannedPod {
  /** The pools that matter for the pod: the one that takes it, or those that came closest. */
  readonly pools: readonly PoolShape[];
  readonly outcome: PlanEvidence['outcome'] | 'unknown';
  /** The claim that the controller named for it. */
  readonly claim?: string;
}

export interface PoolWithClass {
  readonly pool: PoolShape;
  readonly nodeClass: NodeClassShape | undefined;
}

export async function readPlan(
  ask: Ask,
  pod: PodShape,
  events: readonly ReadEvent[],
  pools: readonly PoolWithClass[] | undefined,
  isUsable: (claim: string) => Promise<boolean> = async () => false,
): Promise<PlannedPod> {
  const nominated = nominatedClaim(events);
  if (nominated !== undefined && (await isUsable(nominated)))
    return { pools: [], outcome: 'unknown', claim: nominated };
  if (nominated !== undefined) {
    addPlan(ask, pod, { outcome: 'placed', target: nominated, refusals: [] }, 'event Nominated');
    return { pools: [], outcome: 'placed', claim: nominated };
  }
  const own = ownObstacle(ask, pod);
  if (own !== undefined) {
    addPlan(ask, pod, { outcome: 'refused', target: undefined, refusals: [own] }, 'spec');
    return { pools: [], outcome: 'refused' };
  }
  const said = controllerRefusals(events, ask.ledger.atMs);
  const dynamic = (pools ?? []).filter(({ pool }) => isDynamic(pool));
  const typed = pools === undefined ? undefined : await withTypes(ask, dynamic, 'some');
  if (typed === undefined || ask.planner === undefined) {
    if (said.length > 0) addPlan(ask, pod, refusedFor(said), 'event FailedScheduling');
    return { pools: dynamic.map(({ pool }) => pool), outcome: said.length > 0 ? 'refused' : 'unknown' };
  }
  const around = await readAround(ask, pod);
  const first = askEngine(ask, pod, around, typed);
  const asked = isSettled(first)
    ? first
    : askEngine(ask, pod, around, (await withTypes(ask, dynamic, 'all')) ?? typed);
  return tellPlan(ask, pod, asked, said);
}

/** Of one pod, against pools. */
export interface Asked {
  readonly outcome: 'newClaim' | 'refused';
  readonly pools: readonly PoolShape[];
  readonly refusals: readonly RefusalFact[];
}

// ---------------------------------------------------------------------------------------------------

const CLAIM_NAMED = /\bnodeclaim\/([a-z0-9.-]+)/;

/** The controller has named a claim since it last said that there is none. */
function nominatedClaim(events: readonly ReadEvent[]): string | undefined {
  const last = events.findLast(
    ({ reason, component }) =>
      (reason === 'Nominated' || reason === 'FailedScheduling') && /karpenter|chandler/.test(component),
  );
  return last?.reason === 'Nominated' ? CLAIM_NAMED.exec(last.message)?.[1] : undefined;
}

function isDynamic({ metadata, spec }: PoolShape): boolean {
  return metadata.deletionTimestamp === undefined && spec.replicas === undefined;
}

/** Undefined: of some pool it is not known what it could buy, so nothing can be said about the whole. */
async function withTypes(
  { planner }: Ask,
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

function isReady(pool: PoolShape): boolean {
  return conditionOf(pool as never, 'Ready')?.status === 'True';
}

/** Pools that are not ready are asked too: were they the only ones to take the pod, that is the reason. */
function askEngine(ask: Ask, pod: PodShape, around: AroundPod, typed: readonly PoolTypes[]): Asked {
  const ready = typed.filter(({ pool }) => isReady(pool));
  const asked = engineSays(ask, pod, around, ready);
  if (asked.outcome === 'newClaim' || ready.length === typed.length) return asked;
  const whole = engineSays(ask, pod, around, typed);
  return whole.outcome === 'refused' && ready.length > 0 ? asked : whole;
}

/** Obstacles that no further size would change. */
const WHATEVER_THE_SIZE: ReadonlySet<string> = new Set([
  'TaintNotTolerated',
  'LabelUndefined',
  // The largest are always asked.
  'ResourceInsufficient',
  'NoPools',
  'InvalidPod',
  'ResourceClaims',
  'VolumeClaimMissing',
  'StorageClassMissing',
  'VolumeMissing',
]);

function isSettled({ outcome, refusals }: Asked): boolean {
  return outcome === 'newClaim' || refusals.every(({ code }) => WHATEVER_THE_SIZE.has(code));
}

function engineSays({ planner }: Ask, pod: PodShape, around: AroundPod, typed: readonly PoolTypes[]): Asked {
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
          text: problem === undefined ? 'the pod cannot be planned' : `${problem.field}: ${problem.problem}`,
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
  const closest = closestPools(refusal.pools);
  return {
    outcome: 'refused',
    pools: typed
      .map(({ pool }) => pool)
      .filter(({ metadata }) => closest.some((each) => each.nodePool === metadata.name)),
    refusals: closest.map(poolFact),
  };
}

const NO_POOLS = 'there is no NodePool that could buy a node';

/** A pool for other pods turns this one away early; the one that was meant to take it comes further. */
function closestPools(pools: readonly PoolRefusal[]): readonly PoolRefusal[] {
  const furthest = Math.max(...pools.map(({ refusal }) => FURTHER.indexOf(refusal.code)));
  return pools.filter(({ refusal }) => FURTHER.indexOf(refusal.code) === furthest);
}

const FURTHER: readonly Refusal['code'][] = [
  'PoolWithoutTypes',
  'TaintNotTolerated',
  'LabelUndefined',
  'RequirementIncompatible',
  'TopologyUnsatisfiable',
  'LimitExceeded',
  'MinValuesUnmet',
  'ReservedOnly',
  'NoOffering',
  'NoTypeMeetsAll',
  'HostPortTaken',
  'VolumeLimit',
  'ResourceInsufficient',
];

function poolFact({ nodePool, refusal, filter, types }: PoolRefusal): RefusalFact {
  const { code, ...facts } = refusal;
  const text =
    filter === null ? refusalText(refusal) : typesText(refusal, types, { nodePool, refusal, filter, types });
  return { code, facts: factTexts(facts), text, nodePool };
}

/** Where one reason holds for all types, that reason; else the sum as Karpenter's users know it. */
function typesText(refusal: Refusal, types: PoolRefusal['types'], whole: PoolRefusal): string {
  return types.length <= 1
    ? refusalText(refusal)
    : poolRefusalText(whole).replace(/^incompatible with nodepool "[^"]*", /, '');
}

function factTexts(facts: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [
      name,
      typeof fact === 'string' ? fact : JSON.stringify(fact),
    ]),
  );
}

/** What no node could change. */
function ownObstacle({ planner }: Ask, pod: PodShape): RefusalFact | undefined {
  if (wantsNoPool(pod as never))
    return {
      code: 'OptedOut',
      facts: {},
      text: 'the pod asks for nodes without the label karpenter.sh/nodepool: no node is bought for it',
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
        text: `spec.nodeSelector asks for ${key}, which no node to be bought could promise`,
      };
  }
  return undefined;
}

function refusedFor(refusals: readonly RefusalFact[]): Pick<PlanEvidence, 'outcome' | 'target' | 'refusals'> {
  return { outcome: 'refused', target: undefined, refusals };
}

function tellPlan(ask: Ask, pod: PodShape, asked: Asked, said: readonly RefusalFact[]): PlannedPod {
  const { outcome, pools, refusals } = asked;
  if (outcome === 'newClaim' && said.length > 0) {
    addPlan(ask, pod, refusedFor(said), 'event FailedScheduling');
    // It would fit: what keeps the pool from buying is worth a look.
    return { pools, outcome };
  }
  const [pool] = pools;
  const target = outcome === 'newClaim' && pool !== undefined ? `NodePool ${pool.metadata.name}` : undefined;
  addPlan(ask, pod, { outcome, target, refusals }, ask.planner!.source);
  return { pools, outcome };
}

function addPlan(
  { ledger }: Ask,
  pod: PodShape,
  plan: Pick<PlanEvidence, 'outcome' | 'target' | 'refusals'>,
  source: string,
): void {
  const name = fullName(pod);
  ledger.add({
    kind: 'plan',
    reading: ledger.reading(`plan for Pod ${name} (${source})`),
    pod: name,
    ...plan,
  });
}
