/** What the Kubernetes scheduler wrote about a pod that it cannot place. */
import type { Match } from './cause.ts';
import type { EvidenceSet } from './evidence-set.ts';
import { podNames } from './pod-start.ts';
import { waitingPod } from './pod-state.ts';

/** Its newest event. Only without a plan: the scheduler knows existing nodes, and nothing of NodePools. */
export function schedulerRefusal(evidence: EvidenceSet, says: RegExp): Match | undefined {
  const pod = waitingPod(evidence);
  if (pod === undefined || evidence.first('plan') !== undefined || pod.nominatedNodeName !== undefined)
    return undefined;
  const event = evidence.events(`Pod/${pod.name}`, 'FailedScheduling').at(-1);
  if (event === undefined || !says.test(event.message)) return undefined;
  return {
    facts: { ...podNames(pod), problem: event.message },
    seen: [{ where: event.object, what: `FailedScheduling: ${event.message}`, atMs: event.lastMs }],
  };
}
