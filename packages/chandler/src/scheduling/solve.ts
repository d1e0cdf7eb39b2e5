/**
 * Entry point of the engine: takes a snapshot and returns a plan. It does not throw; invalid input is listed
 * in the plan by object and field. A `Planner` keeps what did not change between plans; `solve` plans once. `prepare`
 * keeps the compiled snapshot for callers that solve the same cluster many times.
 */
import { CapacityType } from '../api/index.ts';
import { type Compiled, compile } from './engine/compiled.ts';
import type { LateCounting } from './engine/counting.ts';
import { explain } from './engine/explain.ts';
import { plannedClaims } from './engine/finalise.ts';
import { Kept } from './engine/kept.ts';
import { otherOrders } from './engine/other-orders.ts';
import type { PodClass } from './engine/pod-class.ts';
import { mayPlaceMore, placePods, repackPods } from './engine/pod-placement.ts';
import { amountOf, type QueuedPod } from './engine/queue.ts';
import { Run } from './engine/run.ts';
import { MIN_TYPES } from './engine/type-valuation.ts';
import type { Pod, SchedulingInput } from './model.ts';
import type { NodePlacement, Plan, PlannedClaim } from './plan.ts';
import type { InputError } from './refusal.ts';
import { CPU } from './resources.ts';
import { admitPods, NO_PODS } from './shapes/named-pods.ts';
import { selectedLabels } from './topology/selected-labels.ts';

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

  /** @param maxKept entries to keep at most; about 100 bytes each. */
  constructor(maxKept: number = MAX_KEPT) {
    this.#maxKept = maxKept;
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
    const snapshot = snapshotOf(input, compile(input, kept));
    this.#kept = kept;
    return snapshot;
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
}

export interface Snapshot {
  /** Places the pods of the input. */
  readonly solve: () => Plan;
  /** Places them and extra pods without some of the nodes. The cost depends on the request, not on the cluster. */
  readonly solveWithout: (change: Change) => Plan;
}

