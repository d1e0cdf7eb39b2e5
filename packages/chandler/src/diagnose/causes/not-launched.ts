/** Layer 6: a NodePool would launch a node for a pod, and none is launched. What the scheduler says about existing nodes may explain it. */
import {
  type Cause,
  type EvidenceSet,
  isHeld,
  type Match,
  podNames,
  seen,
  waitingPod,
} from '../../causes/index.ts';

/** A node is launched within seconds after the pod is unschedulable, and joins in minutes. */
export const LAUNCHED_MS = 10 * 60_000;

export const NOT_LAUNCHED: Cause = {
  id: 'scheduling.not-launched',
  layer: 'scheduling',
  specificity: 'general',
  title: 'No node is launched for the pod',
  symptom:
    'The pod has been Pending for more than ten minutes, a NodePool would take it, and no NodeClaim exists for it.',
  summary:
    '{pod} has been Pending for {minutes} minutes. {target} would launch a node, and there is no NodeClaim.{said}',
  fix: 'Check the log of the controller for the pod. Compare with what the scheduler says: a volume of a host that is gone, or one that is being deleted, keeps the pod from every new node.',
  confirm: ['kubectl describe pod -n {namespace} {podName}', 'kubectl get nodeclaims'],
  recognise: notLaunched,
};

// ---------------------------------------------------------------------------------------------------

/** Only one explanation: the catalogue does not know what the cloud has now. */
function notLaunched(evidence: EvidenceSet): Match | undefined {
  const pod = waitingPod(evidence);
  const plan = evidence.first('plan');
  if (pod === undefined || isHeld(pod) || plan?.outcome !== 'newClaim' || plan.target === undefined)
    return undefined;
  const ageMs = evidence.ageMs(pod.createdAtMs);
  if (ageMs <= LAUNCHED_MS || evidence.liveClaims.length > 0 || evidence.couldNotRead('nodeClaim'))
    return undefined;
  const said = evidence.events(`Pod/${pod.name}`, 'FailedScheduling').at(-1);
  const unread = evidence.couldNotRead('events') ? ' Its events could not be read.' : '';
  return {
    weight: 'suspicious',
    facts: {
      ...podNames(pod),
      target: plan.target,
      minutes: String(Math.floor(ageMs / 60_000)),
      said: said === undefined ? unread : ` The scheduler says: ${said.message}`,
    },
    seen: [seen(plan, `${plan.target} would take it`)],
  };
}
