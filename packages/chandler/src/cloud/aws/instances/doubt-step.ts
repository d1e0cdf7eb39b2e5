/**
 * One step of a launch that may have its instance already: requested by a process that is gone, with an answer that was lost,
 * or named by the claim. It is searched for. Only what EC2 has not received can be requested again, and EC2 itself sees to
 * that: the same client token launches once.
 */
import { CloudError } from '../../index.ts';

import { classify } from '../errors/index.ts';
import { DOUBT_LIMIT_MS, dealAnswer, isAnswered, regroup } from '../launch/index.ts';
import { ownInstance } from './doubt.ts';
import type { Launch, LaunchInDoubt, LaunchPhase } from './launches.ts';
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
  const { record, refusedMs } = phase;
  const found = await parts.reader.ofToken(record.token, signal);
  const own = ownInstance({
    record,
    claimName: request.claim.metadata.name,
    found,
    knownMs: refusedMs === undefined ? 0 : nowMs - refusedMs,
  });
  if (own !== undefined) {
    trace.add(
      'fleetResult',
      'ok',
      { instance: own.id, clientToken: record.token },
      'found by its client token',
    );
    accept(launch, own, nowMs);
    return 'again';
  }
  if (refusedMs === undefined) return repeat(scope, phase);
  if (nowMs - refusedMs < DOUBT_LIMIT_MS) {
    trace.add('fleetResult', 'waiting', { clientToken: record.token }, 'an earlier request was received');
    return { retryAfterMs: SEARCH_MS };
  }
  // Lists do not lag so long: the earlier request launched nothing for this claim.
  nextAttempt(launch, record.attempt);
  return 'again';
}

/** Sends the request of the record, as well as it can be made again. EC2 repeats its answer, or says that it differs. */
async function repeat(scope: StepScope, phase: LaunchInDoubt): Promise<PhaseStep> {
  const { parts, request, launch, signal, nowMs, trace } = scope;
  const { sender } = parts;
  const claimUid = request.claim.metadata.uid;
  const { record } = phase;
  const planned = await planAndLease(scope);
  const [group] = regroup([{ claimUid, record, request: planned.plan.request }]);
  trace.add('fleetRequest', 'ok', { clientToken: record.token, instances: record.size });
  try {
    const result = await sender.call(group!.request, signal);
    const answer = dealAnswer(group!, result).answers.get(claimUid) ?? {};
    launch.attempt = record.attempt;
    sender.settle(launch, planned, sender.read(answer, planned), record.token);
    return 'again';
  } catch (error) {
    sender.giveBack(planned, undefined);
    signal.throwIfAborted();
    const { error: failure } = classify(error);
    if (failure.reason === 'LaunchInDoubt') {
      phase.refusedMs = nowMs;
      return { retryAfterMs: VISIBLE_MS };
    }
    if (isAnswered(failure)) {
      if (failure.reason === 'LaunchTemplateNotFound') parts.templates.missing(planned.lease.names);
      nextAttempt(launch, record.attempt);
    }
    throw failure;
  }
}

function nextAttempt(launch: Launch, last: number): void {
  launch.attempt = last + 1;
  launch.phase = { kind: 'idle' };
}
