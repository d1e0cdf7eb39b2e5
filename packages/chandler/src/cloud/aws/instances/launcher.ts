/**
 * One step of a launch: looks where the launch of the claim is and takes it one step further. Each way from one phase to the
 * next survives the end of the process: before a request is sent the claim keeps a record of it, and what a record names is
 * searched for before anything else is launched.
 */
import type { Stored } from '@chandler/kube';
import type { EC2NodeClass } from '../../../api/index.ts';
import { StageTrace } from '../../../journey/index.ts';
import {
  CloudError,
  type Instance,
  type LaunchRequest,
  type LaunchStep,
  unlessAborted,
} from '../../index.ts';

import { HELD_BACK } from '../errors/index.ts';
import { BATCH_LIMITS, parseLaunchRecord, tokenClaimUid } from '../launch/index.ts';
import type { AwsStage, AwsStageTrace } from '../stages.ts';
import type { AwsCloudDeps } from './aws-cloud-deps.ts';
import { nameTaken } from './claim-names.ts';
import { stepInDoubt } from './doubt-step.ts';
import type { Batch, BatchMember } from './fleet-batches.ts';
import { toInstance } from './instance.ts';
import { launchTokenOf } from './instance-facts.ts';
import { launchAnnotations, launchTypes, zoneIdOf } from './launch-plan.ts';
import type { AcceptedLaunch, Launch } from './launches.ts';
import { planAndLease } from './plan-step.ts';
import { parseProviderId } from './provider-id.ts';
import { pauseAfter, requestFailure, retryMs } from './request-failure.ts';
import { stepAccepted } from './settle-step.ts';
import { accept, type LauncherParts, type PhaseStep, type StepScope } from './step-scope.ts';
import { TAGGED_ANNOTATIONS } from './tagging.ts';

export class Launcher {
  readonly #parts: LauncherParts;

  constructor(parts: LauncherParts) {
    this.#parts = parts;
  }

