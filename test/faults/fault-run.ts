/**
 * One run of the fault suite as data that can be sent to a thread, and its result. The long run and the tests
 * use the same runs.
 */
import type { CloudName } from './clouds.ts';
import type { FaultScenario } from './fault-scenario.ts';
import type { TrialResult } from './trial.ts';

export type FaultRun = { readonly cloud?: CloudName } & RunKind;

export type RunKind =
  /** A workload and a swarm drawn from a seed. */
  | { readonly kind: 'seed'; readonly seed: number }
  /** The small workload, with a crash at the n-th effect (0: none), or at the first response that matches. */
  | { readonly kind: 'crash'; readonly effect: number; readonly answer?: RegExp }
  /** The bug workload without a bug, with the faults of a scenario. */
  | { readonly kind: 'scenario'; readonly scenario: FaultScenario }
  /** The same with one of the deliberate bugs, by name. */
  | { readonly kind: 'bug'; readonly bug: string };

export type Outcome = TrialResult;

/** How to reproduce it. */
export function titleOf(run: FaultRun): string {
  const of = run.cloud === undefined ? '' : ` --cloud ${run.cloud}`;
  if (run.kind === 'seed') return `node test/faults/run.ts${of} --seed ${run.seed}`;
  if (run.kind === 'crash') return `a crash at ${run.answer ?? `effect ${run.effect}`}${of}`;
  return run.kind === 'bug'
    ? `node test/faults/bugs.ts '${run.bug}'`
    : `${JSON.stringify(run.scenario)}${of}`;
}

/** One line per violation. */
export function failureLines(run: FaultRun, { violations }: Pick<Outcome, 'violations'>): readonly string[] {
  return violations.map(
    ({ check, what, atMs }) => `${titleOf(run)}: at ${(atMs / 1000).toFixed(1)} s ${check}: ${what}`,
  );
}
