/**
 * The door: a snapshot goes in, a plan comes out. Nothing is thrown; what could not be understood is in
 * the plan by name. `prepare` keeps what was worked out, for callers that ask about one cluster many times.
 */

import { type Compiled, compile } from './engine/compiled.ts';
import { explain } from './engine/explain.ts';
import { plannedClaims } from './engine/finalise.ts';
import type { QueuedPod } from './engine/queue.ts';
import { Run } from './engine/run.ts';
import type { Pod, SchedulingInput } from './model.ts';
import type { NodePlacement, Plan } from './plan.ts';
import type { InputError } from './refusal.ts';
import { admitPods, NO_PODS } from './shapes/named-pods.ts';
import { askedLabels } from './topology/asked-labels.ts';

export function solve(input: SchedulingInput): Plan {
  return prepare(input).solve();
}

/** What is different in a question to a snapshot. */
export interface Change {
  /** Nodes that are not there; their pods do not count any more. */
  readonly nodes: readonly string[];
  /** Pods to place besides those of the input: usually those of the nodes. */
  readonly extraPods?: readonly Pod[];
  /** Whether refusals are worked out in detail. Default: as in the options of the input. */
  readonly explain?: boolean;
}

export interface Snapshot {
  /** Places the pods of the input. */
  readonly solve: () => Plan;
  /** Places them, and others, without some of the nodes. Costs what it touches, not what the cluster has. */
  readonly solveWithout: (change: Change) => Plan;
}

export function prepare(input: SchedulingInput): Snapshot {
  const compiled = compile(input);
  let runs = 0;
  return {
    solve: () => planOf(compiled, { ...PLAIN, queue: compiled.queue.with(NO_PODS), number: ++runs }),
    solveWithout: ({ nodes, extraPods = [], explain: detailed }) => {
      const errors: InputError[] = [];
      const extra = extraPods.length === 0 ? NO_PODS : admitPods(extraPods, compiled.names, errors);
      if (!speaksOf(compiled, extra.pods)) return solve(withoutNodes(input, nodes, extraPods, detailed));
      const removed = nodes.flatMap((name) => compiled.nodes.find(name)?.index ?? []);
      return planOf(compiled, {
        queue: compiled.queue.with(extra),
        removed,
        number: ++runs,
        detailed,
        errors,
      });
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------

interface Question {
  readonly queue: readonly QueuedPod[];
  /** Numbers of nodes. */
  readonly removed: readonly number[];
  readonly number: number;
  readonly detailed: boolean | undefined;
  /** What is wrong with the question itself. */
  readonly errors: readonly InputError[];
}

const PLAIN = { removed: [], detailed: undefined, errors: [] };

/** Whether the snapshot looks at every label that the pods' selectors look at. */
function speaksOf({ classes }: Compiled, pods: readonly Pod[]): boolean {
  const { labelClasses, reader } = classes.context;
  const read = pods.map((pod) => reader.read(pod).spec);
  const specs = read.flatMap((spec) => ('code' in spec ? [] : [spec]));
  return [...askedLabels(specs, undefined)].every((label) => labelClasses.knows(label));
}

/** The long way: the same question as an input of its own. */
function withoutNodes(
  input: SchedulingInput,
  nodes: readonly string[],
  extraPods: readonly Pod[],
  detailed: boolean | undefined,
): SchedulingInput {
  const gone = new Set(nodes);
  return {
    ...input,
    nodes: (input.nodes ?? []).filter((node) => !gone.has(node?.name)),
    boundPods: (input.boundPods ?? []).filter((pod) => !gone.has(pod?.spec?.nodeName ?? '')),
    pods: [...input.pods, ...extraPods],
    options: { ...input.options, ...(detailed === undefined ? {} : { explain: detailed }) },
  };
}

function planOf(compiled: Compiled, question: Question): Plan {
  const { queue, removed, number } = question;
  const run = new Run(compiled, queue, removed, number);
  run.solve();
  const plan = describe(run, question);
  const { placements, unplaced } = run;
  run.undo();
  if (!worthImproving(compiled, plan)) return plan;
  let best = plan;
  for (const heavyShare of HEAVY_SHARES.slice(0, 1 + 2 * compiled.options.improveEffort)) {
    const second = new Run(compiled, queue, removed, number);
    const filled = second.repack(placements, unplaced, heavyShare);
    const other = filled ? describe(second, question) : best;
    second.undo();
    if (other.pricePerHour < best.pricePerHour) best = other;
  }
  return best;
}

/** Shares of the memory that are given to machines with much memory; which is best depends on the market. */
const HEAVY_SHARES = [0.3, 0, 0.15, 0.26, 0.22, 0.4];

/** Effort is counted in tries of a pod on a claim; a large plan of many kinds of pods would cost too many. */
function worthImproving({ options, pools }: Compiled, { counts }: Plan): boolean {
  if (options.improveEffort <= 0 || counts.claims === 0) return false;
  if (pools.some((pool) => pool.hasMinValues || pool.catalogue.hasReservations)) return false;
  return counts.placed * counts.podClasses <= options.improveEffort * TRIES_PER_EFFORT;
}

const TRIES_PER_EFFORT = 1_000_000;

function describe(run: Run, { detailed, errors }: Question): Plan {
  const { compiled } = run;
  const claims = plannedClaims(run);
  const placements = placementsOf(run);
  const refused = run.unplaced.length;
  return {
    claims,
    placements,
    refusals: explain(run, detailed ?? compiled.options.explain),
    inputErrors: errors.length === 0 ? compiled.errors : [...compiled.errors, ...errors],
    pricePerHour: claims.reduce((sum, { cheapest }) => sum + cheapest.price, 0),
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

function placementsOf(run: Run): NodePlacement[] {
  return [...run.space.placed]
    .sort(([first], [second]) => first - second)
    .map(([node, pods]) => ({
      node: run.compiled.nodes.all[node]!.name,
      pods: pods.map((index) => run.queue[index]!.key),
    }));
}
