/** Reports the execution of commands: events, counters, log lines, and what is kept of them. It decides nothing. */
import { type Counter, NODES, type Node, type Stored } from '@chandler/kube';
import { KarpenterAnnotation, KarpenterLabel } from '../../api/index.ts';
import {
  type Command,
  commandLogText,
  methodNamed,
  ownerText,
  type SurgeOwner,
} from '../../disruption/index.ts';
import {
  type CountDisrupted,
  disruptedCounter,
  modeOf,
  terminationMode,
  unhealthyCounter,
} from '../claims/disrupted.ts';
import { snakeCase } from '../claims/snake-case.ts';
import type { ControllerContext } from '../context.ts';
import { CLAIMS, type Claim } from '../lifecycle/claim-patch.ts';
import type { ClaimBody } from '../provisioning/claim-body.ts';
import type { CandidateRecord, CommandRecord } from './command-record.ts';

export type Outcome = 'succeeded' | 'failed';

/** Called when a command ends. `blamesPool`: it failed because a replacement failed. */
export type OnEnded = (
  record: CommandRecord,
  outcome: Outcome,
  why: string | undefined,
  blamesPool: boolean,
) => void;

const WAITING_DEDUPE_MS = 10 * 60_000;

export class ExecutionReporter {
  readonly #context: ControllerContext;
  readonly #onEnded: OnEnded;
  readonly #disrupted: CountDisrupted;
  readonly #unhealthy: ReturnType<typeof unhealthyCounter>;
  readonly #terminateFirst: Counter;
  readonly #created: Counter;
  readonly #decisions: Counter;
  readonly #decisionsByPool: Counter;
  readonly #failures: Counter;

