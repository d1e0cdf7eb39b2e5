/** Runs scenarios in a running playground, one at a time, and knows how far the current one is. */
import { fetchTransport, KubeClient, type World } from '@chandler/kube';
import type { Playground, Scenario, ScenarioResult, StepProgress } from '../../playground/index.ts';
import type { Display } from './display.ts';
import { scenarioResultText } from './messages.ts';

export interface ScenarioRunsOptions {
  readonly world: World;
  readonly running: Playground;
  readonly display: Display;
  /** Resolves when the controller is ready; a scenario needs it. */
  readonly leading: () => Promise<void> | undefined;
  readonly signal: AbortSignal;
}

export interface ScenarioRun {
  readonly scenario: string;
  readonly step: string;
  readonly outcome: 'running' | 'passed' | 'failed';
}

export class ScenarioRuns {
  readonly #options: ScenarioRunsOptions;
  /** The last one. */
  current: ScenarioRun | undefined;
  /** The one whose objects and faults are still there. */
  #left: Scenario | undefined;

  constructor(options: ScenarioRunsOptions) {
    this.#options = options;
  }

  /** @param once the playground stops when it has ended. */
  async run(scenario: Scenario, once: boolean): Promise<ScenarioResult> {
    const { running, world, signal } = this.#options;
    this.#report(scenario, 'waits for the controller', 'running');
    try {
      await this.#options.leading();
    } catch (error) {
      const failed = { outcome: 'failed', step: 'the controller starts', why: String(error) } as const;
      this.#report(scenario, scenarioResultText(failed), 'failed');
      return failed;
    }
    const { cleanUpAfter, runScenario } = await import('../../playground/index.ts');
    const cloud = running.cloud!;
    const client = new KubeClient({ transport: fetchTransport(running.server.adminFetch) });
    const play = (steps: Scenario, text: (progress: StepProgress) => string) =>
      runScenario(steps, {
        world,
        client,
        cloud,
        signal,
        report: (progress) => this.#report(scenario, text(progress), 'running'),
      });
    const left = this.#left;
    const setting = { now: new Date(world.clock.now()), cloud };
    const cleaned =
      left === undefined ? undefined : await play(cleanUpAfter(left, setting), ({ text }) => text);
    const isClean = cleaned === undefined || cleaned.outcome === 'completed';
    // What could not be removed is removed before the next one.
    if (isClean) this.#left = scenario;
    const result = isClean
      ? await play(scenario, ({ step, steps, text }) => `${step}/${steps} ${text}`)
      : cleaned;
    if (result.outcome === 'completed')
      this.#report(
        scenario,
        `${scenarioResultText(result)}${once ? '' : '; the cluster keeps running'}`,
        'passed',
      );
    if (result.outcome === 'failed') this.#report(scenario, scenarioResultText(result), 'failed');
    return result;
  }

  #report({ name }: Scenario, text: string, outcome: ScenarioRun['outcome']): void {
    const { display, world } = this.#options;
    const isFirst = this.current?.scenario !== name || this.current.outcome !== 'running';
    this.current = { scenario: name, step: text, outcome };
    // That it waits is only worth a line in the page.
    if (isFirst && outcome === 'running') return;
    display.scenario = `${name}: ${text}`;
    const warning = outcome === 'failed';
    display.report({ atMs: world.clock.now(), topic: 'scenario', text, ...(warning ? { warning } : {}) });
  }
}
