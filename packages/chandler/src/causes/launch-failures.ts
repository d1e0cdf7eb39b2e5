/** What shows that a launch failed, or takes too long: predicates that causes of every cloud share. */
import { type Facts, type Match, seen } from './cause.ts';
import type { JourneyStage, NodeClaimEvidence } from './evidence.ts';
import { conditionOf, type EvidenceSet } from './evidence-set.ts';

/** The start of the message when no offering is left for a NodeClaim. The phrase is Karpenter's; `why` recognises it. */
export const NO_INSTANCE_TYPES = 'no instance types available';

/** The first refused launch with a matching reason, by the error itself or by the Launched condition of the claim. */
export function refusedLaunch(
  evidence: EvidenceSet,
  fits: (reason: string) => boolean,
  more: Facts = {},
): Match | undefined {
  const error = evidence.all('cloudError').find(({ reason }) => fits(reason));
  if (error !== undefined) {
    const { claim, reason, code, message } = error;
    const facts = { claim, reason, problem: message, ...(code === undefined ? {} : { code }), ...more };
    return { facts, seen: [seen(error, `${reason}${code === undefined ? '' : ` (${code})`}: ${message}`)] };
  }
  for (const claim of evidence.liveClaims) {
    const launched = conditionOf(claim, 'Launched');
    const reason = launched?.reason ?? 'AwaitingReconciliation';
    if (
      launched === undefined ||
      launched.status === 'True' ||
      reason === 'AwaitingReconciliation' ||
      !fits(reason)
    )
      continue;
    const problem = launched.message ?? '';
    const facts = { claim: claim.name, reason, problem, ...more };
    return { facts, seen: [seen(claim, `Launched is ${launched.status}, ${reason}: ${problem}`)] };
  }
  return undefined;
}

/**
 * A claim without an instance after the usual time, and a launch that was begun; facts: claim, minutes, stage, and the
 * stage in words.
 */
export function slowLaunch(evidence: EvidenceSet): Match | undefined {
  for (const claim of evidence.liveClaims) {
    const launched = conditionOf(claim, 'Launched');
    const stages = stagesOf(evidence, claim);
    const stage = stages.findLast(({ outcome }) => outcome === 'waiting');
    const creating = evidence
      .all('vm')
      .some((vm) => vm.claim === claim.name && vm.provisioningState === 'Creating');
    if (isUntouched(evidence, claim)) continue;
    const sinceMs = stage?.atMs ?? claim.createdAtMs;
    const limitMs = stage?.name === 'vmOperation' || creating ? OPERATION_LIMIT_MS : LAUNCH_LIMIT_MS;
    const waits = launched?.status !== 'True' || creating;
    const registered = conditionOf(claim, 'Registered')?.status === 'True';
    if (!waits || registered || evidence.ageMs(sinceMs) <= limitMs) continue;
    const facts = {
      claim: claim.name,
      minutes: String(Math.floor(evidence.ageMs(sinceMs) / 60_000)),
      stage: stage?.name ?? '',
      where: whereText(stage?.name, stages.at(-1)?.name, creating),
    };
    return {
      facts,
      seen: [
        seen(
          claim,
          `Launched has been ${launched?.status ?? 'absent'} since ${new Date(sinceMs).toISOString()}`,
        ),
      ],
    };
  }
  return undefined;
}

/** A claim that should be launched by now, and nothing shows that a controller has begun; facts: claim, minutes. */
export function untouchedClaim(evidence: EvidenceSet): Match | undefined {
  // Whoever gets errors from the cloud launches, and comes to the other claims later.
  if (evidence.all('cloudError').length > 0) return undefined;
  const claim = evidence.liveClaims.find(
    (each) => isUntouched(evidence, each) && evidence.ageMs(each.createdAtMs) > LAUNCH_LIMIT_MS,
  );
  if (claim === undefined) return undefined;
  const minutes = String(Math.floor(evidence.ageMs(claim.createdAtMs) / 60_000));
  const { status = 'absent', reason = '' } = conditionOf(claim, 'Launched') ?? {};
  const what = `Launched is ${status}${reason === '' ? '' : `, ${reason}`}; no launch record`;
  const match = { facts: { claim: claim.name, minutes }, seen: [seen(claim, what)] };
  if (claim.conditions.length > 0) return { ...match, ...WAITS_FOR_LAUNCH };
  return isWorkedSince(evidence, claim) ? { ...match, weight: 'suspicious' } : match;
}

// ---------------------------------------------------------------------------------------------------

function stagesOf(evidence: EvidenceSet, { name }: NodeClaimEvidence): readonly JourneyStage[] {
  return evidence.all('journey').find(({ claim }) => claim === name)?.stages ?? [];
}

/** No stage of a launch, no VM, and a condition that nobody has written since the claim was created. */
function isUntouched(evidence: EvidenceSet, claim: NodeClaimEvidence): boolean {
  const { status, reason = '' } = conditionOf(claim, 'Launched') ?? {};
  return (
    status !== 'True' &&
    (reason === '' || reason === 'AwaitingReconciliation') &&
    stagesOf(evidence, claim).length === 0 &&
    !evidence.all('vm').some((vm) => vm.claim === claim.name && vm.found)
  );
}

/** A controller has changed other claims since this one was created: what it reports about them says more. */
function isWorkedSince(evidence: EvidenceSet, { name, createdAtMs }: NodeClaimEvidence): boolean {
  return evidence
    .all('nodeClaim')
    .some(
      (other) =>
        other.name !== name &&
        (other.conditions.some(({ lastTransitionTime }) => Date.parse(lastTransitionTime) > createdAtMs) ||
          stagesOf(evidence, other).some(({ atMs }) => atMs > createdAtMs)),
    );
}

function whereText(waiting: string | undefined, last: string | undefined, creating: boolean): string {
  if (waiting !== undefined) return `, at ${waiting}`;
  if (creating) return ': its VM is Creating';
  return last === undefined ? '' : `, after ${last}`;
}

/** A controller writes the conditions when it sees the claim for the first time. It may have many others to launch before. */
const WAITS_FOR_LAUNCH = {
  weight: 'suspicious',
  title: 'The NodeClaim waits for its launch',
  summary:
    '{claim} has been waiting for its launch for {minutes} minutes: a controller has seen it, and there is no launch record, no error and no VM.',
  fix: 'Check that the controller runs, that it is the leader, and what its log says about the NodeClaim. With hundreds of launches at once this is normal: the controller limits how many run, and the others wait.',
} as const;

const LAUNCH_LIMIT_MS = 5 * 60_000;
const OPERATION_LIMIT_MS = 10 * 60_000;
