/**
 * Executes commands: marks the nodes, launches their replacements, waits until these are initialized, and deletes the
 * NodeClaims; or rolls back. Every step can be repeated, and what is done is seen in the cluster, so that a new leader
 * continues where the last one ended. `disruption/` decides what is executed, `termination/` drains.
 */
import { Controller, itemBackoff, type Node, type Result, type Stored } from '@chandler/kube';
import { type Command, isEmptyCost, rescheduleCost } from '../../disruption/index.ts';
import type { Pod as PlannerPod } from '../../scheduling/index.ts';
import { conditionOf, failedToBootstrap } from '../../state/index.ts';
import { isRefusal } from '../claims/claim-refusals.ts';
import { type ControllerContext, type ReconcileScope, scopeOf, workers } from '../context.ts';
import { CLAIMS } from '../lifecycle/claim-patch.ts';
import { staticPoolNamed } from '../static/static-pool.ts';
import { changedCandidate } from './changed-candidate.ts';
import { hasBegun } from './command-progress.ts';
import { type CandidateRecord, recordOf, recordText } from './command-record.ts';
import { commandTimeoutMs } from './command-timeout.ts';
import { isOurs } from './disruption-input.ts';
import type { ExecutionReporter } from './execution-reporter.ts';
import { expectPods, keepNominated, markForDeletion, unmarkForDeletion } from './expected-pods.ts';
import { clearMarks, markClaim, removeClaim, taintNode } from './marks.ts';
import { noteMoves } from './note-moves.ts';
import { passOptions } from './pass-options.ts';
import { requestReboot } from './reboot-request.ts';
import { replacementBodies } from './replacement-bodies.ts';
import { type LaunchesHeld, ReplacementLauncher } from './replacement-launcher.ts';
import {
  findCommands,
  type RunningCommand,
  RunningCommands,
  type StayingClaim,
  stayingClaims,
  stayingOf,
  uninitialized,
} from './running-command.ts';
import { SURGE_LIMIT_MS, SurgeRollout } from './surge-rollout.ts';
import { UnwritableNodes } from './unwritable-nodes.ts';

const POLL_MS = 1_000;
/** How long the deletion of replacements that the API server refuses is tried again. */
const REFUSED_MS = 5 * 60_000;
const HELD_MS = 5_000;
/** Longer than it takes until a minute allows another launch. */
const HELD_LIMIT_MS = 90_000;
/** What was validated is no longer known after this time. */
const START_LIMIT_MS = 60_000;

export class Execution {
  readonly controller: Controller;
  readonly running: RunningCommands;
  readonly #context: ControllerContext;
  readonly #reporter: ExecutionReporter;
  readonly #launcher: ReplacementLauncher;
  readonly unwritable: UnwritableNodes;
  readonly rollout: SurgeRollout;

  constructor(context: ControllerContext, reporter: ExecutionReporter) {
    this.#context = context;
    this.running = new RunningCommands(context.cluster.exchanges);
    this.#reporter = reporter;
    this.#launcher = new ReplacementLauncher(context, reporter);
    this.unwritable = new UnwritableNodes(context.world.clock);
    this.rollout = new SurgeRollout(context, reporter);
    this.controller = new Controller({
      name: 'disruption.queue',
      world: context.world,
      concurrency: workers(context.settings.cpuRequests, 20, 200),
      limiter: itemBackoff({ baseMs: 1_000, maxMs: 10_000 }),
      reconcile: (id, run) => this.#reconcile(id, scopeOf(context, run)),
    });
  }

