/**
 * Voluntary disruption: at an interval, decides which nodes are removed or replaced and starts the commands. Commands that
 * save money wait and are validated first, side by side. It runs on the leader, and only while all stores are up to date.
 * `disruption/` decides, `execution.ts` executes.
 */
import { Controller, onceSource, type Result, turnsOf } from '@chandler/kube';
import type { NodePool } from '../../api/index.ts';
import {
  BudgetLedger,
  budgetVerdicts,
  type Command,
  CommandValidator,
  type DisruptionOptions,
  type DisruptionPlan,
  DisruptionPlanner,
  type ValidatedCommand,
} from '../../disruption/index.ts';
import { readPods } from '../../state/index.ts';
import { type ControllerContext, type ReconcileScope, scopeOf } from '../context.ts';
import { inTurns } from '../in-turns.ts';
import { withCloudMetrics } from '../metrics/cloud-calls.ts';
import { isEdited } from '../pools/pool-store.ts';
import { Changes } from './changes.ts';
import { CommandBackoff } from './command-backoff.ts';
import {
  disruptionInput,
  disruptionNodes,
  ourPools,
  type PoolsOfPass,
  poolsOfPass,
} from './disruption-input.ts';
import { Execution } from './execution.ts';
import { ExecutionReporter } from './execution-reporter.ts';
import { CommandHistory } from './history.ts';
import { heldStaticPools } from './limits.ts';
import { MethodTimes } from './method-times.ts';
import { passOptions } from './pass-options.ts';
import { PassReporter } from './pass-reporter.ts';
import { PERIOD_MS, PlanPace } from './plan-pace.ts';
import type { LaunchesHeld } from './replacement-launcher.ts';
import { removeStaleMarks } from './stale-marks.ts';
import { needsValidation, WaitingCommands } from './waiting-commands.ts';

const NAME = 'disruption';
const UNSYNCED_MS = 1_000;
/** After a command: the next one need not wait. */
const SOON_MS = 1_000;

