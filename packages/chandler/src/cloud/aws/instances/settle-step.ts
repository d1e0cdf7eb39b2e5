/**
 * One step of an instance that EC2 has accepted, until it runs and has its tags. An instance may end while it starts: when a
 * volume cannot be attached or decrypted, or the capacity is gone after all; then EC2 gives a reason. One that was stopped
 * before its claim named it does not start again: the message about it found no claim.
 */
import { CloudError } from '../../index.ts';

import { AwsError, classify, cutMessage, HELD_BACK } from '../errors/index.ts';
import { DOUBT_LIMIT_MS } from '../launch/index.ts';
import { type InstanceFacts, isEnding, isStopped } from './instance-facts.ts';
import type { AcceptedLaunch } from './launches.ts';
import type { PhaseStep, StepScope } from './step-scope.ts';
import { addTags, missingTags } from './tagging.ts';

export async function stepAccepted(scope: StepScope, phase: AcceptedLaunch): Promise<PhaseStep> {
  const { parts, signal, nowMs, trace } = scope;
  if (phase.settled) return 'accepted';
  // The answer of CreateFleet tells enough for the claim; its status is written before anything else is asked.
  if (!phase.reported) {
    phase.reported = true;
    const { id, instanceType, zone, capacityType } = phase.facts;
    trace.add('fleetResult', 'ok', { instance: id, instanceType, zone, capacityType });
    return 'accepted';
  }
  const facts = await parts.reader.get(phase.facts.id, signal);
  if (facts === undefined) {
    if (nowMs - phase.acceptedMs < DOUBT_LIMIT_MS || parts.shifted.has(phase.facts.zone)) return 'accepted';
    throw new CloudError('NotFound', `instance ${phase.facts.id} does not exist any more`, {
      instanceFailed: true,
    });
  }
  phase.facts = facts;
  if (isEnding(facts) || isStopped(facts)) throw ended(scope, facts);
  if (!phase.tagged) await tag(scope, phase);
  if (facts.state === 'running') {
    phase.settled = true;
    trace.add('instance', 'ok', { instance: facts.id, node: facts.nodeName });
  }
  return 'accepted';
}

// ---------------------------------------------------------------------------------------------------------------

/** Without permission, and where our own rate limit is used up, the instance still is a node: the tagging controller tries again. */
async function tag({ parts, request, signal }: StepScope, phase: AcceptedLaunch): Promise<void> {
  const { deps, names } = parts;
  const { facts } = phase;
  if (facts.nodeName === undefined) return;
  const claimName = request.claim.metadata.name;
  const tags = missingTags({ facts, claimName, clusterName: deps.cluster.current().name.value });
  try {
    await addTags(deps.ec2, facts.id, tags, signal);
    phase.tagged = true;
    phase.facts = { ...facts, tags: { ...facts.tags, ...tags } };
    names.add(phase.facts);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof CloudError)) throw error;
    if (error.code === HELD_BACK) return;
    deps.world.log.warn('failed to tag instance', {
      nodeclaim: claimName,
      instance: facts.id,
      error: error.message,
    });
  }
}

function ended({ parts, trace, request }: StepScope, facts: InstanceFacts): CloudError {
  const { code = 'Unknown', message = 'EC2 gave no reason' } = facts.stateReason ?? {};
  const { row, block, aws } = classify(new AwsError({ code, message }));
  if (block?.what === 'offering') {
    const { instanceType, zone, capacityType } = facts;
    parts.deps.unavailable.mark({ instanceType, zone, capacityType }, block.ttlMs, row.reason);
  }
  const stopped = isStopped(facts);
  if (!stopped) parts.recent.terminated(facts.id);
  const own = stopped ? 'InstanceStopped' : 'InstanceTerminated';
  const reason = row.reason === 'LaunchFailed' ? own : row.reason;
  const text = cutMessage(
    `instance ${facts.id} of NodeClaim ${request.claim.metadata.name} ${stopped ? 'was stopped' : 'ended'} while it started: ${aws.text}`,
  );
  trace.add('instance', 'failed', { instance: facts.id, reason, code }, text);
  return new CloudError('CreateFailed', text, {
    reason,
    code,
    advice: { retry: 'backoff' },
    instanceFailed: true,
    stages: trace.stages,
  });
}
