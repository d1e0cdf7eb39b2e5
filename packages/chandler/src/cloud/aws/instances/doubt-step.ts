/**
 * One step of a launch that may have its instance already: requested by a process that is gone, with an answer that was lost,
 * or named by the claim. It is searched for. Only what EC2 has not received can be requested again, and EC2 itself sees to
 * that: the same client token launches once. A refusal of the repeated request says nothing about the first one.
 *
 * A request for several claims is sent again for those that still keep its token. When all do, it is the first one, and EC2
 * repeats its answer; when some do not, they were deleted, or the process ended before all of them kept it, and then it was
 * never sent.
 */
import { CloudError } from '../../index.ts';

import { classify } from '../errors/index.ts';
import {
  type DealtAnswer,
  DOUBT_LIMIT_MS,
  dealAnswer,
  isAnswered,
  isLost,
  type LaunchRecord,
  regroup,
} from '../launch/index.ts';
import { SHIFTED_RETRY_MS } from '../offerings/index.ts';
import { ownInstance, sharersOf } from './doubt.ts';
import type { Launch, LaunchInDoubt, LaunchPhase, PlannedLaunch } from './launches.ts';
import { planAndLease } from './plan-step.ts';
import { providerIdOf } from './provider-id.ts';
import type { Answers } from './repeated-requests.ts';
import { pauseAfter } from './request-failure.ts';
import { accept, type PhaseStep, type StepScope } from './step-scope.ts';

const SEARCH_MS = 5_000;
const VISIBLE_MS = 2_000;

export async function stepInDoubt(
  scope: StepScope,
  phase: Extract<LaunchPhase, { readonly kind: 'inDoubt' | 'named' }>,
): Promise<PhaseStep> {
  return phase.kind === 'named' ? findNamed(scope, phase) : search(scope, phase);
}

// ---------------------------------------------------------------------------------------------------------------

async function findNamed(
  { parts, launch, signal, nowMs }: StepScope,
  { id, zone, sinceMs }: Extract<LaunchPhase, { readonly kind: 'named' }>,
): Promise<PhaseStep> {
  const facts = await parts.reader.get(id, signal);
  if (facts !== undefined) {
    accept(launch, facts, nowMs);
    return 'again';
  }
  if (nowMs - sinceMs < DOUBT_LIMIT_MS) return { retryAfterMs: VISIBLE_MS };
  if (parts.shifted.has(zone)) return { retryAfterMs: SHIFTED_RETRY_MS };
  throw new CloudError('NotFound', `instance ${id} of the NodeClaim does not exist`, {
    instanceFailed: true,
  });
}

async function search(scope: StepScope, phase: LaunchInDoubt): Promise<PhaseStep> {
  const { parts, request, launch, signal, nowMs, trace } = scope;
  const { claim } = request;
  const { record } = phase;
  const found = await parts.reader.ofToken(record.token, signal);
  if (found.length > 0) phase.receivedMs ??= nowMs;
  const { receivedMs } = phase;
  const knownMs = nowMs - (receivedMs ?? nowMs);
  const own = ownInstance(parts, { claim, record, found, knownMs });
  if (own !== undefined) {
    trace.add('fleetResult', 'ok', { instance: own.id, request: record.token }, 'found by its client token');
    accept(launch, own, nowMs);
    return 'again';
  }
  if (phase.differs !== true || receivedMs === undefined) return repeat(scope, phase);
  if (nowMs - receivedMs < DOUBT_LIMIT_MS) {
    trace.add('fleetResult', 'waiting', { request: record.token }, 'an earlier request was received');
    return { retryAfterMs: SEARCH_MS };
  }
  // It may have launched in a zone whose instances EC2 leaves out.
  if (isShifted(scope)) return { retryAfterMs: SHIFTED_RETRY_MS };
  // Lists do not lag so long: the earlier request launched nothing for this claim.
  nextAttempt(launch, record.attempt);
  return 'again';
}