  constructor(context: ControllerContext, onEnded: OnEnded) {
    const { metrics } = context.world;
    this.#context = context;
    this.#onEnded = onEnded;
    this.#disrupted = disruptedCounter(context);
    this.#unhealthy = unhealthyCounter(context);
    this.#terminateFirst = metrics.counter({
      name: 'karpenter_voluntary_disruption_terminate_first_decisions_total',
      help: 'Disruption commands that delete a node before its replacement exists, by the reason for it.',
      labels: ['nodepool', 'reason', 'terminate_first_reason'],
    });
    this.#created = metrics.counter({
      name: 'karpenter_nodeclaims_created_total',
      help: 'NodeClaims that were created.',
      labels: ['reason', 'nodepool', 'min_values_relaxed'],
    });
    this.#decisions = metrics.counter({
      name: 'karpenter_voluntary_disruption_decisions_total',
      help: 'Disruption commands that were begun, by decision, reason and kind of consolidation.',
      labels: ['decision', 'reason', 'consolidation_type'],
    });
    this.#decisionsByPool = metrics.counter({
      name: 'karpenter_voluntary_disruption_decisions_by_nodepool_total',
      help: 'Disruption commands that were begun, by NodePool of the disrupted nodes.',
      labels: ['nodepool', 'decision', 'reason', 'consolidation_type'],
    });
    this.#failures = metrics.counter({
      name: 'karpenter_voluntary_disruption_queue_failures_total',
      help: 'Replacements that were not initialized when their disruption command failed.',
      labels: ['decision', 'reason', 'consolidation_type'],
    });
  }

  started(command: Command, id: string): void {
    this.#context.world.log.info('disrupting node(s)', {
      command: commandLogText(command),
      'command-id': id,
      reason: command.reason,
      decision: command.decision,
      'disrupted-node-count': command.candidates.length,
      'replacement-node-count': command.replacements.length,
      'pod-count': command.podsMoved,
      savingPerHour: Number(command.savingPerHour.toFixed(5)),
    });
  }

  /** The command is in progress: its nodes are marked and its replacements exist. */
  performed(record: CommandRecord): void {
    const { terminateFirst } = record;
    this.#decisions.add(1, labelsOf(record));
    for (const nodepool of new Set(record.candidates.map(({ nodePool }) => nodePool))) {
      this.#decisionsByPool.add(1, { nodepool, ...labelsOf(record) });
      if (terminateFirst !== undefined)
        this.#terminateFirst.add(1, {
          nodepool,
          reason: record.reason.toLowerCase(),
          terminate_first_reason: terminateFirst,
        });
    }
  }

  /** Its pods are evicted as those of a node that is deleted, and the node stays. */
  rebooting(record: CommandRecord, claim: Claim): void {
    this.performed(record);
    this.#count(record, claim, '');
  }

  created(record: CommandRecord, { metadata }: ClaimBody): void {
    const nodepool = metadata.labels?.[KarpenterLabel.nodePool] ?? '';
    const relaxed = metadata.annotations?.[KarpenterAnnotation.minValuesRelaxed] ?? 'false';
    this.#created.add(1, { reason: record.reason.toLowerCase(), nodepool, min_values_relaxed: relaxed });
    this.#context.world.log.info('nodeclaim created', {
      nodeclaim: metadata.name,
      nodepool,
      'command-id': record.id,
      reason: record.reason,
    });
  }

  launching({ reason }: CommandRecord, claim: Claim): void {
    this.#publish(claim, 'DisruptionLaunching', `Launching NodeClaim: ${reason}`, [
      claim.metadata.uid,
      reason,
    ]);
  }

  waiting(claim: Claim): void {
    const message = 'Waiting on readiness to continue disruption';
    this.#publish(
      claim,
      'DisruptionWaitingReadiness',
      message,
      [claim.metadata.uid, message],
      WAITING_DEDUPE_MS,
    );
  }

  /** The workload is restarted: its pods move by its own rolling update. */
  rolling({ id }: CommandRecord, owner: SurgeOwner, claims: readonly Claim[]): void {
    const message = `Rolling ${ownerText(owner)} to continue disruption`;
    for (const claim of claims)
      this.#publish(claim, 'DisruptionRolling', message, [claim.metadata.uid, message]);
    this.#context.world.log.info('workload restarted, so that its pods leave their node', {
      workload: ownerText(owner),
      'command-id': id,
    });
  }

  terminating(record: CommandRecord, claim: Claim, node: Stored<Node> | undefined): void {
    const { reason, method } = record;
    const event = { type: 'Normal', reason: 'DisruptionTerminating' } as const;
    if (node !== undefined)
      this.#context.events.publish({
        ...event,
        resource: NODES,
        object: node,
        message: `Disrupting Node: ${reason}`,
        dedupeValues: [node.metadata.uid, reason],
      });
    const message = `Disrupting NodeClaim: ${reason}`;
    this.#publish(claim, event.reason, message, [claim.metadata.uid, reason]);
    const pool = this.#context.stores.pools.store.get({
      name: claim.metadata.labels?.[KarpenterLabel.nodePool] ?? '',
    });
    const policy =
      methodNamed(method).consolidationType === '' ? '' : pool?.spec.disruption?.consolidationPolicy;
    this.#count(record, claim, snakeCase(policy ?? ''));
  }

  released({ id }: CommandRecord, { node }: CandidateRecord): void {
    this.#context.world.log.info('node is no longer empty and is not disrupted', { node, 'command-id': id });
  }

  failed(record: CommandRecord, uninitialized: number, why: string): void {
    this.#failures.add(uninitialized, labelsOf(record));
    this.#context.world.log.error('disruption command failed and was rolled back', {
      'command-id': record.id,
      nodes: record.candidates.map(({ node }) => node),
      why,
    });
  }

  ended(record: CommandRecord, outcome: Outcome, why: string | undefined, blamesPool = false): void {
    if (outcome === 'succeeded')
      this.#context.world.log.info('disruption command succeeded', { 'command-id': record.id });
    this.#onEnded(record, outcome, why, blamesPool);
  }

  #count({ reason, condition, drainBoundMs }: CommandRecord, claim: Claim, policy: string): void {
    const mode = drainBoundMs === undefined ? terminationMode(claim) : modeOf(drainBoundMs);
    this.#disrupted(claim, reason.toLowerCase(), policy, mode);
    if (condition !== undefined) this.#unhealthy(claim, condition, mode);
  }

  #publish(
    object: Claim,
    reason: string,
    message: string,
    dedupeValues: readonly string[],
    dedupeMs?: number,
  ): void {
    this.#context.events.publish({
      resource: CLAIMS,
      object,
      type: 'Normal',
      reason,
      message,
      dedupeValues,
      ...(dedupeMs === undefined ? {} : { dedupeMs }),
    });
  }
}

// ---------------------------------------------------------------------------------------------------

function labelsOf({ decision, reason, method }: CommandRecord) {
  return {
    decision,
    reason: reason.toLowerCase(),
    consolidation_type: methodNamed(method).consolidationType,
  };
}
