/**
 * Observe mode: plans disruption as the controller would, next to another controller that executes, and reports each command
 * once. A command that would be validated is reported when it is still planned after the time of the validation. Nodes that
 * the other controller disrupts count as part of a command.
 */
import { Controller, type Gauge, onceSource, RecentMap, type Result, turnsOf } from '@chandler/kube';
import {
  type Command,
  commandLogText,
  type DisruptionPlan,
  DisruptionPlanner,
  METHODS,
} from '../../disruption/index.ts';
import { readPods } from '../../state/index.ts';
import { type ControllerContext, type ReconcileScope, scopeOf } from '../context.ts';
import { inTurns } from '../in-turns.ts';
import { Changes } from './changes.ts';
import { disruptionInput, poolsOfPass } from './disruption-input.ts';
import { isDisrupted } from './marks.ts';
import { passOptions } from './pass-options.ts';
import { PERIOD_MS, PlanPace } from './plan-pace.ts';
import { needsValidation, VALIDATION_MS } from './waiting-commands.ts';

const UNSYNCED_MS = 1_000;
const MAX_REMEMBERED = 2_000;
const MAX_LOGGED_NODES = 20;

export function observedDisruption(context: ControllerContext): Controller {
  const pass = new ObservedDisruption(context);
  return new Controller({
    name: 'observer.disruption',
    world: context.world,
    sources: [pass.changes.source(context), onceSource()],
    reconcile: (_, run) => pass.run(scopeOf(context, run)),
  });
}

export class ObservedDisruption {
  readonly changes = new Changes();
  readonly #planner = new DisruptionPlanner();
  readonly #pace: PlanPace;
  readonly #nodes: Gauge;
  readonly #saving: Gauge;
  /** Commands that are planned now: since when (monotonic). */
  #planned: ReadonlyMap<string, number> = new Map();
  readonly #reported = new RecentMap<true>(MAX_REMEMBERED);

  constructor({ world }: ControllerContext) {
    this.#pace = new PlanPace(world.clock, this.changes);
    this.#nodes = world.metrics.gauge({
      name: 'chandler_observe_disrupted_nodes',
      help: 'Nodes that we would disrupt now, by reason.',
      labels: ['reason'],
    });
    this.#saving = world.metrics.gauge({
      name: 'chandler_observe_disruption_saving_per_hour',
      help: 'US dollars an hour that the disruption commands of the last plan would save.',
    });
  }

  async run(scope: ReconcileScope): Promise<Result> {
    const { cluster, stores, freezes, world, signal } = scope;
    if (stores.failing().length > 0 || !freezes.known) return { requeueAfterMs: UNSYNCED_MS };
    if (!this.#pace.isDue()) return { requeueAfterMs: PERIOD_MS };
    await readPods(cluster, turnsOf(world.clock), signal);
    const pools = await poolsOfPass(scope, signal);
    if (stores.failing().length > 0) return { requeueAfterMs: UNSYNCED_MS };
    const beganMs = world.clock.monotonic();
    this.changes.take();
    const input = disruptionInput(scope, pools, (claim) => commandOfOthers(scope, claim));
    const plan = await inTurns(scope, this.#planner.steps(input, passOptions(scope), world.clock.now()));
    this.#pace.planned(plan, world.clock.monotonic() - beganMs);
    this.#report(scope, plan);
    return { requeueAfterMs: PERIOD_MS };
  }

  #report({ world }: ReconcileScope, { commands }: DisruptionPlan): void {
    const nowMs = world.clock.monotonic();
    for (const reason of new Set(METHODS.map((method) => method.reason))) {
      const own = commands.filter((command) => command.reason === reason);
      const count = own.reduce((sum, { candidates }) => sum + candidates.length, 0);
      this.#nodes.set(count, { reason: reason.toLowerCase() });
    }
    this.#saving.set(commands.reduce((sum, { savingPerHour }) => sum + savingPerHour, 0));
    const before = this.#planned;
    this.#planned = new Map(commands.map(({ key }) => [key, before.get(key) ?? nowMs]));
    for (const command of commands) {
      if (this.#reported.get(command.key) !== undefined) continue;
      const leftMs = needsValidation(command) ? this.#planned.get(command.key)! + VALIDATION_MS - nowMs : 0;
      if (leftMs > 0) this.#pace.within(leftMs);
      else this.#log(world, command);
    }
  }

  #log({ log }: ReconcileScope['world'], command: Command): void {
    const { key, reason, decision, candidates, replacements, podsMoved, savingPerHour } = command;
    this.#reported.set(key, true);
    log.info('observed: would disrupt node(s)', {
      command: commandLogText(command),
      reason,
      decision,
      nodes: candidates.slice(0, MAX_LOGGED_NODES).map(({ name }) => name),
      nodeCount: candidates.length,
      replacements: replacements.length,
      pods: podsMoved,
      savingPerHour: Number(savingPerHour.toFixed(5)),
    });
  }
}

// ---------------------------------------------------------------------------------------------------

function commandOfOthers({ cluster }: ReconcileScope, claim: string): string | undefined {
  const node = cluster.nodeOfClaim(claim)?.node;
  return node !== undefined && isDisrupted(node) ? 'of another controller' : undefined;
}
