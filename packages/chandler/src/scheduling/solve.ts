/**
 * Entry point of the engine: takes a snapshot and returns a plan. It does not throw; invalid input is listed
 * in the plan by object and field. A `Planner` keeps what did not change between plans; `solve` plans once. `prepare`
 * keeps the compiled snapshot for callers that solve the same cluster many times.
 */
import { CapacityType } from '../api/index.ts';
import { type Compiled, compile } from './engine/compiled.ts';
import type { LateCounting } from './engine/counting.ts';
import { explain } from './engine/explain.ts';
import { cheapestPrice, plannedClaims } from './engine/finalise.ts';
import { Kept } from './engine/kept.ts';
import { mixedOrders, otherOrders } from './engine/other-orders.ts';
import { distinctShares, prospectOf } from './engine/pack.ts';
import type { PodClass } from './engine/pod-class.ts';
import { mayPlaceMore, placePods, repackPods } from './engine/pod-placement.ts';
import { amountOf, type QueuedPod } from './engine/queue.ts';
import { RequestCheck } from './engine/request-check.ts';
import { Run } from './engine/run.ts';
import { MIN_TYPES } from './engine/type-valuation.ts';
import type { Pod, SchedulingInput } from './model.ts';
import type { NodePlacement, Plan } from './plan.ts';
import { type PreferenceRequest, withinPreferenceCost, withPreferenceCost } from './preference-cost.ts';
import type { InputError } from './refusal.ts';
import { CPU } from './resources.ts';
import { admitPods, NO_PODS } from './shapes/named-pods.ts';

export function solve(input: SchedulingInput): Plan {
  return prepare(input).solve();
}

export function prepare(input: SchedulingInput): Snapshot {
  return new Planner().prepare(input);
}

/**
 * Plans one cluster again and again. Parts of the input that are the same objects as the last time, or have the same
 * content, are not compiled again. The plans are those of `solve`.
 */
export class Planner {
  readonly #maxKept: number;
  #kept = new Kept();
  /** For plans with fewer preferences. */
  #other: Planner | undefined;

  /** @param maxKept entries to keep at most; about 100 bytes each. */
  constructor(maxKept: number = MAX_KEPT) {
    this.#maxKept = maxKept;
  }

  /** About how many entries are kept now. */
  get size(): number {
    return this.#kept.size;
  }

  /** Objects of the input must not be modified after the call, also not when the plan is made. */
  plan(input: SchedulingInput): Plan {
    return this.prepare(input).solve();
  }

