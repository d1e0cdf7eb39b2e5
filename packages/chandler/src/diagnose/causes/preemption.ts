/** Layer 6: the scheduler has chosen a node for a pod and preempts others there, which do not terminate. */
import {
  type Cause,
  type EvidenceSet,
  type Match,
  overduePreempted,
  podNames,
  seen,
  waitingPod,
} from '../../causes/index.ts';
import { durationText } from '../duration-text.ts';

export const PREEMPTION: Cause = {
  id: 'scheduling.preemption-stuck',
  layer: 'scheduling',
  specificity: 'exact',
  title: 'Pods that are preempted for the pod do not terminate',
  symptom:
    'The pod has status.nominatedNodeName, and pods on that node are still there ten minutes after their grace period.',
  summary:
    '{pod} waits for room on node {node}, and {problem}. The controller launches no node for it meanwhile.',
  fix: 'Run `chandler why pod/{victim}`. Check its finalizers, its volumes, and whether node {node} answers. Delete it by force only if the VM of a node that does not answer is stopped.',
  confirm: ['kubectl get pod {victimName} -n {victimNamespace} -o yaml', 'kubectl describe node {node}'],
  recognise: stuck,
};

// ---------------------------------------------------------------------------------------------------

const MAX_NAMED = 3;

function stuck(evidence: EvidenceSet): Match | undefined {
  const pod = waitingPod(evidence);
  const overdue = pod === undefined ? [] : overduePreempted(pod, evidence.atMs);
  const [first] = overdue;
  if (pod === undefined || first === undefined) return undefined;
  const named = overdue.slice(0, MAX_NAMED).map(({ name, sinceMs, finalizers }) => {
    const why = finalizers.length === 0 ? '' : ` (finalizers: ${finalizers.join(', ')})`;
    return `pod ${name} has been terminating for ${durationText(evidence.ageMs(sinceMs))}${why}`;
  });
  const more = overdue.length > MAX_NAMED ? `; and ${overdue.length - MAX_NAMED} more` : '';
  const problem = `${named.join('; ')}${more}`;
  const [victimNamespace = '', victimName = ''] = first.name.split('/');
  const node = pod.nominatedNodeName ?? '';
  return {
    facts: { ...podNames(pod), node, problem, victim: first.name, victimNamespace, victimName },
    seen: [seen(pod, `nominated to node ${node}; ${problem}`)],
  };
}
