/** What the Kubernetes scheduler wrote about a pod that it cannot place. */
import type { Match } from './cause.ts';
import { conditionOf, type EvidenceSet, isTrue } from './evidence-set.ts';
import { podNames } from './pod-start.ts';
import { waitingPod } from './pod-state.ts';

/** Its newest event. Only without a plan: the scheduler knows existing nodes, and nothing of NodePools. */
export function schedulerRefusal(evidence: EvidenceSet, says: RegExp): Match | undefined {
  const pod = waitingPod(evidence);
  if (pod === undefined || evidence.first('plan') !== undefined || pod.nominatedNodeName !== undefined)
    return undefined;
  const event = evidence.events(`Pod/${pod.name}`, 'FailedScheduling').at(-1);
  if (event === undefined || !says.test(event.message) || event.lastMs < usableMs(evidence)) return undefined;
  return {
    ...(isPlanWithheld(evidence) ? { weight: 'suspicious' as const } : {}),
    facts: { ...podNames(pod), problem: event.message },
    seen: [{ where: event.object, what: `FailedScheduling: ${event.message}`, atMs: event.lastMs }],
  };
}

// ---------------------------------------------------------------------------------------------------

/** A NodePool may take it, and whether it launches a node is not known: nodes or NodeClaims could not be read. */
function isPlanWithheld(evidence: EvidenceSet): boolean {
  const isUnread = evidence.couldNotRead('nodeClaim') || evidence.couldNotRead('node');
  return isUnread && evidence.all('nodePool').length > 0;
}

/** When the node that was launched for the pod could be used; events before that do not know it. */
function usableMs(evidence: EvidenceSet): number {
  const times = evidence.liveClaims
    .filter((claim) => isTrue(claim, 'Initialized'))
    .map((claim) => Date.parse(conditionOf(claim, 'Initialized')?.lastTransitionTime ?? '') || 0);
  return Math.max(0, ...times);
}
