/**
 * Entry point of the engine: takes a snapshot and returns a plan. It does not throw; invalid input is listed
 * in the plan by object and field. A `Planner` keeps what did not change between plans; `solve` plans once. `prepare`
 * keeps the compiled snapshot for callers that solve the same cluster many times.
 */
import { type Attempt, placed, podClassesOf, type SolveRequest } from './attempt.ts';
import { type PriceBound, type PriceBoundOptions, priceBound } from './bound/index.ts';
import { type Compiled, compiling } from './engine/compiled.ts';
import { Kept } from './engine/kept.ts';
import { mayPlaceMore } from './engine/pod-placement.ts';
import { RequestCheck } from './engine/request-check.ts';
import type { Run } from './engine/run.ts';
import type { Pod, SchedulingInput } from './model.ts';
import type { NodePlacement, Plan } from './plan.ts';
import { type PreferenceRequest, withinPreferenceCost, withPreferenceCost } from './preference-cost.ts';
import type { InputError } from './refusal.ts';
import { bestOrder } from './reordering.ts';
import { repacked } from './repacking.ts';
import { admitPods, NO_PODS, podKey } from './shapes/named-pods.ts';
import { finish, type Steps } from './steps.ts';
import { usageAfter } from './usage-after.ts';

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
    return finish(this.preparing(input));
  }

  /**
   * As `prepare`, in pieces: a planner that does not know the cluster reads all its nodes and pods. A plan that is asked for
   * between two pieces is right, but nothing is kept of it.
   */
  *preparing(input: SchedulingInput): Steps<Snapshot> {
    if (this.#kept.size > this.#maxKept) this.#kept = new Kept();
    const kept = this.#kept;
    // After an error of the engine nothing that it left behind is used again.
    this.#kept = new Kept();
    const compiled = yield* compiling(input, kept);
    this.#kept = kept;
    return snapshotOf(input, compiled, (other) => this.#planOther(other));
  }

  /** As `priceBound`, of an input that was planned last: what was read for the plan is not read again. */
  priceBound(input: SchedulingInput, options: Omit<PriceBoundOptions, 'kept'> = {}): Promise<PriceBound> {
    return priceBound(input, { ...options, kept: this.#kept });
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
  /**
   * Whether a group with affinity to itself, all on these nodes, may start in any domain, as it can once none of its pods exists
   * any more; otherwise only in the domains that it is in. Default false.
   */
  readonly startsAnywhere?: boolean;
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
  // A plan may take four runs.
  const nextRun = () => (runs += 4);
  return {
    solve: () => {
      const queue = compiled.queue.with(NO_PODS);
      const plan = planOf(compiled, { ...PLAIN, queue, number: nextRun() });
      const request = { input, queue, plan, planOther };
      if (maxPreferenceCost >= 0) return withinPreferenceCost(request, maxPreferenceCost);
      return statePreferenceCost ? withPreferenceCost(request) : plan;
    },
    solveWithout: (change) => {
      const { nodes, extraPods = [], explain: detailed, improveEffort, startsAnywhere = false } = change;
      const errors: InputError[] = [];
      const extra = extraPods.length === 0 ? NO_PODS : admitPods(extraPods, compiled.names, errors);
      if (!check.fits(nodes, extra)) return solve(withoutNodes(input, compiled, change));
      const removed = nodes.flatMap((name) => compiled.nodes.find(name)?.index ?? []);
      return planOf(withEffort(compiled, improveEffort), {
        queue: compiled.queue.with(extra, nodes),
        removed,
        startsAnywhere,
        number: nextRun(),
        detailed,
        errors,
      });
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------

const PLAIN = { removed: [], detailed: undefined, errors: [] };

/** The slow path: the same request as a new input. */
function withoutNodes(
  input: SchedulingInput,
  { names }: Compiled,
  { nodes, extraPods = [], explain: detailed, improveEffort, startsAnywhere = false }: Change,
): SchedulingInput {
  const removed = new Set(nodes);
  const leaves = (pod: Pod) => !startsAnywhere && isRemoved(pod) && !names.has(podKey(pod));
  const isRemoved = (pod: Pod) => removed.has(pod?.spec?.nodeName ?? '');
  const leaving = (input.nodes ?? []).filter((node) => removed.has(node?.name));
  return {
    ...input,
    pools: usageAfter(input.pools, leaving, []),
    leavingNodes: [...(input.leavingNodes ?? []), ...leaving],
    leavingPods: [...(input.leavingPods ?? []), ...(input.boundPods ?? []).filter(leaves)],
    nodes: (input.nodes ?? []).filter((node) => !removed.has(node?.name)),
    boundPods: (input.boundPods ?? []).filter((pod) => !isRemoved(pod)),
    pods: [...input.pods, ...extraPods],
    options: {
      ...input.options,
      ...(detailed === undefined ? {} : { explain: detailed }),
      ...(improveEffort === undefined ? {} : { improveEffort }),
      // As on the other path.
      maxPreferenceCost: -1,
      statePreferenceCost: false,
    },
  };
}

function withEffort(compiled: Compiled, improveEffort: number | undefined): Compiled {
  if (improveEffort === undefined || improveEffort === compiled.options.improveEffort) return compiled;
  return { ...compiled, options: { ...compiled.options, improveEffort } };
}

function planOf(compiled: Compiled, request: SolveRequest): Plan {
  const best = bestAttempt(compiled, request);
  return describe(best.unordered === undefined ? best : ordered(compiled, request, best), request);
}

/** Where pods would have to be bound both first and last, the domains of the new nodes with such pods are decided. */
function ordered(compiled: Compiled, request: SolveRequest, best: Attempt): Attempt {
  const { classes, waiting } = best.unordered!;
  const queue = request.queue.map((pod) =>
    classes.has(pod.podClass) ? { ...pod, podClass: compiled.classes.deciding(pod.podClass) } : pod,
  );
  const other = bestAttempt(compiled, { ...request, queue, number: request.number + 2 });
  return other.run.unplaced.length <= best.run.unplaced.length + waiting ? other : best;
}

function bestAttempt(compiled: Compiled, request: SolveRequest): Attempt {
  let first = placed(compiled, request);
  if (first.run.unplaced.length > 0 && mayPlaceMore(first.run)) {
    const other = placed(compiled, { ...request, number: request.number + 1 }, 'bound');
    if (other.run.unplaced.length < first.run.unplaced.length) first = other;
  }
  return bestOrder(compiled, request, first, repacked(compiled, request, first));
}

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

function placementsOf(run: Run): NodePlacement[] {
  return [...run.space.placed]
    .sort(([first], [second]) => first - second)
    .map(([node, pods]) => ({
      node: run.compiled.nodes.all[node]!.name,
      pods: pods.map((index) => run.queue[index]!.key),
    }));
}
