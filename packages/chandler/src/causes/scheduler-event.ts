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
  // A NodePool may take it, and whether it launches a node is not known.
  const unread = evidence.all('nodePool').length === 0 || pod.isOfDaemonSet ? [] : unreadOfPlan(evidence);
  return {
    ...(unread.length === 0 ? {} : { weight: 'suspicious' as const, summary: WITHHELD }),
    facts: { ...podNames(pod), problem: event.message, unread: unread.join(', ') },
    seen: [{ where: event.object, what: `FailedScheduling: ${event.message}`, atMs: event.lastMs }],
  };
}

/** What a plan for a new node rests on, and could not be read: without a plan, one may be launched for the pod. */
export function unreadOfPlan({ unread }: EvidenceSet): readonly string[] {
  const ofPlan = unread.filter(({ kind, why }) => PLANNED_FROM.has(kind) && why !== 'notFound');
  return [...new Set(ofPlan.map(({ what }) => what))];
}

// ---------------------------------------------------------------------------------------------------

const WITHHELD =
  '{pod}: {problem} Whether a node is launched for it is not known: {unread} could not be read (see "Not read" below).';

const PLANNED_FROM: ReadonlySet<string> = new Set(['plan', 'node', 'nodeClaim', 'nodePool', 'nodeClass']);

/** When the node that was launched for the pod could be used; events before that do not know it. */
function usableMs(evidence: EvidenceSet): number {
  const times = evidence.liveClaims
    .filter((claim) => isTrue(claim, 'Initialized'))
    .map((claim) => Date.parse(conditionOf(claim, 'Initialized')?.lastTransitionTime ?? '') || 0);
  return Math.max(0, ...times);
}