/** The pass, the queue of commands, and what is kept of them. */
export function disruptionControllers(given: ControllerContext): readonly Controller[] {
  const context = { ...given, cloud: withCloudMetrics(given.cloud, given.world, () => NAME) };
  const history = new CommandHistory(context);
  const backoff = new CommandBackoff(context.stores, context.world.clock);
  const reporter = new ExecutionReporter(context, (record, outcome, why, blamesPool) => {
    history.note(record, outcome, why);
    if (outcome === 'succeeded') backoff.succeeded(record);
    else if (blamesPool) backoff.failed(record);
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
  readonly #pace: PlanPace;
  readonly #context: ControllerContext;
  readonly #execution: Execution;
  readonly #backoff: CommandBackoff;
  readonly #reporter: PassReporter;
  readonly #waiting = new WaitingCommands();
  readonly #planner = new DisruptionPlanner();
  readonly #validator = new CommandValidator();
  #recovered = false;
  #budgets = '';
  /** The changes that the budgets were counted after. */
  #countedAt = -1;

  constructor(context: ControllerContext, execution: Execution, backoff: CommandBackoff) {
    this.#context = context;
    this.#execution = execution;
    this.#backoff = backoff;
    this.#reporter = new PassReporter(context);
    this.#pace = new PlanPace(context.world.clock, this.changes);
  }

  async run(scope: ReconcileScope): Promise<Result> {
    const { cluster, stores, world, signal } = scope;
    if (stores.failing().length > 0) return { requeueAfterMs: UNSYNCED_MS };
    if (!this.#recovered) this.#execution.recover();
    this.#recovered = true;
    await removeStaleMarks(scope, this.#execution.running);
    if (!scope.freezes.known) return { requeueAfterMs: UNSYNCED_MS };
    this.#countBudgets(scope);
    let started = 0;
    if (this.#waiting.dueInMs(world.clock.monotonic()) === 0 || this.#pace.isDue()) {
      await readPods(cluster, turnsOf(world.clock), signal);
      const pools = await poolsOfPass(scope, signal);
      // While all that was read a store may have failed.
      if (stores.failing().length > 0) return { requeueAfterMs: UNSYNCED_MS };
      const due = this.#waiting.takeDue(world.clock.monotonic());
      if (due.length > 0) {
        started += await this.#validate(scope, pools, due);
        this.changes.note();
      }
      if (started === 0 && this.#pace.isDue()) started += await this.#plan(scope, pools);
    }
    this.#reporter.repeat();
    const dueInMs = this.#waiting.dueInMs(world.clock.monotonic()) ?? PERIOD_MS;
    return { requeueAfterMs: Math.max(1, Math.min(started > 0 ? SOON_MS : PERIOD_MS, dueInMs)) };
  }

  /** A window of a budget opens or closes without any change of an object. */
  #countBudgets(scope: ReconcileScope): void {
    const pools = ourPools(scope);
    const commands = this.#execution.running.size + this.#waiting.size;
    if (commands === 0 && this.#countedAt === this.changes.count && !pools.some(hasWindow)) return;
    const nodes = disruptionNodes(scope, (claim) => this.#commandOf(claim));
    const verdicts = budgetVerdicts(pools, nodes, scope.world.clock.now());
    this.#reporter.budgets(verdicts);
    const text = JSON.stringify(verdicts.map(({ available }) => available ?? null));
    if (text !== this.#budgets) this.changes.note();
    this.#budgets = text;
    this.#countedAt = this.changes.count;
  }

  /** Returns the number of commands that were started. */
  async #validate(scope: ReconcileScope, pools: PoolsOfPass, due: readonly Command[]): Promise<number> {
    const results = await this.#checked(scope, pools, due);
    for (const result of results) this.#reporter.validated(result);
    // Replacements may have failed while the commands waited.
    const commands = results.flatMap(({ command }) => command ?? []).filter((each) => !this.#isHeld(each));
    const started = this.#start(scope, pools, commands);
    if (started < due.length) await this.#checkWaiting(scope, pools);
    return started;
  }

  /**
   * The commands that wait were planned on top of those that were given before them. When one of these is not executed, they
   * are checked without it: otherwise two commands that expect each other would be rejected in turn, again and again.
   */
  async #checkWaiting(scope: ReconcileScope, pools: PoolsOfPass): Promise<void> {
    const commands = this.#waiting.commands();
    if (commands.length === 0) return;
    for (const { planned, failure } of await this.#checked(scope, pools, commands))
      if (failure !== undefined) this.#waiting.remove(planned);
  }

  #checked(
    scope: ReconcileScope,
    pools: PoolsOfPass,
    commands: readonly Command[],
  ): Promise<readonly ValidatedCommand[]> {
    const { running } = this.#execution;
    const input = disruptionInput(scope, pools, (claim) => running.idOf(claim), running.planned());
    const steps = this.#validator.steps(input, this.#options(), scope.world.clock.now(), commands);
    return inTurns(scope, steps);
  }

  /** Returns the number of commands that were started. */
  async #plan(scope: ReconcileScope, pools: PoolsOfPass): Promise<number> {
    const { clock } = scope.world;
    const beganMs = clock.monotonic();
    this.changes.take();
    const given = [...this.#execution.running.planned(), ...this.#waiting.commands()];
    const input = disruptionInput(scope, pools, (claim) => this.#commandOf(claim), given);
    const times = new MethodTimes(clock);
    const steps = this.#planner.steps(input, this.#options(), clock.now(), (method) => times.began(method));
    const plan = await inTurns(scope, steps);
    this.#pace.planned(plan, clock.monotonic() - beganMs);
    this.#reporter.planned(plan, times.ended());
    return this.#give(scope, pools, plan);
  }

  #give(scope: ReconcileScope, pools: PoolsOfPass, { commands }: DisruptionPlan): number {
    const nowMs = scope.world.clock.monotonic();
    const now: Command[] = [];
    for (const command of commands) {
      if (this.#isHeld(command)) continue;
      if (needsValidation(command)) this.#waiting.add(command, nowMs);
      else now.push(command);
    }
    return this.#start(scope, pools, now);
  }

  /** An unhealthy node does not wait until launches for other reasons succeed. */
  #isHeld(command: Command): boolean {
    const held = command.method === 'repair' ? undefined : this.#backoff.holding(command);
    if (held === undefined) return false;
    this.#pace.within(held.forMs);
    this.#reporter.waits(command, held.nodePool);
    return true;
  }

  /** Budgets are counted again: it took time to plan. */
  #start(scope: ReconcileScope, pools: PoolsOfPass, commands: readonly Command[]): number {
    if (commands.length === 0) return 0;
    const { clock } = scope.world;
    const nodes = disruptionNodes(scope, (claim) => this.#execution.running.idOf(claim));
    const ledger = new BudgetLedger(budgetVerdicts(ourPools(scope), nodes, clock.now()));
    const held: LaunchesHeld[] = [];
    // Budgets count initialized nodes only.
    const initialized = new Set(nodes.flatMap((node) => (node.initialized ? [node.name] : [])));
    let started = 0;
    for (const command of commands) {
      const { reason } = command;
      const candidates = command.candidates.filter(({ name }) => initialized.has(name));
      if (ledger.within(candidates, reason).length < candidates.length) {
        this.#reporter.rejected(command, 'budget', 'the budgets allow fewer nodes by now');
        continue;
      }
      const edited = editedPool(scope, pools, command);
      // An edit while the pools were read is no change after the plan began.
      if (edited !== undefined) this.changes.note();
      const problem = edited ?? this.#execution.start(command);
      if (typeof problem === 'string') this.#reporter.rejected(command, 'churn', problem);
      else if (problem !== undefined) held.push(problem);
      if (problem !== undefined) continue;
      for (const { nodePool } of candidates) ledger.take(nodePool);
      started += 1;
    }
    this.#reporter.held(held);
    // Launches are allowed again without a change of any object.
    if (held.length > 0) this.#pace.within(PERIOD_MS);
    return started;
  }

  /** A command in execution, or one that waits. */
  #commandOf(claim: string): string | undefined {
    return this.#execution.running.idOf(claim) ?? this.#waiting.keyOf(claim);
  }

  #options(): DisruptionOptions {
    const nowMs = this.#context.world.clock.now();
    return {
      ...passOptions(this.#context),
      driftBackoff: this.#backoff.pools(nowMs),
      consolidationBackoff: this.#context.moves.holds(nowMs),
      unwritable: this.#execution.unwritable.all(nowMs),
      heldPools: heldStaticPools(this.#context),
      surgeRefusals: this.#execution.rollout.refusals(),
    };
  }
}

// ---------------------------------------------------------------------------------------------------

function hasWindow({ spec }: NodePool): boolean {
  return (spec.disruption?.budgets ?? []).some(({ schedule }) => schedule !== undefined);
}

/** Why replacements would not have the template that they were planned with. */
function editedPool(
  scope: ReconcileScope,
  { all }: PoolsOfPass,
  { replacements }: Command,
): string | undefined {
  const launching = new Set(replacements.map(({ nodePool }) => nodePool));
  const edited = all.find(
    ({ nodePool }) => launching.has(nodePool.metadata.name) && isEdited(scope, nodePool),
  );
  return edited && `nodepool ${edited.nodePool.metadata.name} was edited or deleted while it was planned`;
}
