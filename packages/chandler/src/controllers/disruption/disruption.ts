/**
 * Voluntary disruption: at an interval, decides which nodes are removed or replaced and starts the commands. Commands that
 * save money wait and are validated first, side by side. It runs on the leader, and only while all stores are up to date.
 * `disruption/` decides, `execution.ts` executes.
 */
import { Controller, onceSource, type Result, turnsOf } from '@chandler/kube';
import {
  type BudgetVerdict,
  budgetVerdicts,
  type DisruptionInput,
  type DisruptionOptions,
  type DisruptionPlan,
  planDisruption,
  validateCommands,
} from '../../disruption/index.ts';
import { type ControllerContext, type ReconcileScope, scopeOf } from '../context.ts';
import { withCloudMetrics } from '../metrics/cloud-calls.ts';
import { Changes } from './changes.ts';
import { CommandBackoff } from './command-backoff.ts';
import { disruptionInput, poolsOfPass } from './disruption-input.ts';
import { Execution } from './execution.ts';
import { ExecutionReporter } from './execution-reporter.ts';
import { CommandHistory } from './history.ts';
import { PassReporter } from './pass-reporter.ts';
import { removeStaleMarks } from './stale-marks.ts';
import { needsValidation, WaitingCommands } from './waiting-commands.ts';

const NAME = 'disruption';
const PERIOD_MS = 10_000;
const UNSYNCED_MS = 1_000;
/** After a command: the next one need not wait. */
const SOON_MS = 1_000;
/** Prices and availability change without a trigger. */
const MAX_PAUSE_MS = 5 * 60_000;
/** Passes take at most this share of the time. */
const MAX_SHARE = 0.1;

/** The pass, the queue of commands, and what is kept of them. */
export function disruptionControllers(given: ControllerContext): readonly Controller[] {
  const context = { ...given, cloud: withCloudMetrics(given.cloud, given.world, () => NAME) };
  const history = new CommandHistory(context);
  const backoff = new CommandBackoff(context.stores, context.world.clock);
  const reporter = new ExecutionReporter(context, (record, outcome, why) => {
    history.note(record, outcome, why);
    if (outcome === 'failed') backoff.failed(record);
    else backoff.succeeded(record);
  });
  const execution = new Execution(context, reporter);
  const pass = new DisruptionPass(context, execution, backoff);
  const controller = new Controller({
    name: NAME,
    world: context.world,
    sources: [pass.changes.source(context), onceSource()],
    reconcile: (_, run) => pass.run(scopeOf(context, run)),
  });
  return [controller, execution.controller, history.controller];
}

export class DisruptionPass {
  readonly changes = new Changes();
  readonly #context: ControllerContext;
  readonly #execution: Execution;
  readonly #backoff: CommandBackoff;
  readonly #reporter: PassReporter;
  readonly #waiting = new WaitingCommands();
  #recovered = false;
  /** Monotonic: not before, and at the latest. */
  #planFromMs = Number.NEGATIVE_INFINITY;
  #planByMs = Number.NEGATIVE_INFINITY;
  #budgets = '';

  constructor(context: ControllerContext, execution: Execution, backoff: CommandBackoff) {
    this.#context = context;
    this.#execution = execution;
    this.#backoff = backoff;
    this.#reporter = new PassReporter(context);
  }