  prepare(input: SchedulingInput): Snapshot {
    if (this.#kept.size > this.#maxKept) this.#kept = new Kept();
    const kept = this.#kept;
    // After an error of the engine nothing that it left behind is used again.
    this.#kept = new Kept();
    const snapshot = snapshotOf(input, compile(input, kept), (other) => this.#planOther(other));
    this.#kept = kept;
    return snapshot;
  }

  #planOther(input: SchedulingInput): Plan {
    this.#other ??= new Planner(this.#maxKept);
    return this.#other.plan(input);
  }
}

const MAX_KEPT = 500_000;

/** How a request differs from the snapshot. */
export interface Change {
  /** Nodes to treat as deleted; their pods are not counted. */
  readonly nodes: readonly string[];
  /** Pods to place in addition to those of the input: usually the pods of these nodes. */
  readonly extraPods?: readonly Pod[];
  /** Whether refusals are explained in detail. Default: as in the options of the input. */
  readonly explain?: boolean;
  /** Instead of that of the input. */
  readonly improveEffort?: number;
}

export interface Snapshot {
  /** Places the pods of the input. */
  readonly solve: () => Plan;
  /** Places them and extra pods without some of the nodes. The cost depends on the request, not on the cluster. */
  readonly solveWithout: (change: Change) => Plan;
}

function snapshotOf(
  input: SchedulingInput,
  compiled: Compiled,
  planOther: PreferenceRequest['planOther'],
): Snapshot {
  const check = new RequestCheck(compiled);
  let runs = 0;
  const { maxPreferenceCost, statePreferenceCost } = compiled.options;
  // A plan may take two runs.
  const nextRun = () => (runs += 2);
  return {
    solve: () => {
      const queue = compiled.queue.with(NO_PODS);
      const plan = planOf(compiled, { ...PLAIN, queue, number: nextRun() });
      const request = { input, queue, plan, planOther };
      if (maxPreferenceCost >= 0) return withinPreferenceCost(request, maxPreferenceCost);
      return statePreferenceCost ? withPreferenceCost(request) : plan;
    },
    solveWithout: ({ nodes, extraPods = [], explain: detailed, improveEffort }) => {
      const errors: InputError[] = [];
      const extra = extraPods.length === 0 ? NO_PODS : admitPods(extraPods, compiled.names, errors);
      if (!check.fits(nodes, extra))
        return solve(withoutNodes(input, nodes, extraPods, detailed, improveEffort));
      const removed = nodes.flatMap((name) => compiled.nodes.find(name)?.index ?? []);
      return planOf(withEffort(compiled, improveEffort), {
        queue: compiled.queue.with(extra, nodes),
        removed,
        number: nextRun(),
        detailed,
        errors,
      });
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------

interface SolveRequest {
  readonly queue: readonly QueuedPod[];
  /** Indexes of the deleted nodes. */
  readonly removed: readonly number[];
  readonly number: number;
  readonly detailed: boolean | undefined;
  /** What is wrong with the request itself. */
  readonly errors: readonly InputError[];
}

const PLAIN = { removed: [], detailed: undefined, errors: [] };

/** The slow path: the same request as a new input. */
function withoutNodes(
  input: SchedulingInput,
  nodes: readonly string[],
  extraPods: readonly Pod[],
  detailed: boolean | undefined,
  improveEffort: number | undefined,
): SchedulingInput {
  const removed = new Set(nodes);
  return {
    ...input,
    nodes: (input.nodes ?? []).filter((node) => !removed.has(node?.name)),
    boundPods: (input.boundPods ?? []).filter((pod) => !removed.has(pod?.spec?.nodeName ?? '')),
    pods: [...input.pods, ...extraPods],
    options: {
      ...input.options,
      ...(detailed === undefined ? {} : { explain: detailed }),
      ...(improveEffort === undefined ? {} : { improveEffort }),
    },
  };
}

function withEffort(compiled: Compiled, improveEffort: number | undefined): Compiled {
  if (improveEffort === undefined || improveEffort === compiled.options.improveEffort) return compiled;
  return { ...compiled, options: { ...compiled.options, improveEffort } };
}

function planOf(compiled: Compiled, request: SolveRequest): Plan {
  let first = placed(compiled, request);
  if (first.run.unplaced.length > 0 && mayPlaceMore(first.run)) {
    const other = placed(compiled, { ...request, number: request.number + 1 }, 'bound');
    if (other.run.unplaced.length < first.run.unplaced.length) first = other;
  }
  const repacked = worthImproving(compiled, first) ? improved(compiled, request, first) : first;
  const best = worthReordering(compiled, repacked) ? reordered(compiled, request, first, repacked) : repacked;
  return describe(best, request);
}

function placed(compiled: Compiled, request: SolveRequest, late?: LateCounting): Attempt {
  const fill = (run: Run) => {
    placePods(run);
    return true;
  };
  return attemptOf(compiled, request, fill, late)!;
}

/** Places the pods in other orders, and keeps the plan that refuses the fewest pods, then the cheapest. */
function reordered(compiled: Compiled, request: SolveRequest, first: Attempt, repacked: Attempt): Attempt {
  let best = repacked;
  let load = loadOf(first.run);
  const choice = spotChoice(repacked.claims);
  const orders = [...otherOrders(compiled, request.queue, ORDERS_TRIED)];
  if (repacked.run.unplaced.length > 0) orders.push(...mixedOrders(compiled, request.queue));
  const tries = [request.queue, ...orders].flatMap((queue, at) => [
    { queue, thrifty: true },
    ...(at === 0 ? [] : [{ queue, thrifty: false }]),
  ]);
  let number = request.number;
  for (const { queue, thrifty } of tries.slice(0, PLACED_AGAIN / request.queue.length)) {
    // Between two whole numbers: what a run notes about a class must not be taken for that of another.
    number += 1 / 64;
    const fill = (run: Run) => {
      run.attempts = best.run.attempts;
      run.thrifty = thrifty;
      placePods(run);
      const own = loadOf(run);
      if (run.unplaced.length < best.run.unplaced.length && own.cpu >= load.cpu) return true;
      if (!areWithin(own.refused, load.refused) || own.givenUp > load.givenUp) return false;
      return isCheaper(cheapestPrice(run), best.price) && spotChoice(plannedClaims(run)) >= choice;
    };
    const better = attemptOf(compiled, { ...request, queue, number }, fill, first.run.counts.late);
    if (better === undefined) continue;
    best = better;
    load = loadOf(better.run);
  }
  return best;
}

/** What a run achieves, besides the price. */
interface Load {
  /** How many pods of each class. */
  readonly refused: ReadonlyMap<PodClass, number>;
  /** Requested by the placed pods: a large pod is not given up for smaller ones. */
  readonly cpu: number;
  /** A cheaper plan must not cost preferences. */
  readonly givenUp: number;
}

function loadOf({ queue, placements, unplaced }: Run): Load {
  let cpu = 0;
  let givenUp = 0;
  placements.forEach((placement, index) => {
    cpu += amountOf(queue[index]!.podClass.requests, CPU);
    givenUp += placement?.relaxation ?? 0;
  });
  const refused = new Map<PodClass, number>();
  for (const index of unplaced) {
    const { podClass } = queue[index]!;
    refused.set(podClass, (refused.get(podClass) ?? 0) + 1);
  }
  return { refused, cpu, givenUp };
}

/** No more of any class. */
function areWithin(some: Load['refused'], of: Load['refused']): boolean {
  return [...some].every(([podClass, count]) => count <= (of.get(podClass) ?? 0));
}

/** The fewest types that a claim on spot capacity can choose from; no more than it should have. */
function spotChoice(claims: Plan['claims']): number {
  const spot = claims.filter(({ cheapest }) => cheapest.capacityType === CapacityType.spot);
  return Math.min(MIN_TYPES, ...spot.map(({ instanceTypes }) => instanceTypes.length));
}

/** By more than rounding. */
function isCheaper(price: number, than: number): boolean {
  return price < than * (1 - 1e-9);
}

/** A finished run. */
interface Attempt {
  readonly run: Run;
  readonly claims: Plan['claims'];
  readonly refusals: Plan['refusals'];
  readonly price: number;
}

/** @param fill returns whether the run is of use. */
function attemptOf(
  compiled: Compiled,
  request: SolveRequest,
  fill: (run: Run) => boolean,
  late?: LateCounting,
): Attempt | undefined {
  const { queue, removed, number, detailed } = request;
  const run = new Run(compiled, queue, removed, number, late);
  return undone(run, () => {
    if (!fill(run)) return undefined;
    // What a run has found out about domains is forgotten when it is undone.
    const refusals = explain(run, detailed ?? compiled.options.explain);
    return { run, claims: plannedClaims(run), refusals, price: cheapestPrice(run) };
  });
}

/**
 * Fills the claims in other ways and keeps the cheapest result. It does not start when that takes more work than it could
 * save, and stops when an attempt gains nothing on the first plan or the next one would exceed the budget.
 */
function improved(compiled: Compiled, request: SolveRequest, first: Attempt): Attempt {
  const { improveEffort } = compiled.options;
  const { placements } = first.run;
  const { saving, looks } = prospectOf(first.run, placements, first.price);
  const worth = first.run.queue.length * saving * MAX_LOOKS_PER_POD * improveEffort;
  if (saving < MIN_SAVING || looks > worth) return first;
  const budget = { left: looks * MAX_OVERRUN };
  const allowed = looks * ATTEMPTS_PER_EFFORT * improveEffort;
  const shares = HEAVY_SHARES.slice(0, 1 + 2 * improveEffort);
  let best = first;
  for (const heavyShare of distinctShares(first.run, placements, shares)) {
    const before = budget.left;
    const fill = (run: Run) => {
      run.attempts = first.run.attempts;
      return repackPods(run, first.run, heavyShare, budget) && cheapestPrice(run) < best.price;
    };
    const found = attemptOf(compiled, request, fill, first.run.counts.late);
    best = found ?? best;
    const spent = looks * MAX_OVERRUN - budget.left;
    if (best === first || spent + (before - budget.left) > allowed) break;
  }
  return best;
}

/** What a run changed in the snapshot is restored, also after an error: a planner uses the snapshot again. */
function undone<T>(run: Run, work: () => T): T {
  try {
    return work();
  } finally {
    run.undo();
  }
}

/** Shares of the memory that go to memory-optimised types; the best share depends on the offered types. */
const HEAVY_SHARES = [0.3, 0, 0.15, 0.26, 0.22, 0.4];

/** Improving a large plan with many kinds of pods takes too long. */
function worthImproving({ options, pools }: Compiled, { run }: Attempt): boolean {
  if (options.improveEffort <= 0 || run.claims.count === 0) return false;
  // A pod alone on a claim has its cheapest type already.
  if (run.claims.pods.every((pods) => pods.length === 1) && run.claims.count === 1) return false;
  if (pools.some((pool) => pool.hasMinValues || pool.catalogue.hasReservations)) return false;
  const placed = run.queue.length - run.unplaced.length;
  return placed * podClassesOf(run) <= options.improveEffort * SIZE_PER_EFFORT;
}

/** Only a small plan is placed again: a large one is seldom unlucky as a whole. */
function worthReordering({ options, pools }: Compiled, { run }: Attempt): boolean {
  const { length } = run.queue;
  const refused = run.unplaced.length;
  if (options.improveEffort <= 0 || length > MAX_REORDERED) return false;
  if (pools.some((pool) => pool.catalogue.hasReservations)) return false;
  return run.claims.count > 1 || (refused > 0 && refused < length);
}

const MAX_REORDERED = 100;
const ORDERS_TRIED = 8;
/** Pods that are placed again, in all orders together: about three milliseconds. */
const PLACED_AGAIN = 600;

/** Pods times kinds of pods. */
const SIZE_PER_EFFORT = 1_000_000;
/** A share of the price. */
const MIN_SAVING = 0.005;
/** Evaluations of a pod for a node, for the whole price; about 20 ns each. */
const MAX_LOOKS_PER_POD = 20_000;
/** Of the estimated work. */
const ATTEMPTS_PER_EFFORT = 1.3;
/** An attempt that takes so many times the estimate is given up. */
const MAX_OVERRUN = 5;

function describe({ run, claims, refusals }: Attempt, { errors }: SolveRequest): Plan {
  const { compiled } = run;
  const placements = placementsOf(run);
  const refused = run.unplaced.length;
  return {
    claims,
    placements,
    refusals,
    inputErrors: errors.length === 0 ? compiled.errors : [...compiled.errors, ...errors],
    pricePerHour: claims.reduce((sum, { cheapest }) => sum + cheapest.price, 0),
    counts: {
      pods: run.queue.length,
      placed: run.queue.length - refused,
      placedOnExisting: placements.reduce((sum, { pods }) => sum + pods.length, 0),
      refused,
      claims: claims.length,
      podClasses: podClassesOf(run),
      attempts: run.attempts,
    },
  };
}

function podClassesOf({ queue }: Run): number {
  return new Set(queue.map(({ podClass }) => podClass)).size;
}

function placementsOf(run: Run): NodePlacement[] {
  return [...run.space.placed]
    .sort(([first], [second]) => first - second)
    .map(([node, pods]) => ({
      node: run.compiled.nodes.all[node]!.name,
      pods: pods.map((index) => run.queue[index]!.key),
    }));
}
