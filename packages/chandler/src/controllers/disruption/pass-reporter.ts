/**
 * Reports what a pass decided: events on nodes, NodeClaims and NodePools, gauges and counters, with the names, labels and
 * texts of Karpenter. What keeps nodes is published when it changes, and repeated while it holds.
 */
import {
  type Counter,
  type EventSpec,
  type Gauge,
  type Histogram,
  type KubeObject,
  NODES,
  type ResourceRef,
  type Stored,
} from '@chandler/kube';
import { DURATION_BUCKETS } from '../../cloud/index.ts';
import {
  approvedText,
  type BudgetVerdict,
  budgetBlockedText,
  type Command,
  commandTextFor,
  type DisruptionPlan,
  isBudgetBlocking,
  METHODS,
  type MethodName,
  methodNamed,
  type NodeVerdict,
  scoreOf,
  type ValidatedCommand,
} from '../../disruption/index.ts';
import type { ControllerContext } from '../context.ts';
import { CLAIMS } from '../lifecycle/claim-patch.ts';
import { POOLS } from '../pools/pool-store.ts';
import { LastingEvents } from './lasting-events.ts';
import type { LaunchesHeld } from './replacement-launcher.ts';

const SCORE_BUCKETS = [0.1, 0.25, 0.33, 0.5, 1, 2, 5, 10];
/** As upstream: no limit. */
const UNLIMITED = 2 ** 31 - 1;
const MINUTE_MS = 60_000;

export class PassReporter {
  readonly #context: ControllerContext;
  /** By node: what keeps it. */
  readonly #kept: LastingEvents;
  /** By pool and reason: its budgets allow nothing. */
  readonly #blocked: LastingEvents;
  /** The last problem of each pool. */
  readonly #invalid = new Map<string, string>();
  readonly #measured = new Set<string>();
  readonly #allowed: Gauge;
  readonly #consuming: Gauge;
  readonly #eligible: Gauge;
  readonly #duration: Histogram;
  readonly #failedValidations: Counter;
  readonly #score: Histogram;
  readonly #moves: Counter;
  #stray = '';