  async step(request: LaunchRequest, signal: AbortSignal): Promise<LaunchStep> {
    const { launches, deps } = this.#parts;
    const { clock, log } = deps.world;
    const { name, uid } = request.claim.metadata;
    const trace = new StageTrace<AwsStage>({ clock, log, fields: { nodeclaim: name } });
    const launch = launches.of(uid, () => beginning(request, deps));
    const scope: StepScope = {
      parts: this.#parts,
      request,
      launch,
      trace,
      signal,
      nowMs: clock.monotonic(),
    };
    try {
      const step = await advance(scope);
      launch.throttled = 0;
      if (step !== 'accepted') return { state: 'waiting', ...step, stages: trace.stages };
      return launchedStep(scope, launch.phase as AcceptedLaunch);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof CloudError)) throw error;
      if (error.kind !== 'Throttled') throw withStages(error, trace);
      return throttledStep(scope, error);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** From the record until the request: the claim is read anew with its record by then, and its next write does not conflict. */
const RECORDED_MS = 25;
const OLD_AFTER_MS = 10_000;
const POLL_MS = 2_000;
const SLOW_POLL_MS = 10_000;
const SLOW_AFTER_MS = 60_000;

/** What the claim itself tells of its launch. */
function beginning(
  { claim }: LaunchRequest,
  { records, world }: Pick<AwsCloudDeps, 'records' | 'world'>,
): Pick<Launch, 'attempt' | 'claimName' | 'phase'> {
  const sinceMs = world.clock.monotonic();
  const named = parseProviderId(claim.status?.providerID);
  const record = parseLaunchRecord(records.textOf(claim) ?? '');
  const own = { claimName: claim.metadata.name, attempt: record?.attempt ?? 0 };
  if (named !== undefined) return { ...own, phase: { kind: 'named', ...named, sinceMs } };
  if (record !== undefined) return { ...own, phase: { kind: 'inDoubt', record, lastSentMs: sinceMs } };
  return { ...own, phase: { kind: 'idle' } };
}

async function advance(scope: StepScope): Promise<Exclude<PhaseStep, 'again'>> {
  const { launch } = scope;
  for (;;) {
    const { failure, phase } = launch;
    if (failure !== undefined) {
      delete launch.failure;
      launch.refusal = requestFailure(failure, launch.refusal, scope.nowMs);
      scope.trace.add(
        'fleetResult',
        'failed',
        { reason: failure.reason, code: failure.code },
        failure.message,
      );
      throw failure;
    }
    const step =
      phase.kind === 'idle'
        ? await begin(scope)
        : phase.kind === 'joined'
          ? await continueBatch(scope, phase.batch)
          : phase.kind === 'accepted'
            ? await stepAccepted(scope, phase)
            : await stepInDoubt(scope, phase);
    if (step !== 'again') return step;
  }
}

/** Plans the launch and lets it wait for others that are equal. */
async function begin(scope: StepScope): Promise<PhaseStep> {
  const { parts, request, launch, signal, nowMs } = scope;
  const { metadata } = request.claim;
  const { names, batches } = parts;
  const pause = pauseAfter(launch.refusal, nowMs);
  if (pause !== undefined) return pause;
  if (launch.attempt === 0) {
    const holder = await names.holder(metadata.name, signal);
    if (holder !== undefined) {
      if (tokenClaimUid(launchTokenOf(holder) ?? '') !== metadata.uid) throw nameTaken(metadata.name, holder);
      accept(launch, holder, nowMs);
      return 'again';
    }
  }
  const planned = await planAndLease(scope);
  const member = { claim: request.claim, attempt: launch.attempt, request: planned.plan.request };
  launch.phase = { kind: 'joined', planned, batch: batches.join(member, nowMs) };
  if (isOld(request.claim, parts.deps.world.clock.now())) await recordAlone(scope, member);
  return { retryAfterMs: BATCH_LIMITS.createFleet.idleMs };
}

/**
 * Waiting for others is not kept anywhere. A claim that should have been launched by now keeps a record of its own at once:
 * so it is launched also by processes of which none lives long enough to wait.
 */
function isOld({ metadata }: LaunchRequest['claim'], nowMs: number): boolean {
  const createdMs = Date.parse(metadata.creationTimestamp ?? '');
  return !(nowMs - createdMs < OLD_AFTER_MS);
}

async function recordAlone({ parts, launch, signal }: StepScope, member: BatchMember): Promise<void> {
  try {
    await parts.sender.recordAlone(member, signal);
  } catch (error) {
    parts.sender.abandon(member.claim.metadata.uid, launch);
    throw error;
  }
}

async function continueBatch(scope: StepScope, batch: Batch): Promise<PhaseStep> {
  const { parts, request, signal, nowMs, trace } = scope;
  const waitMs = parts.batches.waitMs(batch, nowMs);
  if (waitMs > 0) return { retryAfterMs: waitMs };
  if (batch.busy !== undefined) {
    const before = batch.failure;
    await unlessAborted(signal, batch.busy);
    if (batch.failure !== undefined && batch.failure !== before) throw batch.failure.error;
    return 'again';
  }
  if (!batch.recorded) {
    await alone(batch, parts.sender.record(batch, request.claim.metadata.uid, signal));
    return { retryAfterMs: RECORDED_MS };
  }
  const pause = pauseAfter(batch.failure, nowMs);
  if (pause !== undefined) return pause;
  const { token, members } = batch.group!;
  if (batch.failure === undefined)
    trace.add('fleetRequest', 'ok', { request: token, instances: members.length });
  await alone(batch, parts.sender.send(batch, signal));
  return 'again';
}

/** Steps of other claims of the batch wait for this one. What it throws is not theirs, but how the request failed is. */
async function alone(batch: Batch, work: Promise<void>): Promise<void> {
  batch.busy = work
    .catch(() => undefined)
    .finally(() => {
      delete batch.busy;
    });
  await work;
}

function launchedStep(scope: StepScope, phase: AcceptedLaunch): LaunchStep {
  const { trace, nowMs } = scope;
  const instance = describedInstance(scope, phase);
  if (phase.settled) return { state: 'launched', instance, settled: true, stages: trace.stages };
  const retryAfterMs = nowMs - phase.acceptedMs < SLOW_AFTER_MS ? POLL_MS : SLOW_POLL_MS;
  return { state: 'launched', instance, settled: false, retryAfterMs, stages: trace.stages };
}

function describedInstance({ parts, request }: StepScope, { facts, tagged }: AcceptedLaunch): Instance {
  const nodeClass = request.nodeClass as Stored as Stored<EC2NodeClass>;
  const { uid, name } = request.claim.metadata;
  return toInstance(facts, {
    type: typeOf(parts.deps, request, facts.instanceType),
    claim: { uid, name },
    zoneId: zoneIdOf(nodeClass, facts.zone),
    annotations: {
      ...launchAnnotations(nodeClass, parts.deps.cluster.current()),
      ...(tagged ? TAGGED_ANNOTATIONS : {}),
    },
  });
}

/** What the instance of an earlier process has is known from its type. The instance is there also without it. */
function typeOf(deps: AwsCloudDeps, request: LaunchRequest, name: string) {
  try {
    return launchTypes(deps, request).find((type) => type.name === name);
  } catch (error) {
    if (error instanceof CloudError) return undefined;
    throw error;
  }
}

function throttledStep({ launch, trace }: StepScope, error: CloudError): LaunchStep {
  const { stages } = trace;
  const rateLimited = error.code === HELD_BACK;
  if (!rateLimited) launch.throttled += 1;
  const retryAfterMs = retryMs(error, launch.throttled);
  return { state: 'waiting', retryAfterMs, rateLimited, stages };
}

function withStages(error: CloudError, { stages }: AwsStageTrace): CloudError {
  if (stages.length === 0) return error;
  const { kind, message, reason, advice, code, cause, instanceFailed } = error;
  return new CloudError(kind, message, { reason, advice, code, cause, instanceFailed, stages });
}
