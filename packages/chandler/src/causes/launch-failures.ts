/** What shows that a launch failed, or takes too long: predicates that causes of every cloud share. */
import { type Facts, type Match, seen } from './cause.ts';
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

/** A claim without an instance after the usual time; facts: claim, minutes, stage. */
export function slowLaunch(evidence: EvidenceSet): Match | undefined {
  for (const claim of evidence.liveClaims) {
    const launched = conditionOf(claim, 'Launched');
    const stage = evidence
      .all('journey')
      .find((journey) => journey.claim === claim.name)
      ?.stages.findLast(({ outcome }) => outcome === 'waiting');
    const creating = evidence
      .all('vm')
      .some((vm) => vm.claim === claim.name && vm.provisioningState === 'Creating');
    const sinceMs = stage?.atMs ?? claim.createdAtMs;
    const limitMs = stage?.name === 'vmOperation' || creating ? OPERATION_LIMIT_MS : LAUNCH_LIMIT_MS;
    const waits = launched?.status !== 'True' || creating;
    const registered = conditionOf(claim, 'Registered')?.status === 'True';
    if (!waits || registered || evidence.ageMs(sinceMs) <= limitMs) continue;
    const facts = {
      claim: claim.name,
      minutes: String(Math.floor(evidence.ageMs(sinceMs) / 60_000)),
      stage: stage?.name ?? 'the first stage',
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

// ---------------------------------------------------------------------------------------------------

const LAUNCH_LIMIT_MS = 5 * 60_000;
const OPERATION_LIMIT_MS = 10 * 60_000;