  constructor(context: ControllerContext) {
    const { metrics, clock } = context.world;
    this.#context = context;
    this.#kept = new LastingEvents(clock);
    this.#blocked = new LastingEvents(clock);
    const byPool = ['nodepool', 'reason'];
    this.#allowed = metrics.gauge({
      name: 'karpenter_nodepools_allowed_disruptions',
      help: 'How many nodes of a NodePool may be disrupted at once, by reason.',
      labels: byPool,
    });
    this.#consuming = metrics.gauge({
      name: 'karpenter_nodepools_nodes_consuming_budgets',
      help: 'How many nodes of a NodePool count against its budgets now, by reason.',
      labels: byPool,
    });
    this.#eligible = metrics.gauge({
      name: 'karpenter_voluntary_disruption_eligible_nodes',
      help: 'Nodes that may be disrupted, by reason.',
      labels: ['reason'],
    });
    this.#duration = metrics.histogram({
      name: 'karpenter_voluntary_disruption_decision_evaluation_duration_seconds',
      help: 'How long it took to decide which nodes are disrupted.',
      labels: ['reason', 'consolidation_type'],
      buckets: DURATION_BUCKETS,
    });
    // No pass is cut short, so it stays 0; dashboards and alerts expect it.
    const timeouts = metrics.counter({
      name: 'karpenter_voluntary_disruption_consolidation_timeouts_total',
      help: 'Passes of consolidation that were cut short.',
      labels: ['consolidation_type'],
    });
    for (const type of ['multi', 'single']) timeouts.add(0, { consolidation_type: type });
    this.#failedValidations = metrics.counter({
      name: 'karpenter_voluntary_disruption_failed_validations_total',
      help: 'Nodes that were chosen and that could no longer be disrupted after the validation time.',
      labels: ['consolidation_type'],
    });
    const scored = ['decision', 'nodepool', 'policy'];
    this.#score = metrics.histogram({
      name: 'karpenter_consolidation_score',
      help: 'Scores of consolidations of NodePools with policy Balanced.',
      labels: scored,
      buckets: SCORE_BUCKETS,
    });
    this.#moves = metrics.counter({
      name: 'karpenter_consolidation_moves_total',
      help: 'Consolidations that were approved or rejected, by policy of the NodePool.',
      labels: scored,
    });
  }

  budgets(verdicts: readonly BudgetVerdict[]): void {
    const current = new Set<string>();
    for (const verdict of verdicts) {
      const { nodePool, reason, allowed, disrupting } = verdict;
      const labels = { nodepool: nodePool, reason: reason.toLowerCase() };
      const key = JSON.stringify(labels);
      current.add(key);
      this.#measured.add(key);
      this.#allowed.set(allowed ?? UNLIMITED, labels);
      this.#consuming.set(disrupting, labels);
      if (!isBudgetBlocking(verdict)) this.#blocked.delete(key);
      else {
        const text = budgetBlockedText(reason);
        this.#blocked.set(key, text, () => this.#publishOnPool(nodePool, 'DisruptionBlocked', text));
      }
    }
    for (const key of this.#measured) {
      if (current.has(key)) continue;
      this.#measured.delete(key);
      this.#blocked.delete(key);
      this.#allowed.remove(JSON.parse(key));
      this.#consuming.remove(JSON.parse(key));
    }
  }

  /** Between plans, too: while nothing changes there are few. */
  repeat(): void {
    this.#kept.repeat();
    this.#blocked.repeat();
  }

  /** @param tookMs by method: those that ran. */
  planned(plan: DisruptionPlan, tookMs: ReadonlyMap<MethodName, number>): void {
    for (const [method, ms] of tookMs) {
      const { reason, consolidationType } = methodNamed(method);
      const labels = { reason: reason.toLowerCase(), consolidation_type: consolidationType };
      this.#duration.observe(ms / 1000, labels);
    }
    for (const [reason, count] of eligibleNodes(plan)) this.#eligible.set(count, { reason });
    const names = new Set<string>();
    for (const verdict of plan.nodes) {
      names.add(verdict.name);
      this.#keep(verdict);
    }
    for (const name of this.#kept.keys()) if (!names.has(name)) this.#kept.delete(name);
    for (const command of plan.commands) this.#candidates(command);
    this.#problems(plan);
    this.#strayFreezes();
  }

  validated({ planned, failure, failedNodes }: ValidatedCommand): void {
    const { consolidationType } = methodNamed(planned.method);
    this.#failedValidations.add(failedNodes, { consolidation_type: consolidationType });
    if (failure === undefined) return;
    this.rejected(planned, failure.class, failure.message);
  }

  /** A command that is not executed. */
  rejected(command: Command, reason: string, why: string): void {
    const { savingPerHour, candidates, key } = command;
    this.#context.world.log.info('disruption command rejected', {
      key,
      nodes: candidates.map(({ name }) => name),
      reason,
      why,
    });
    // The event is Karpenter's, and about consolidations only.
    if (methodNamed(command.method).consolidationType === '') return;
    for (const { name } of candidates) {
      const text = commandTextFor(command, name);
      const message = `Consolidation rejected: ${text}, reason: ${reason} (savings: $${savingPerHour.toFixed(2)})`;
      this.#publishOnNode(name, { reason: 'ConsolidationRejected', message });
    }
  }

  /** A command that waits because the last replacements of a NodePool failed. */
  waits({ key, candidates }: Command, nodepool: string): void {
    this.#context.world.log.info('disruption command waits: the last replacements failed', {
      key,
      nodes: candidates.map(({ name }) => name),
      nodepool,
    });
  }

  /** Commands of this pass whose launches must wait; nothing was done for them. */
  held(held: readonly LaunchesHeld[]): void {
    for (const [nodepool, own] of Map.groupBy(held, ({ nodePool }) => nodePool)) {
      const { why, event } = own[0]!;
      this.#context.world.log.info('disruption commands wait: no node can be launched now', {
        nodepool,
        commands: own.length,
        why,
      });
      if (event !== undefined) this.#publishOnPool(nodepool, event, `Disruption waits: ${why}`);
    }
  }

  /** A freeze that names a NodePool which does not exist stops nothing: somebody should know. */
  #strayFreezes(): void {
    const stray = this.#context.freezes
      .current()
      .flatMap(({ nodePool }) =>
        nodePool !== undefined && this.#pool(nodePool) === undefined ? [nodePool] : [],
      );
    const text = stray.sort().join(', ');
    if (text !== this.#stray && text !== '')
      this.#context.world.log.warn('a freeze names a NodePool that does not exist', { nodepool: text });
    this.#stray = text;
  }

  /** A pool with settings that cannot be read is left alone; it says which. */
  #problems({ problems }: DisruptionPlan): void {
    const byPool = Map.groupBy(problems, ({ nodePool }) => nodePool);
    for (const name of this.#invalid.keys()) if (!byPool.has(name)) this.#invalid.delete(name);
    for (const [name, own] of byPool) {
      const texts = own.map(({ field, value, message }) => `${field}: "${value}": ${message}`);
      const message = `No node is disrupted until this is repaired: ${texts.join('; ')}`;
      const pool = this.#pool(name);
      if (this.#invalid.get(name) === message || pool === undefined) continue;
      this.#invalid.set(name, message);
      this.#context.world.log.warn('nodepool is not disrupted', { nodepool: name, why: texts });
      this.#context.events.publish({
        resource: POOLS,
        object: pool,
        type: 'Warning',
        reason: 'InvalidDisruptionSettings',
        message,
      });
    }
  }

  /** The first thing that keeps a node and that Karpenter has an event for. */
  #keep({ name, nodePool, keeps }: NodeVerdict): void {
    const events = keeps.flatMap((keep) => keep.event ?? []);
    const event = events.find(({ reason }) => reason === 'NodeRepairBlocked') ?? events[0];
    if (event === undefined) {
      this.#kept.delete(name);
      return;
    }
    const { reason, message } = event;
    this.#kept.set(name, `${reason}: ${message}`, () => {
      this.#publishOnNode(name, event);
      // The nodes of the pool say the same.
      if (reason === 'NodeRepairBlocked') this.#publishOnPool(nodePool, reason, message);
    });
  }

  #candidates(command: Command): void {
    const { method, decision, candidates, savingPerHour, scores } = command;
    if (methodNamed(method).reason !== 'Underutilized') return;
    const approved = new Map(scores.map((score) => [score.nodePool, score]));
    for (const nodepool of new Set(candidates.map(({ nodePool }) => nodePool))) {
      const policy = this.#pool(nodepool)?.spec.disruption?.consolidationPolicy ?? '';
      const labels = { decision: 'approved', nodepool, policy };
      this.#moves.add(1, labels);
      const score = approved.get(nodepool);
      if (score === undefined) continue;
      this.#score.observe(scoreOf(score), labels);
      const message = approvedText(score);
      if (candidates.length > 1) this.#publishOnPool(nodepool, 'ConsolidationApproved', message);
      else this.#publishOnNode(candidates[0]!.name, { reason: 'ConsolidationApproved', message });
    }
    if (decision !== 'replace') return;
    for (const { name } of candidates) {
      const text = commandTextFor(command, name);
      const message = `Consolidation candidate: ${text} (savings: $${savingPerHour.toFixed(2)})`;
      this.#publishOnNode(name, { reason: 'ConsolidationCandidate', message });
    }
  }

  #pool(name: string) {
    return this.#context.stores.pools.store.get({ name });
  }

  #publishOnNode(
    name: string,
    { reason, message }: { readonly reason: string; readonly message: string },
  ): void {
    const { cluster } = this.#context;
    const joined = cluster.nodeNamed(name) ?? cluster.nodeOfClaim(name);
    if (joined?.claim === undefined) return;
    if (joined.node !== undefined) this.#publish(NODES, joined.node, reason, message);
    this.#publish(CLAIMS, joined.claim, reason, message);
  }

  #publishOnPool(name: string, reason: string, message: string): void {
    const pool = this.#pool(name);
    if (pool !== undefined) this.#publish(POOLS, pool, reason, message);
  }

  #publish<T extends KubeObject>(
    resource: ResourceRef<T>,
    object: Stored<T>,
    reason: string,
    message: string,
  ): void {
    const event: EventSpec = {
      resource: resource as ResourceRef,
      object: object as unknown as Stored,
      type: reason === 'NodeRepairBlocked' ? 'Warning' : 'Normal',
      reason,
      message,
      dedupeMs: reason === 'NodeRepairBlocked' ? 15 * MINUTE_MS : MINUTE_MS,
    };
    this.#context.events.publish(event);
  }
}

// ---------------------------------------------------------------------------------------------------

/** By reason, in lower case: nodes without anything that keeps them from being a candidate. */
function eligibleNodes({ nodes, commands }: DisruptionPlan): ReadonlyMap<string, number> {
  const counts = new Map(METHODS.map(({ reason }) => [reason.toLowerCase(), 0]));
  const add = (reason: string) => counts.set(reason, (counts.get(reason) ?? 0) + 1);
  for (const { candidates, reason } of commands) for (const _ of candidates) add(reason.toLowerCase());
  for (const { keeps } of nodes) {
    // Rejections are about candidates.
    if (keeps.some((keep) => 'block' in keep)) continue;
    const reasons = keeps.flatMap((keep) => ('method' in keep ? [methodNamed(keep.method).reason] : []));
    for (const reason of new Set(reasons)) add(reason.toLowerCase());
  }
  return counts;
}
