/**
 * The door: a snapshot goes in, a plan comes out. Nothing is thrown; what could not be understood is in
 * the plan by name. `prepare` keeps what was worked out, for callers that ask about one cluster many times.
 */

import { podKey } from './engine/bound-pods.ts';
import { type Compiled, compile } from './engine/compiled.ts';
import { explain } from './engine/explain.ts';
import { plannedClaims } from './engine/finalise.ts';
import { Run } from './engine/run.ts';
import type { Pod, SchedulingInput } from './model.ts';
import type { NodePlacement, Plan } from './plan.ts';

export function solve(input: SchedulingInput): Plan {
  return prepare(input).solve();
}

export interface Snapshot {
  /** Places the pods of the input. */
  readonly solve: () => Plan;
}

export function prepare(input: SchedulingInput): Snapshot {
  const compiled = compile(input);
  let runs = 0;
  return {
    solve: () => planOf(compiled, input.pods, [], ++runs),
  };
}

// ---------------------------------------------------------------------------------------------------------------

function planOf(compiled: Compiled, pods: readonly Pod[], removed: readonly number[], number: number): Plan {
  const run = new Run(compiled, pods, removed, number);
  run.solve();
  const claims = plannedClaims(run);
  const placements = placementsOf(run);
  const refused = run.unplaced.length;
  const onNodes = placements.reduce((sum, { pods: placed }) => sum + placed.length, 0);
  const plan: Plan = {
    claims,
    placements,
    refusals: explain(run),
    inputErrors: compiled.errors,
    pricePerHour: claims.reduce((sum, { cheapest }) => sum + cheapest.price, 0),
    counts: {
      pods: run.queue.length,
      placed: run.queue.length - refused,
      placedOnExisting: onNodes,
      refused,
      claims: claims.length,
      podClasses: compiled.classes.all.length,
      attempts: run.attempts,
    },
  };
  run.undo();
  return plan;
}

function placementsOf(run: Run): NodePlacement[] {
  return [...run.space.placed]
    .sort(([first], [second]) => first - second)
    .map(([node, pods]) => ({
      node: run.compiled.nodes.all[node]!.name,
      pods: pods.map((index) => podKey(run.queue[index]!.pod)),
    }));
}