/** Sends the request of the record, as well as it can be made again. EC2 repeats its answer, or says that it differs. */
async function repeat(scope: StepScope, phase: LaunchInDoubt): Promise<PhaseStep> {
  const { parts, request, signal, nowMs, trace } = scope;
  const { record } = phase;
  const { token } = record;
  const failure = parts.repeated.failure(token);
  const pause = pauseAfter(failure, nowMs);
  if (pause !== undefined) return pause;
  const planned = await planAndLease(scope);
  const known = parts.repeated.answers(token);
  if (known !== undefined) return take(scope, record, planned, known);
  const sharers = sharersOf(request.claim, record, parts.deps.records);
  const [group] = regroup(
    sharers.map(({ uid }, position) => ({
      claimUid: uid,
      request: planned.plan.request,
      record: { ...record, position, size: sharers.length },
    })),
  );
  const lastSentMs = phase.lastSentMs;
  phase.lastSentMs = nowMs;
  try {
    const answers = await parts.repeated.send(
      token,
      async () => {
        trace.add('fleetRequest', 'ok', { request: token, instances: sharers.length });
        try {
          const result = await parts.sender.call(group!.request, signal);
          const dealt = dealAnswer(group!, result);
          await parts.sender.discard(unwantedOf(scope, record, dealt), signal);
          return dealt.answers;
        } catch (error) {
          signal.throwIfAborted();
          const said = classify(error);
          parts.sender.learn(said, planned);
          throw said.error;
        }
      },
      { before: failure, signal },
    );
    return take(scope, record, planned, answers);
  } catch (error) {
    planned.giveBack();
    signal.throwIfAborted();
    if (!(error instanceof CloudError)) throw error;
    phase.lastSentMs = isLost(error) ? parts.deps.world.clock.monotonic() : lastSentMs;
    return refused(scope, phase, error);
  }
}

/**
 * Instances that were launched for claims which are gone by the time of the answer. A claim that no longer waits may also
 * have its instance by now.
 */
function unwantedOf(
  { parts, request }: StepScope,
  record: LaunchRecord,
  { answers, surplus }: DealtAnswer,
): readonly string[] {
  const { records } = parts.deps;
  const owners = parts.launches.owners();
  const sharers = new Set(sharersOf(request.claim, record, records).map(({ uid }) => uid));
  const others = [...answers].flatMap(([uid, { Instances = [] }]) => (sharers.has(uid) ? [] : Instances));
  const unwanted = others.flatMap(({ InstanceIds = [], LaunchTemplateAndOverrides }) => {
    const zone = LaunchTemplateAndOverrides?.Overrides?.AvailabilityZone;
    if (zone === undefined) return [];
    return InstanceIds.filter(
      (id) => !owners.has(id) && records.ownerOf(providerIdOf({ zone, id })) === undefined,
    );
  });
  return [...surplus, ...unwanted];
}

/** @throws {CloudError} unless EC2 knows the token. */
function refused(scope: StepScope, phase: LaunchInDoubt, error: CloudError): PhaseStep {
  const { launch, nowMs } = scope;
  if (error.reason === 'LaunchInDoubt') {
    phase.differs = true;
    phase.receivedMs ??= nowMs;
    return { retryAfterMs: VISIBLE_MS };
  }
  // Refused is this request. Of an earlier one EC2 would show the instance by then.
  if (isAnswered(error) && nowMs - phase.lastSentMs >= DOUBT_LIMIT_MS && !isShifted(scope))
    nextAttempt(launch, phase.record.attempt);
  throw error;
}

function take(
  { parts, request, launch }: StepScope,
  { token, attempt }: LaunchRecord,
  planned: PlannedLaunch,
  answers: Answers,
): PhaseStep {
  const answer = answers.get(request.claim.metadata.uid) ?? {};
  launch.attempt = attempt;
  parts.sender.settle(launch, planned, parts.sender.read(answer, planned), token);
  return 'again';
}

/** Whether EC2's lists may leave out instances of a zone. */
function isShifted({ parts }: StepScope): boolean {
  return parts.deps.zonalShift.zones().length > 0;
}

function nextAttempt(launch: Launch, last: number): void {
  launch.attempt = last + 1;
  launch.phase = { kind: 'idle' };
}