  /** Takes over the commands of the leader before. */
  recover(): void {
    const { stores, world } = this.#context;
    const { unfinished, halfMarked, done } = findCommands(stores, (claim) => isOurs(this.#context, claim));
    for (const record of unfinished) {
      if (world.clock.now() - record.startedAtMs > START_LIMIT_MS && !hasBegun(this.#context, record)) {
        this.running.add(record, undefined, 'rollingBack').failure = 'it was marked and not begun in time';
        this.controller.enqueue(record.id);
        continue;
      }
      world.log.info('disruption command continued', { command: record.id });
      this.running.add(record, undefined);
      this.controller.enqueue(record.id);
    }
    for (const record of halfMarked) {
      this.running.add(record, undefined, 'rollingBack').failure = 'the controller ended while it began';
      this.controller.enqueue(record.id);
    }
    for (const record of done) this.#reporter.ended(record, 'succeeded', undefined);
  }

  /** Counts at once; the marks are written in the background. Returns why it cannot be started, or what holds it. */
  start(command: Command): string | LaunchesHeld | undefined {
    const { cluster, world } = this.#context;
    const candidates: CandidateRecord[] = [];
    let why = 'the API server refuses to mark its nodes';
    for (const { name, claim, nodePool } of command.candidates) {
      const uid = cluster.nodeOfClaim(claim)?.claim?.metadata.uid;
      const changed =
        uid === undefined
          ? `node ${name} is gone`
          : changedCandidate(this.#context, this.running, command, name, claim);
      if (uid !== undefined && changed === undefined) {
        if (!this.unwritable.has(uid)) candidates.push({ node: name, claim, uid, nodePool });
        else if (command.replacements.length > 0) return why;
        continue;
      }
      why = changed ?? why;
      // Empty nodes do not depend on each other.
      if (command.method !== 'emptiness') return why;
    }
    if (candidates.length === 0) return why;
    const startedAtMs = world.clock.now();
    const id = `${command.key}-${startedAtMs.toString(36)}`;
    const replacements = replacementBodies(this.#context, command, id);
    if (typeof replacements === 'string') return replacements;
    const refused = this.#launcher.refusedPod(command);
    if (refused !== undefined) return refused;
    const reserved = this.#launcher.reserve(command);
    if (typeof reserved !== 'number') return reserved;
    const record = recordOf(command, { id, startedAtMs, candidates, replacements });
    const phase = command.decision === 'reboot' ? 'rebooting' : 'marking';
    this.running.add(record, command, phase).reserved = reserved;
    this.#reporter.started(command, id);
    this.controller.enqueue(id);
    return undefined;
  }

  async #reconcile(id: string, scope: ReconcileScope): Promise<Result> {
    const running = this.running.get(id);
    if (running === undefined) return {};
    const { world, stores } = scope;
    // What is not known must not be acted upon; the marks stay.
    if (stores.failing().length > 0) return { requeueAfterMs: POLL_MS };
    const ageMs = world.clock.now() - running.record.startedAtMs;
    const early = running.phase === 'marking' || running.phase === 'rebooting';
    const late = early && running.planned !== undefined && ageMs > START_LIMIT_MS;
    const rollMs = running.record.rolledAtMs === undefined ? 0 : SURGE_LIMIT_MS + POLL_MS;
    const tooLong = ageMs > commandTimeoutMs(this.running.candidates) + rollMs;
    if (running.phase !== 'rollingBack' && (late || tooLong))
      this.#fail(
        running,
        `not finished after ${Math.round(ageMs / 1000)} s`,
        running.phase === 'waiting' && uninitialized(this.#context.stores, running.record).length > 0,
      );
    for (;;) {
      const result = await this.#step(scope, running);
      if (result !== undefined) return result;
    }
  }

  /** Undefined: go on with the next phase. */
  async #step(scope: ReconcileScope, running: RunningCommand): Promise<Result | undefined> {
    switch (running.phase) {
      case 'rebooting':
        return this.#reboot(scope, running);
      case 'marking':
        return this.#mark(scope, running);
      case 'launching':
        return this.#launch(scope, running);
      case 'waiting':
        return this.#awaitReplacements(scope, running);
      case 'rolling':
        return this.#roll(scope, running);
      case 'deleting':
        return this.#delete(scope, running).catch((error: unknown) => {
          // A refused deletion may be tried again for minutes: a replacement may be gone by then.
          running.phase = 'waiting';
          throw error;
        });
      case 'rollingBack':
        return this.#rollBack(scope, running);
    }
  }

  /** The request is all: the claim says how far the reboot is. */
  async #reboot(scope: ReconcileScope, running: RunningCommand): Promise<Result | undefined> {
    const { record } = running;
    if (this.#lacksCandidates(running)) return undefined;
    for (const { claim } of stayingClaims(scope.stores, record)) {
      // The answer to an earlier request was lost.
      if (conditionOf(claim, 'Rebooting')?.status === 'True') continue;
      await requestReboot(scope, claim, record);
      this.#reporter.rebooting(record, claim);
    }
    this.running.remove(running);
    this.#reporter.ended(record, 'succeeded', 'the reboot was requested');
    return {};
  }

  async #mark(scope: ReconcileScope, running: RunningCommand): Promise<Result | undefined> {
    const { record } = running;
    if (this.#lacksCandidates(running)) return undefined;
    const text = recordText(record);
    const staying = () => stayingOf(scope.stores, running);
    await this.#each(scope, running, staying(), ({ claim }) => markClaim(scope, claim, record.reason, text));
    if (running.failure !== undefined) return undefined;
    await this.#each(scope, running, staying(), async ({ candidate }) => {
      const node = this.#nodeOf(candidate);
      if (node !== undefined) await taintNode(scope, node);
    });
    if (running.failure !== undefined) return undefined;
    if (running.released.size === record.candidates.length) this.#fail(running, 'no node could be marked');
    else running.phase = 'launching';
    return undefined;
  }

  /**
   * Of a command that launches nothing, a node whose marks the API server refuses stays and the others go on; one that
   * launches nodes fails. Any other error ends the attempt, after all nodes had their turn.
   */
  async #each(
    scope: ReconcileScope,
    running: RunningCommand,
    staying: readonly StayingClaim[],
    mark: (one: StayingClaim) => Promise<void>,
  ): Promise<void> {
    const errors: unknown[] = [];
    const work = staying.map((one) =>
      mark(one).catch(async (error: unknown) => {
        scope.signal.throwIfAborted();
        if (!isRefusal(error)) {
          errors.push(error);
          return;
        }
        const { node } = one.candidate;
        this.unwritable.note(one.candidate.uid);
        scope.world.log.error('a node cannot be marked for disruption, and stays', { node, error });
        if (running.record.replacements.length > 0) {
          this.#fail(running, `the API server refuses to mark node ${node}`);
          return;
        }
        // What cannot be removed now is removed as a mark of no command.
        await clearMarks(scope, one.claim, this.#nodeOf(one.candidate)).catch(() => undefined);
        this.running.release(running, one.candidate.claim);
      }),
    );
    await Promise.all(work);
    if (errors.length > 0) throw errors[0];
  }

  async #launch(scope: ReconcileScope, running: RunningCommand): Promise<Result | undefined> {
    const { record } = running;
    if (this.#lacksCandidates(running)) return undefined;
    // The controller of static pools must not see one node too many.
    if (record.candidates.some(({ nodePool }) => staticPoolNamed(scope, nodePool) !== undefined))
      markForDeletion(this.#context, running);
    for (const body of record.replacements) {
      const launch = await this.#launcher.create(scope, running, body);
      if (launch.outcome === 'held') return this.#hold(running, launch.why);
      running.heldSinceMs = undefined;
      if (launch.outcome === 'exists') continue;
      this.#fail(running, launch.why, launch.blamesPool);
      return undefined;
    }
    // Not before: provisioning would launch nodes for the same pods.
    markForDeletion(this.#context, running);
    expectPods(this.#context, running);
    noteMoves(this.#context, running.record);
    if (running.planned !== undefined) this.#reporter.performed(record);
    running.phase = 'waiting';
    return undefined;
  }

  /** Its nodes are marked and get no pods: it does not wait for long. */
  #hold(running: RunningCommand, why: string): Result | undefined {
    const nowMs = this.#context.world.clock.monotonic();
    running.heldSinceMs ??= nowMs;
    if (nowMs - running.heldSinceMs <= HELD_LIMIT_MS) return { requeueAfterMs: HELD_MS };
    this.#fail(running, why);
    return undefined;
  }

  async #awaitReplacements(scope: ReconcileScope, running: RunningCommand): Promise<Result | undefined> {
    const { record, launched } = running;
    let waits = false;
    for (const { metadata } of record.replacements) {
      const { name } = metadata;
      const stored = scope.stores.claims.store.get({ name });
      // Before anything is deleted the server is asked: the store may be old.
      const asks = stored === undefined || conditionOf(stored, 'Initialized')?.status === 'True';
      const claim = asks ? await scope.client.find(CLAIMS, { name }) : stored;
      const lost =
        claim === undefined || claim.metadata.deletionTimestamp !== undefined || failedToBootstrap(claim);
      if (lost) {
        this.#fail(running, `replacement ${name} failed to launch, or was deleted`, true);
        return undefined;
      }
      if (!launched.has(name)) this.#reporter.launching(record, claim);
      launched.add(name);
      if (conditionOf(claim, 'Initialized')?.status === 'True') continue;
      this.#reporter.waiting(claim);
      waits = true;
    }
    if (waits) return { requeueAfterMs: POLL_MS };
    running.phase = 'rolling';
    return undefined;
  }

  /** Pods that must not be evicted leave before the nodes are deleted. */
  async #roll(scope: ReconcileScope, running: RunningCommand): Promise<Result | undefined> {
    const step = await this.rollout.step(scope, running);
    if (step === 'waits') return { requeueAfterMs: POLL_MS };
    if (step === 'done') running.phase = 'deleting';
    else this.#fail(running, step.failure);
    return undefined;
  }

  async #delete(scope: ReconcileScope, running: RunningCommand): Promise<Result | undefined> {
    const { record, terminated, released } = running;
    const left = stayingOf(scope.stores, running);
    noteMoves(this.#context, running.record);
    keepNominated(this.#context, running);
    for (const { candidate, claim } of left) {
      if (record.method !== 'emptiness' || !this.#hasPods(candidate)) continue;
      // A pod was bound before the taint was seen.
      unmarkForDeletion(this.#context, candidate);
      await clearMarks(scope, claim, this.#nodeOf(candidate));
      this.running.release(running, candidate.claim);
      this.#reporter.released(record, candidate);
    }
    await Promise.all(
      left
        .filter(({ candidate }) => !released.has(candidate.claim))
        .map(async ({ candidate, claim }) => {
          const node = this.#nodeOf(candidate);
          await removeClaim(scope, claim);
          if (!terminated.has(candidate.claim)) this.#reporter.terminating(record, claim, node);
          terminated.add(candidate.claim);
        }),
    );
    this.rollout.end(running);
    this.running.remove(running);
    const gone = record.candidates.length - released.size;
    this.#reporter.ended(record, gone > 0 ? 'succeeded' : 'failed', gone > 0 ? undefined : 'pods were bound');
    return {};
  }

  async #rollBack(scope: ReconcileScope, running: RunningCommand): Promise<Result> {
    const { record, failure } = running;
    const errors: unknown[] = [];
    const collect = (error: unknown) => {
      scope.signal.throwIfAborted();
      errors.push(error);
    };
    // Before the marks: they are all that a new leader knows the replacements by.
    const refused = await this.#launcher.cancel(scope, record);
    for (const { candidate, claim } of stayingClaims(scope.stores, record)) {
      unmarkForDeletion(this.#context, candidate);
      await clearMarks(scope, claim, this.#nodeOf(candidate)).catch(collect);
    }
    // One node that cannot be written must not keep the others; marks of no command are removed later.
    const other = errors.find((error) => !isRefusal(error));
    if (other !== undefined) throw other;
    // The nodes are free by now. Replacements that cannot be deleted at first are tried again for some time.
    running.refusedAtMs ??= refused === undefined ? undefined : scope.world.clock.monotonic();
    if (refused !== undefined && scope.world.clock.monotonic() - running.refusedAtMs! < REFUSED_MS)
      throw refused;
    this.rollout.end(running);
    this.running.remove(running);
    this.#context.moves.forget(record.id);
    this.#reporter.failed(record, uninitialized(scope.stores, record).length, failure ?? '');
    this.#reporter.ended(record, 'failed', failure, running.blamesPool);
    return {};
  }

  /** Replacements are for all candidates: without one of them the command is another one. Returns whether it ended. */
  #lacksCandidates(running: RunningCommand): boolean {
    const { record } = running;
    const missing = record.candidates.length - stayingClaims(this.#context.stores, record).length;
    // After a restart replacements may exist already, and deletions may have begun.
    const given = running.planned !== undefined;
    if (missing === record.candidates.length || (given && missing > 0 && record.replacements.length > 0))
      this.#fail(running, `${missing} of ${record.candidates.length} nodes are gone`);
    return running.phase === 'rollingBack';
  }

  /** @param blamesPool a replacement failed: further ones of its pool wait. */
  #fail(running: RunningCommand, why: string, blamesPool = false): void {
    running.failure = why;
    running.blamesPool = blamesPool;
    running.phase = 'rollingBack';
    this.#launcher.release(running);
  }

  #nodeOf({ claim }: CandidateRecord): Stored<Node> | undefined {
    return this.#context.cluster.nodeOfClaim(claim)?.node;
  }

  #hasPods({ claim }: CandidateRecord): boolean {
    const { cluster } = this.#context;
    const node = cluster.nodeOfClaim(claim);
    if (node === undefined) return false;
    // As the plan judged it: pods with a cost of 0 or less do not keep a node.
    const cost = rescheduleCost(cluster.podsOn(node) as readonly PlannerPod[], passOptions(this.#context));
    return !isEmptyCost(cost);
  }
}
