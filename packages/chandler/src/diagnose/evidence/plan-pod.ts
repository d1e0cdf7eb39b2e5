/**
 * Plans one pod: which pool would launch a node for it, or why each pool does not, the pools that come closest first.
 * Loaded only when a plan is needed: with the planner, it is the largest part of `why`.
 */
import type { PlanEvidence, RefusalFact } from '../../causes/index.ts';
import {
  Planner as Engine,
  type Plan,
  type Pod,
  type PoolRefusal,
  type SchedulingInput,
  type SchedulingOptions,
  withPlaces,
} from '../../scheduling/index.ts';
import { ClosedPools } from './closed-pools.ts';
import { certainObstacles, isMeantFor, isSelected } from './may-take.ts';
import type { AroundPod, PoolTypes } from './plan-input.ts';
import type { Planner } from './planner.ts';
import {
  type Attempt,
  couldTake,
  decisiveReason,
  isFitting,
  isForOthers,
  isImpossible,
  mayBeMeant,
  type PoolObstacles,
  rankPools,
} from './pool-obstacles.ts';
import { poolFact, problemFact, type RefusalContext } from './refusal-facts.ts';
import { withoutVolumeOf } from './relaxed-pod.ts';
import { fullName, type PodShape, type PoolShape } from './shapes.ts';
import { takesWholeFamilies, WHATEVER_THE_SIZE } from './some-sizes.ts';
import { isReady, weightOf } from './stopped-pools.ts';
import { valuesOfTypes } from './type-values.ts';

/** Of one pod, against pools. */
export interface Asked {
  readonly outcome: 'newClaim' | 'refused';
  /** The pool that takes it, or those that come closest. */
  readonly pools: readonly PoolShape[];
  /** Of these. */
  readonly refusals: readonly RefusalFact[];
  /** Pools that no label and no taint keeps it from; sizes apart, which the catalogue may not have. */
  readonly fitting: readonly PoolShape[];
  /** Of those that come closest: the ones that would take it after a change of their own. */
  readonly couldTake: readonly PoolShape[];
  /** Those that come closest have taints or no instance types, and nothing in the pod points to them. */
  readonly isForOthers: boolean;
  /** Pools that have no instance types, so that they take no pod, and that nothing in the pod points to. */
  readonly impossible: readonly PoolShape[];
  /** Of a refused pod: further sizes would not change the answer. */
  readonly isSettled: boolean;
  /** Why the other pools are not for this pod. */
  readonly others: NonNullable<PlanEvidence['others']>;
  /** Of the others: those that would take it, and are not ready. */
  readonly unready: readonly PoolShape[];
  /** Reservations that decide, and of which it is not known how many instances are free. */
  readonly unknownPlaces?: readonly string[];
}

/** Plans pods of one question. What the engine has read of the cluster and of the instance types, it reads once. */
export class PodPlans {
  readonly #planner: Planner;
  readonly #options: Partial<SchedulingOptions>;
  readonly #engine = new Engine();
  readonly #sizeLabels: ReadonlySet<string>;
  readonly #wellKnown: ReadonlySet<string>;

  /** @param options of the controller. */
  constructor(planner: Planner, options: Partial<SchedulingOptions> = {}) {
    this.#planner = planner;
    this.#options = options;
    this.#sizeLabels = new Set(planner.sizeLabels);
    this.#wellKnown = planner.labelRules.wellKnown;
  }

