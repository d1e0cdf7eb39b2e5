/**
 * Takes one step of a launch: asks what there is, lets `nextLaunchStep` decide, does it, and goes on while nothing
 * has to be waited for. What becomes of the claim after a failure is the caller's.
 */
import { HELD_BACK } from '../../../arm/index.ts';
import { StageTrace } from '../../../journey/index.ts';
import { CloudError, type LaunchRequest } from '../../index.ts';

import { classify } from '../errors/index.ts';
import type { AzureStage } from '../stages.ts';
import { act, discardStalePlan } from './launch-act.ts';
import {
  bestEffort,
  isRegistered,
  type LaunchContext,
  type LauncherOptions,
  type LaunchOutcome,
  launched,
  pollIntervalMs,
  StepFailure,
  THROTTLE_BUDGET_MS,
  waiting,
} from './launch-context.ts';
import { nextLaunchStep } from './launch-decision.ts';
import { LaunchLimiter } from './launch-limiter.ts';
import { observe, pollPending } from './launch-observe.ts';
import { LaunchRecords } from './launch-records.ts';
import { vmNameOf } from './names.ts';
import { type NamedVm, namedVm } from './own-vm.ts';

/** PUT NIC, PUT VM, and an answer that sends us back once: more in one step would be a circle. */
const MAX_ROUNDS = 6;

export class VmLauncher {
  readonly #options: LauncherOptions;
  readonly #memory: LaunchRecords;
  readonly #limiter: LaunchLimiter;

  constructor(options: LauncherOptions) {
    this.#options = options;
    this.#memory = new LaunchRecords(options.clock);
    this.#limiter = new LaunchLimiter(options.clock);
  }

  /** Launches that this process has in mind. */
  get inFlight(): number {
    return this.#memory.size;
  }

  forget(claimUid: string): void {
    this.#memory.forget(claimUid);
    this.#limiter.leave(claimUid);
  }

  /** @throws {CloudError} with the stages of the step. */
  async step(request: LaunchRequest, signal: AbortSignal): Promise<LaunchOutcome> {
    const { uid } = request.claim.metadata;
    const ownVm = namedVm(request.claim, this.#options.api);
    // What the limiter is for is done once there is a VM, also one that an earlier process created.
    if (isRegistered(request.claim) || (request.claim.status?.providerID ?? '') !== '')
      this.#limiter.pass(uid);
    const waitingMs = this.#limiter.enter(uid);
    if (waitingMs !== undefined)
      return { state: 'waiting', retryAfterMs: waitingMs, rateLimited: true, stages: [] };
    const context = this.#contextOf(request, ownVm, signal);
    try {
      const outcome = await run(context);
      delete context.record.throttledSinceMs;
      if (outcome.state === 'launched' && outcome.settled) this.forget(uid);
      else if (context.record.made === true) this.#limiter.pass(uid);
      return outcome;
    } catch (thrown) {
      signal.throwIfAborted();
      return this.#afterFailure(context, thrown);
    }
  }

  #contextOf(request: LaunchRequest, ownVm: NamedVm | undefined, signal: AbortSignal): LaunchContext {
    const { clock, log, readsPerSecond, api } = this.#options;
    const { metadata } = request.claim;
    const { uid } = metadata;
    // The VM that the claim names, should it have been named by another rule; else the one it would have.
    const name = ownVm?.name ?? vmNameOf(metadata.name);
    const trace = new StageTrace<AzureStage>({
      clock,
      log,
      fields: { NodeClaim: metadata.name, vm: name },
    });
    return {
      options: { ...this.#options, api: api.withSignal(signal) },
      request,
      signal,
      name,
      ownVmId: ownVm?.id,
      uid,
      record: this.#memory.of(uid),
      trace,
      // Interfaces come before the VM: only those that the limiter let through have one in flight.
      pollIntervalMs: (part) =>
        pollIntervalMs(
          part,
          part === 'networkInterface' ? this.#limiter.inside : this.#limiter.lookedAt,
          readsPerSecond,
        ),
    };
  }

  /** Throttling is waited out within the budget; everything else goes up, with the stages so far. */
  async #afterFailure(context: LaunchContext, thrown: unknown): Promise<LaunchOutcome> {
    const classified = thrown instanceof StepFailure ? thrown.classified : undefined;
    const error = classified?.error ?? (thrown instanceof CloudError ? thrown : classify(thrown).error);
    const ownLimit = error.code === HELD_BACK;
    const isSent = context.record.pending !== undefined;
    // What only our own limit holds up keeps its place: it is about to write.
    if (context.record.made === true && !ownLimit) this.#limiter.pass(context.uid);
    if (error.kind === 'Throttled' && (ownLimit || this.#withinBudget(context))) {
      const waitMs = error.advice.retry === 'after' ? error.advice.ms : context.pollIntervalMs('vm');
      const { accepted } = context.record;
      return accepted === undefined
        ? { ...waiting(context, 'vm', waitMs, error.message), rateLimited: ownLimit && !isSent }
        : launched(context, accepted, waitMs);
    }
    if (error.kind === 'CreateFailed' || error.kind === 'InsufficientCapacity' || error.kind === 'NotFound') {
      const { log, api } = context.options;
      const hopeless = classified !== undefined && classified.block === undefined;
      // Where the next attempt asks for another size, it takes the same NIC; where there is none, it is in the way.
      if (hopeless && context.record.accepted === undefined) {
        await bestEffort(log, 'a network interface', context.name, () => api.deleteNic(context.name));
      }
      // Of an extension that was replaced Azure may show no more than that it failed: it is put again.
      if (isToBePutAgain(context, error)) this.#limiter.leave(context.uid);
      else this.forget(context.uid);
    }
    // Whoever comes back after a failure waits for the limiter again: many that fail must not keep out those that would not.
    if (context.record.accepted === undefined || error.instanceFailed) this.#limiter.leave(context.uid);
    throw withStages(error, context);
  }

  #withinBudget({ record }: LaunchContext): boolean {
    const nowMs = this.#options.clock.monotonic();
    record.throttledSinceMs ??= nowMs;
    return nowMs - record.throttledSinceMs <= THROTTLE_BUDGET_MS;
  }
}

// ---------------------------------------------------------------------------------------------------

async function run(context: LaunchContext): Promise<LaunchOutcome> {
  discardStalePlan(context);
  const stillRunning = await pollPending(context);
  if (stillRunning !== undefined) return stillRunning;
  let observed = await observe(context);
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = await act(context, nextLaunchStep(observed), observed);
    if ('outcome' in next) return next.outcome;
    observed = next.observed;
  }
  return waiting(context, 'vm', undefined, 'Azure returns inconsistent states of the VM');
}

function isToBePutAgain(
  { record: { failure } }: LaunchContext,
  { kind, instanceFailed }: CloudError,
): boolean {
  return kind === 'CreateFailed' && !instanceFailed && failure?.part === 'extension' && failure.replaced;
}

function withStages(error: CloudError, { trace }: LaunchContext): CloudError {
  const { kind, message, reason, advice, code, cause, instanceFailed } = error;
  return new CloudError(kind, message, {
    reason,
    advice,
    code,
    cause,
    instanceFailed,
    stages: trace.stages,
  });
}
