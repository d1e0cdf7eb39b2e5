/** Runs a scenario step by step on the World's clock, and reports each step before it starts. */
import type { World } from '@chandler/kube';
import { performAction, type ScenarioTargets } from './actions.ts';
import { type CheckTargets, failureOf, PriceHistory } from './checks.ts';
import type { Check, Scenario, Step } from './scenario.ts';

export interface RunScenarioOptions extends Omit<ScenarioTargets, 'now'> {
  readonly world: Pick<World, 'clock'>;
  readonly signal: AbortSignal;
  /** Called when a step starts. */
  readonly report: (progress: StepProgress) => void;
}

export interface StepProgress {
  /** From 1. */
  readonly step: number;
  readonly steps: number;
  readonly text: string;
}

/** `stopped`: the signal was aborted. `failed`: a check of `step` did not pass in time; `why` is what was observed. */
export type ScenarioResult =
  | { readonly outcome: 'completed' }
  | { readonly outcome: 'stopped' }
  | { readonly outcome: 'failed'; readonly step: string; readonly why: string };

export async function runScenario(scenario: Scenario, options: RunScenarioOptions): Promise<ScenarioResult> {
  const { signal, report, world, client, cloud } = options;
  const targets = { client, cloud, prices: new PriceHistory(cloud), now: () => new Date(world.clock.now()) };
  for (const [index, step] of scenario.steps.entries()) {
    report({ step: index + 1, steps: scenario.steps.length, text: step.description });
    try {
      for (const action of step.actions ?? []) await performAction(action, targets);
      if (step.waitMs !== undefined) await world.clock.sleep(step.waitMs, signal);
      const why = await waitForChecks(step, options, targets);
      if (why !== undefined) return { outcome: 'failed', step: step.description, why };
    } catch (error) {
      if (signal.aborted) return { outcome: 'stopped' };
      return {
        outcome: 'failed',
        step: step.description,
        why: error instanceof Error ? error.message : String(error),
      };
    }
  }
  return { outcome: 'completed' };
}

// ---------------------------------------------------------------------------------------------------

const DEFAULT_TIMEOUT_MS = 10 * 60_000;
const POLL_INTERVAL_MS = 1_000;

/** Undefined when all checks pass; else what the first failing check observed. */
async function waitForChecks(
  step: Step,
  options: RunScenarioOptions,
  targets: CheckTargets,
): Promise<string | undefined> {
  const { clock } = options.world;
  const deadlineMs = clock.monotonic() + (step.withinMs ?? DEFAULT_TIMEOUT_MS);
  for (;;) {
    options.signal.throwIfAborted();
    targets.prices.read();
    const broken = await firstFailure(step.always ?? [], targets);
    if (broken !== undefined) return broken;
    const why = await firstFailure(step.until ?? [], targets);
    if (why === undefined || clock.monotonic() >= deadlineMs) return why;
    await clock.sleep(POLL_INTERVAL_MS, options.signal);
  }
}

async function firstFailure(checks: readonly Check[], targets: CheckTargets): Promise<string | undefined> {
  for (const check of checks) {
    const why = await failureOf(check, targets);
    if (why !== undefined) return why;
  }
  return undefined;
}
