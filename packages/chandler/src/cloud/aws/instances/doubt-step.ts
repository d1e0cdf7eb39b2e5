/**
 * One step of a launch that may have its instance already: requested by a process that is gone, with an answer that was lost,
 * or named by the claim. It is searched for. Only what EC2 has not received can be requested again, and EC2 itself sees to
 * that: the same client token launches once.
 *
 * A request for several claims is sent again for those that still keep its token. When all do, it is the first one, and EC2
 * repeats its answer; when some do not, they were deleted, or the process ended before all of them kept it, and then it was
 * never sent.
 */
import { CloudError } from '../../index.ts';

import { classify } from '../errors/index.ts';
import { DOUBT_LIMIT_MS, dealAnswer, isAnswered, type LaunchRecord, regroup } from '../launch/index.ts';
import { isNamed, ownInstance, sharersOf } from './doubt.ts';
import type { InstanceFacts } from './instance-facts.ts';
import type { Launch, LaunchInDoubt, LaunchPhase, PlannedLaunch } from './launches.ts';
import { planAndLease } from './plan-step.ts';
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
  { id, sinceMs }: Extract<LaunchPhase, { readonly kind: 'named' }>,
): Promise<PhaseStep> {
  const facts = await parts.reader.get(id, signal);
  if (facts !== undefined) {
    accept(launch, facts, nowMs);
    return 'again';
  }
  if (nowMs - sinceMs < DOUBT_LIMIT_MS) return { retryAfterMs: VISIBLE_MS };
  throw new CloudError('NotFound', `instance ${id} of the NodeClaim does not exist`, {
    instanceFailed: true,
  });
}

async function search(scope: StepScope, phase: LaunchInDoubt): Promise<PhaseStep> {
  const { parts, request, launch, signal, nowMs, trace } = scope;
  const { claim } = request;
  const { record, refusedMs } = phase;
  const { records } = parts.deps;
  const found = await parts.reader.ofToken(record.token, signal);
  const own = ownInstance({
    claim,
    record,
    found,
    sharers: sharersOf(claim, record, records).filter(({ uid }) => !hasInstance(scope, uid)),
    knownMs: refusedMs === undefined ? 0 : nowMs - refusedMs,
    isTaken: takenTest(scope),
  });
  if (own !== undefined) {
    trace.add('fleetResult', 'ok', { instance: own.id, request: record.token }, 'found by its client token');
    accept(launch, own, nowMs);
    return 'again';
  }
  if (refusedMs === undefined) return repeat(scope, phase);
  if (nowMs - refusedMs < DOUBT_LIMIT_MS) {
    trace.add('fleetResult', 'waiting', { request: record.token }, 'an earlier request was received');
    return { retryAfterMs: SEARCH_MS };
  }
  // Lists do not lag so long: the earlier request launched nothing for this claim.
  nextAttempt(launch, record.attempt);
  return 'again';
}

/** Another claim of this process has an instance already. */
function hasInstance({ parts, request }: StepScope, uid: string): boolean {
  return uid !== request.claim.metadata.uid && parts.launches.peek(uid)?.phase.kind === 'accepted';
}

function takenTest({ parts }: StepScope): (facts: InstanceFacts) => boolean {
  const owners = parts.launches.owners();
  const named = isNamed(parts.deps.records);
  return (facts) => owners.has(facts.id) || named(facts);
}

/** Sends the request of the record, as well as it can be made again. EC2 repeats its answer, or says that it differs. */
async function repeat(scope: StepScope, phase: LaunchInDoubt): Promise<PhaseStep> {
  const { parts, request, signal, nowMs, trace } = scope;
  const { record } = phase;
  const planned = await planAndLease(scope);
  const known = parts.answers.of(record.token);
  if (known !== undefined) return take(scope, record, planned, known);
  const sharers = sharersOf(request.claim, record, parts.deps.records);
  const [group] = regroup(
    sharers.map(({ uid }, position) => ({
      claimUid: uid,
      request: planned.plan.request,
      record: { ...record, position, size: sharers.length },
    })),
  );
  trace.add('fleetRequest', 'ok', { request: record.token, instances: sharers.length });
  try {
    const result = await parts.sender.call(group!.request, signal);
    const dealt = dealAnswer(group!, result).answers;
    parts.answers.keep(record.token, dealt, nowMs);
    return take(scope, record, planned, dealt);
  } catch (error) {
    parts.sender.giveBack(planned, undefined);
    signal.throwIfAborted();
    return refused(scope, phase, planned, classify(error).error);
  }
}

/**
 * A refusal says nothing about the request that the record is of: only when nothing was found for long enough, the next one has
 * another token. Until then the same one is used, for which EC2 launches once.
 * @throws {CloudError} unless EC2 knows the token.
 */
function refused(
  { parts, launch, nowMs }: StepScope,
  phase: LaunchInDoubt,
  { lease }: PlannedLaunch,
  error: CloudError,
): PhaseStep {
  if (error.reason === 'LaunchInDoubt') {
    phase.refusedMs = nowMs;
    return { retryAfterMs: VISIBLE_MS };
  }
  if (isAnswered(error)) {
    if (error.reason === 'LaunchTemplateNotFound') parts.templates.missing(lease.names);
    if (nowMs - phase.sinceMs >= DOUBT_LIMIT_MS) nextAttempt(launch, phase.record.attempt);
  }
  throw error;
}

function take(
  { parts, request, launch }: StepScope,
  { token, attempt }: LaunchRecord,
  planned: PlannedLaunch,
  answers: ReturnType<typeof dealAnswer>['answers'],
): PhaseStep {
  const answer = answers.get(request.claim.metadata.uid) ?? {};
  launch.attempt = attempt;
  parts.sender.settle(launch, planned, parts.sender.read(answer, planned), token);
  return 'again';
}

function nextAttempt(launch: Launch, last: number): void {
  launch.attempt = last + 1;
  launch.phase = { kind: 'idle' };
}