  async run(scope: ReconcileScope): Promise<Result> {
    const { stores, world, signal } = scope;
    if (stores.failing().length > 0) return { requeueAfterMs: UNSYNCED_MS };
    if (!this.#recovered) this.#execution.recover();
    this.#recovered = true;
    await removeStaleMarks(scope, this.#execution.running);
    const pools = await poolsOfPass(scope, signal);
    await turnsOf(world.clock).pass();
    // While the pools were read a store may have failed.
    if (stores.failing().length > 0) return { requeueAfterMs: UNSYNCED_MS };
    const nowMs = world.clock.monotonic();
    const due = this.#waiting.takeDue(nowMs);
    let started = 0;
    if (due.length > 0) {
      const input = disruptionInput(scope, pools, (claim) => this.#execution.running.idOf(claim));
      for (const result of validateCommands(input, this.#options(), world.clock.now(), due)) {
        this.#reporter.validated(result);
        const problem = result.command === undefined ? '' : this.#execution.start(result.command);
        if (result.command !== undefined && problem === undefined) started += 1;
        else if (result.command !== undefined) this.#reporter.rejected(result.command, 'churn', problem!);
      }
      this.changes.note();
    }
    if (started === 0) {
      const input = disruptionInput(scope, pools, (claim) => this.#commandOf(claim));
      started += this.#planIfDue(input);
    }
    const dueInMs = this.#waiting.dueInMs(world.clock.monotonic()) ?? PERIOD_MS;
    return { requeueAfterMs: Math.max(1, Math.min(started > 0 ? SOON_MS : PERIOD_MS, dueInMs)) };
  }

  /** Returns the number of commands that were started. */
  #planIfDue(input: DisruptionInput): number {
    const { clock } = this.#context.world;
    const beganMs = clock.monotonic();
    const verdicts = budgetVerdicts(
      input.pools.map(({ nodePool }) => nodePool),
      input.nodes,
      clock.now(),
    );
    this.#reporter.budgets(verdicts);
    const moved = this.#budgetsMoved(verdicts);
    if (beganMs < this.#planFromMs) return 0;
    if (!this.changes.take() && !moved && beganMs < this.#planByMs) return 0;
    const plan = planDisruption(input, this.#options(), clock.now());
    const tookMs = clock.monotonic() - beganMs;
    this.#planFromMs = clock.monotonic() + tookMs * (1 / MAX_SHARE - 1);
    this.#planByMs = clock.monotonic() + this.#pauseMs(plan);
    this.#reporter.planned(plan, tookMs);
    return this.#give(plan);
  }

  #give({ commands }: DisruptionPlan): number {
    let started = 0;
    const nowMs = this.#context.world.clock.monotonic();
    for (const command of commands) {
      const held = this.#backoff.holding(command);
      if (held !== undefined) {
        this.#planByMs = Math.min(this.#planByMs, nowMs + held.forMs);
        continue;
      }
      if (needsValidation(command)) {
        this.#waiting.add(command, nowMs);
        continue;
      }
      const problem = this.#execution.start(command);
      if (problem === undefined) started += 1;
      else this.#reporter.rejected(command, 'churn', problem);
    }
    return started;
  }

  /** A command in execution, or one that waits. */
  #commandOf(claim: string): string | undefined {
    return this.#execution.running.idOf(claim) ?? this.#waiting.keyOf(claim);
  }

  #options(): DisruptionOptions {
    const { gates } = this.#context.settings;
    return { spotToSpot: gates.SpotToSpotConsolidation };
  }

  /** A window of a budget opens or closes without any change of an object. */
  #budgetsMoved(verdicts: readonly BudgetVerdict[]): boolean {
    const text = JSON.stringify(verdicts.map(({ available }) => available ?? null));
    const moved = text !== this.#budgets;
    this.#budgets = text;
    return moved;
  }

  /** Until the first time at which something that keeps a node ends. */
  #pauseMs({ nodes }: DisruptionPlan): number {
    const nowMs = this.#context.world.clock.now();
    let pauseMs = MAX_PAUSE_MS;
    for (const { keeps } of nodes)
      for (const keep of keeps) {
        if (!('block' in keep)) continue;
        const { block } = keep;
        if (block.code === 'Nominated') pauseMs = Math.min(pauseMs, PERIOD_MS);
        if ('untilMs' in block && block.untilMs !== undefined)
          pauseMs = Math.min(pauseMs, Math.max(0, block.untilMs - nowMs));
      }
    return pauseMs;
  }
}