  /**
   * Pools that are not ready are planned as well: if only they could take the pod, that is the reason. If none would, the
   * ones with the fewest changes to make are named, ready ones first.
   */
  async plan(pod: PodShape, around: AroundPod, typed: readonly PoolTypes[]): Promise<Asked> {
    const asked = await this.#planned(pod, around, typed);
    const unknown = [...(this.#planner.unknownPlaces?.keys() ?? [])];
    if (unknown.length === 0) return asked;
    const without = await this.#planned(pod, around, withoutPlaces(typed, unknown));
    const [one, other] = [asked, without].map(({ outcome, pools: [pool] }) =>
      outcome === 'newClaim' ? pool?.metadata.name : undefined,
    );
    return one === other ? asked : { ...asked, unknownPlaces: unknown };
  }

  /** Further sizes would not change the answer: no pool that is asked before the one that takes the pod lacks any. */
  async isSettled(
    { outcome, isSettled, pools: [own] }: Asked,
    pod: PodShape,
    around: AroundPod,
    typed: readonly PoolTypes[],
  ): Promise<boolean> {
    if (outcome === 'refused' || own === undefined) return isSettled;
    const before = typed.filter(({ pool }) => {
      const { labels, taints } = certainObstacles(pool, pod, this.#wellKnown);
      // Those that are ready are asked first, whatever their weight.
      const isBefore = isReady(pool) === isReady(own) ? weightOf(pool) >= weightOf(own) : isReady(pool);
      return pool !== own && isBefore && labels.length + taints.length === 0;
    });
    const closed = new ClosedPools(pod, typed, this.#wellKnown);
    const about = aboutPlan(around, typed);
    for (const each of before) {
      const refusal = this.#refusal(around, { ...each, pod }, closed);
      if (refusal !== undefined && !this.#isWhateverTheSize(refusal, each.pool, pod, about)) return false;
      await this.#planner.pause?.();
    }
    return true;
  }

  async #planned(pod: PodShape, around: AroundPod, typed: readonly PoolTypes[]): Promise<Asked> {
    const ready = typed.filter(({ pool }) => isReady(pool));
    if (ready.length > 0 && ready.length < typed.length) {
      const taken = takenBy(this.#solved(around, pod, ready), ready);
      if (taken !== undefined) return taken;
    }
    return this.#explained(pod, around, typed);
  }

  async #explained(pod: PodShape, around: AroundPod, typed: readonly PoolTypes[]): Promise<Asked> {
    const plan = this.#solved(around, pod, typed);
    const taken = takenBy(plan, typed);
    if (taken !== undefined) return this.#besideUnready(taken, pod, around, typed);
    const [refusal] = plan.refusals;
    if (refusal === undefined) return invalid(plan, pod);
    const about = aboutPlan(around, typed);
    if (refusal.problem === null) return this.#refused(refusal.pools, pod, around, typed);
    // What else keeps it from a node, once the volume is right.
    const lighter = 'claim' in refusal.problem ? withoutVolumeOf(pod, refusal.problem.claim) : undefined;
    const rest = lighter === undefined ? NOT_RANKED : await this.#explained(lighter, around, typed);
    const refusals = [problemFact(refusal.problem, about), ...rest.refusals];
    return { ...rest, outcome: 'refused', refusals, couldTake: [] };
  }

  /** The pool that takes it is not ready: a ready one that is right for the pod and full comes first. */
  async #besideUnready(
    taken: Asked,
    pod: PodShape,
    around: AroundPod,
    typed: readonly PoolTypes[],
  ): Promise<Asked> {
    const [ready, unready] = [typed.filter(isOfReady), typed.filter((each) => !isOfReady(each))];
    if (typed.length === 1 || taken.pools.every(isReady)) return taken;
    const plan = ready.length === 0 ? undefined : this.#solved(around, pod, ready);
    const byReady = plan === undefined ? undefined : takenBy(plan, ready);
    if (byReady !== undefined) return byReady;
    const closed = new ClosedPools(pod, typed, this.#wellKnown);
    const ofUnready: FirstRefusal[] = [];
    for (const own of unready) {
      const refusal = this.#refusal(around, { ...own, pod }, closed);
      ofUnready.push(refusal ?? { nodePool: own.pool.metadata.name, refusal: null });
      await this.#planner.pause?.();
    }
    const asked = await this.#refused(
      [...(plan?.refusals[0]?.pools ?? []), ...ofUnready],
      pod,
      around,
      typed,
    );
    // Where none is refused, each of them would take it.
    const { pools, others, isSettled } = asked;
    return asked.refusals.length > 0 ? asked : { ...taken, pools, others, isSettled };
  }

  async #refused(
    refusals: readonly FirstRefusal[],
    pod: PodShape,
    around: AroundPod,
    typed: readonly PoolTypes[],
  ): Promise<Asked> {
    if (refusals.length === 0)
      return { ...NOT_RANKED, refusals: [{ code: 'NoPools', facts: {}, text: NO_POOLS }] };
    const about = aboutPlan(around, typed);
    const known = typed.map((own) => ({ own, certain: certainObstacles(own.pool, pod, this.#wellKnown) }));
    const open = known.filter(({ certain }) => certain.taints.length === 0).map(({ own }) => own.pool);
    const typeValues = valuesOfTypes(typed);
    const starts = refusals.flatMap((each) => {
      const found = known.find(({ own }) => own.pool.metadata.name === each.nodePool);
      if (found === undefined) return [];
      const first = each.refusal === null ? undefined : each;
      const { own, certain } = found;
      const selected = isSelected(own.pool, pod, this.#wellKnown, open, typeValues);
      const signs = { selected, meant: isMeantFor(own.pool, pod, this.#sizeLabels, selected) };
      const wellKnown = this.#wellKnown;
      return [{ attempt: { ...own, pod }, first, certain, signs, isReady: isReady(own.pool), wellKnown }];
    });
    const closed = new ClosedPools(pod, typed, this.#wellKnown);
    const ask = (attempt: Attempt) => this.#refusal(around, attempt, closed);
    const { nearest, all } = await rankPools(ask, starts, this.#planner.pause);
    const isSettled = ({ pool, obstacles }: PoolObstacles) =>
      obstacles.every((each) => this.#isWhateverTheSize(each, pool, pod, about));
    return {
      outcome: 'refused',
      pools: nearest.map(({ pool }) => pool),
      refusals: nearest.flatMap(({ obstacles }) => obstacles.map((each) => poolFact(each, about))),
      fitting: all.filter((each) => isFitting(each, this.#sizeLabels)).map(({ pool }) => pool),
      couldTake: nearest.filter((each) => couldTake(each, nearest.length === 1)).map(({ pool }) => pool),
      isForOthers: nearest.every(isForOthers),
      impossible: all.filter(isImpossible).map(({ pool }) => pool),
      // Another pool may be nearer with another size.
      isSettled: all.filter((each) => nearest.includes(each) || mayBeMeant(each)).every(isSettled),
      others: all
        .filter((each) => !nearest.includes(each))
        .map((each) => ({ nodePool: each.pool.metadata.name, reason: decisiveReason(each) })),
      unready: all
        .filter((each) => !nearest.includes(each) && each.obstacles.length === 0)
        .map(({ pool }) => pool),
    };
  }

  #isWhateverTheSize(refusal: PoolRefusal, pool: PoolShape, pod: PodShape, about: RefusalContext): boolean {
    const { code } = poolFact(refusal, about);
    return (
      WHATEVER_THE_SIZE.has(code) &&
      (code !== 'ResourceInsufficient' || takesWholeFamilies(pool, pod, this.#planner))
    );
  }

  /** Of one pool. The others are there without room: their zones are domains of a spread. */
  #refusal(around: AroundPod, { pod, pool, types }: Attempt, closed: ClosedPools): PoolRefusal | undefined {
    const { name } = pool.metadata;
    const others = (pod.spec.topologySpreadConstraints ?? []).length === 0 ? [] : closed.beside(name);
    const plan = this.#solved(around, pod, [{ pool, types }, ...others]);
    return plan.refusals[0]?.pools.find(({ nodePool }) => nodePool === name);
  }

  #solved(around: AroundPod, pod: PodShape, typed: readonly PoolTypes[]): Plan {
    const input: SchedulingInput = {
      ...around,
      pods: [pod as unknown as Pod],
      pools: typed.map(({ pool, types }) => ({
        nodePool: pool,
        instanceTypes: types,
        used: pool.status?.resources ?? {},
      })),
      wellKnownLabels: this.#planner.wellKnownLabels,
      ...(this.#planner.reservationLabel === undefined
        ? {}
        : { reservationLabel: this.#planner.reservationLabel }),
      options: this.#options,
    };
    return this.#engine.plan(input);
  }
}

// ---------------------------------------------------------------------------------------------------

/** Of a pool, or that it would take the pod. */
type FirstRefusal = PoolRefusal | { readonly nodePool: string; readonly refusal: null };

function isOfReady({ pool }: PoolTypes): boolean {
  return isReady(pool);
}

/** As if each of these reservations had one instance less. */
function withoutPlaces(typed: readonly PoolTypes[], ids: readonly string[]): readonly PoolTypes[] {
  const input = { pools: typed.map(({ pool, types }) => ({ nodePool: pool, instanceTypes: types })) };
  const { pools } = withPlaces(input, new Map(ids.map((id) => [id, -1])));
  return typed.map(({ pool }, index) => ({ pool, types: pools[index]!.instanceTypes }));
}

function aboutPlan({ volumes = {} }: AroundPod, pools: readonly PoolTypes[]): RefusalContext {
  return { volumes, types: [...new Set(pools.map(({ types }) => types))].flat(), pools };
}

function invalid({ inputErrors }: Plan, pod: PodShape): Asked {
  const problem = inputErrors.find(({ object }) => object === `Pod/${fullName(pod)}`);
  const text = problem === undefined ? 'the pod is invalid' : `${problem.field}: ${problem.problem}`;
  return {
    ...NOT_RANKED,
    refusals: [{ code: 'InvalidPod', facts: { field: problem?.field ?? '' }, text }],
  };
}

function takenBy({ claims: [claim] }: Plan, typed: readonly PoolTypes[]): Asked | undefined {
  if (claim === undefined) return undefined;
  const pool = typed.find((each) => each.pool.metadata.name === claim.nodePool)?.pool;
  return {
    ...NOT_RANKED,
    outcome: 'newClaim',
    pools: pool === undefined ? [] : [pool],
  };
}

const NOT_RANKED: Asked = {
  outcome: 'refused',
  pools: [],
  refusals: [],
  fitting: [],
  couldTake: [],
  isForOthers: false,
  impossible: [],
  isSettled: true,
  others: [],
  unready: [],
};

const NO_POOLS = 'there is no NodePool that could launch a node';