function snapshotOf(input: SchedulingInput, compiled: Compiled): Snapshot {
  let runs = 0;
  // A plan may take two runs.
  const nextRun = () => (runs += 2);
  return {
    solve: () => planOf(compiled, { ...PLAIN, queue: compiled.queue.with(NO_PODS), number: nextRun() }),
    solveWithout: ({ nodes, extraPods = [], explain: detailed }) => {
      const errors: InputError[] = [];
      const extra = extraPods.length === 0 ? NO_PODS : admitPods(extraPods, compiled.names, errors);
      if (!tracksLabelsOf(compiled, extra.pods))
        return solve(withoutNodes(input, nodes, extraPods, detailed));
      const removed = nodes.flatMap((name) => compiled.nodes.find(name)?.index ?? []);
      return planOf(compiled, {
        queue: compiled.queue.with(extra),
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

/** Whether the snapshot tracks every label that the selectors of the pods use. */
function tracksLabelsOf({ classes }: Compiled, pods: readonly Pod[]): boolean {
  const { labelClasses, reader } = classes.context;
  const read = pods.map((pod) => reader.read(pod).spec);
  const specs = read.flatMap((spec) => ('code' in spec ? [] : [spec]));
  return [...selectedLabels(specs, undefined)].every((label) => labelClasses.knows(label));
}

/** The slow path: the same request as a new input. */
function withoutNodes(
  input: SchedulingInput,
  nodes: readonly string[],
  extraPods: readonly Pod[],
  detailed: boolean | undefined,
): SchedulingInput {
  const removed = new Set(nodes);
  return {
    ...input,
    nodes: (input.nodes ?? []).filter((node) => !removed.has(node?.name)),
    boundPods: (input.boundPods ?? []).filter((pod) => !removed.has(pod?.spec?.nodeName ?? '')),
    pods: [...input.pods, ...extraPods],
    options: { ...input.options, ...(detailed === undefined ? {} : { explain: detailed }) },
  };
}

function planOf(compiled: Compiled, request: SolveRequest): Plan {
  let run = runOf(compiled, request);
  let plan = planned(run, request);
  if (plan.counts.refused > 0 && mayPlaceMore(run)) {
    const again = { ...request, number: request.number + 1 };
    const other = runOf(compiled, again, 'bound');
    const more = planned(other, again);
    if (more.counts.refused < plan.counts.refused) [run, plan] = [other, more];
  }
  const repacked = worthImproving(compiled, plan) ? improved(compiled, request, run, plan) : plan;
  return worthReordering(compiled, repacked) ? reordered(compiled, request, run, repacked) : repacked;
}

function runOf(compiled: Compiled, { queue, removed, number }: SolveRequest, late?: LateCounting): Run {
  return new Run(compiled, queue, removed, number, late);
}

function planned(run: Run, request: SolveRequest): Plan {
  return undone(run, () => {
    placePods(run);
    return describe(run, request);
  });
}

/** Places the pods in other orders, and keeps the plan that refuses the fewest pods, then the cheapest. */
function reordered(compiled: Compiled, request: SolveRequest, first: Run, plan: Plan): Plan {
  let best = plan;
  let load = loadOf(first);
  const orders = otherOrders(compiled, request.queue, ORDERS_TRIED);
  const tries = [request.queue, ...orders].flatMap((queue, at) => [
    { queue, thrifty: true },
    ...(at === 0 ? [] : [{ queue, thrifty: false }]),
  ]);
  let number = request.number;
  for (const { queue, thrifty } of tries.slice(0, PLACED_AGAIN / request.queue.length)) {
    // Between two whole numbers: what a run notes about a class must not be taken for that of another.
    number += 1 / 64;
    const run = runOf(compiled, { ...request, queue, number }, first.counts.late);
    run.attempts = best.counts.attempts;
    run.thrifty = thrifty;
    const better = undone(run, () => {
      placePods(run);
      const own = loadOf(run);
      const fewer = run.unplaced.length < best.counts.refused && own.cpu >= load.cpu;
      const alike = areWithin(own.refused, load.refused) && own.givenUp <= load.givenUp;
      if (!fewer && !alike) return undefined;
      const claims = plannedClaims(run);
      if (!fewer && (!isCheaper(claims, best) || spotChoice(claims) < spotChoice(plan.claims)))
        return undefined;
      load = own;
      return describe(run, request, claims);
    });
    best = better ?? best;
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
function spotChoice(claims: readonly PlannedClaim[]): number {
  const spot = claims.filter(({ cheapest }) => cheapest.capacityType === CapacityType.spot);
  return Math.min(MIN_TYPES, ...spot.map(({ instanceTypes }) => instanceTypes.length));
}

/** By more than rounding. */
function isCheaper(claims: readonly PlannedClaim[], { pricePerHour }: Plan): boolean {
  return priceOf(claims) < pricePerHour * (1 - 1e-9);
}

/** Fills the claims in other ways and keeps the cheapest result. Stops when the first attempt gains nothing. */
function improved(compiled: Compiled, request: SolveRequest, first: Run, plan: Plan): Plan {
  const { improveEffort } = compiled.options;
  const budget = { left: improveEffort * LOOKS_PER_EFFORT };
  let best = plan;
  for (const heavyShare of HEAVY_SHARES.slice(0, 1 + 2 * improveEffort)) {
    const run = runOf(compiled, request, first.counts.late);
    run.attempts = first.attempts;
    const cheaper = undone(run, () => {
      if (!repackPods(run, first, heavyShare, budget)) return undefined;
      const claims = plannedClaims(run);
      return priceOf(claims) < best.pricePerHour ? describe(run, request, claims) : undefined;
    });
    best = cheaper ?? best;
    if (best === plan) break;
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
function worthImproving({ options, pools }: Compiled, { counts }: Plan): boolean {
  if (options.improveEffort <= 0 || counts.claims === 0) return false;
  if (pools.some((pool) => pool.hasMinValues || pool.catalogue.hasReservations)) return false;
  return counts.placed * counts.podClasses <= options.improveEffort * SIZE_PER_EFFORT;
}

/** Only a small plan is placed again: a large one is seldom unlucky as a whole. */
function worthReordering({ options, pools }: Compiled, { counts }: Plan): boolean {
  if (options.improveEffort <= 0 || counts.pods > MAX_REORDERED) return false;
  if (pools.some((pool) => pool.catalogue.hasReservations)) return false;
  return counts.claims > 1 || (counts.refused > 0 && counts.placed > 0);
}

const MAX_REORDERED = 100;
const ORDERS_TRIED = 8;
/** Pods that are placed again, in all orders together: about three milliseconds. */
const PLACED_AGAIN = 600;

/** Pods times kinds of pods. */
const SIZE_PER_EFFORT = 1_000_000;
/** About one second. */
const LOOKS_PER_EFFORT = 16_000_000;

function describe(run: Run, { detailed, errors }: SolveRequest, claims = plannedClaims(run)): Plan {
  const { compiled } = run;
  const placements = placementsOf(run);
  const refused = run.unplaced.length;
  return {
    claims,
    placements,
    refusals: explain(run, detailed ?? compiled.options.explain),
    inputErrors: errors.length === 0 ? compiled.errors : [...compiled.errors, ...errors],
    pricePerHour: priceOf(claims),
    counts: {
      pods: run.queue.length,
      placed: run.queue.length - refused,
      placedOnExisting: placements.reduce((sum, { pods }) => sum + pods.length, 0),
      refused,
      claims: claims.length,
      podClasses: new Set(run.queue.map(({ podClass }) => podClass)).size,
      attempts: run.attempts,
    },
  };
}

function priceOf(claims: readonly PlannedClaim[]): number {
  return claims.reduce((sum, { cheapest }) => sum + cheapest.price, 0);
}

function placementsOf(run: Run): NodePlacement[] {
  return [...run.space.placed]
    .sort(([first], [second]) => first - second)
    .map(([node, pods]) => ({
      node: run.compiled.nodes.all[node]!.name,
      pods: pods.map((index) => run.queue[index]!.key),
    }));
}
