/** Layer 6, the other direction: a node, claim or pod should go and does not. */
import { type Cause, conditionOf, type EvidenceSet, type Match, seen } from '../../causes/index.ts';

/** Drains take their time; beyond this somebody wonders. */
const LEAVING_EXPECTED_MS = 10 * 60_000;
const POD_EXPECTED_MS = 5 * 60_000;

export const LEAVING: readonly Cause[] = [
  {
    id: 'leaving.disruption-budget',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'A disruption budget keeps pods on the node',
    symptom: 'A node is being drained and stays; evictions are refused.',
    summary:
      '{node} cannot be drained: {budget} allows no disruption ({healthy} healthy, {desired} needed), and protects {pods}.',
    fix: 'Run more replicas, or relax the budget. A budget that allows none (maxUnavailable 0) holds nodes for ever, unless the claim has a terminationGracePeriod.',
    confirm: ['kubectl get pdb -A', 'kubectl describe nodeclaim {node}'],
    recognise: budgetBlocks,
  },
  {
    id: 'leaving.volumes-attached',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'Volumes are still attached to the node',
    symptom: 'The claim has VolumesDetached Unknown (AwaitingVolumeDetachment).',
    summary: '{claim} is drained and waits for its volumes to be detached since {minutes} minutes.',
    fix: 'Look at VolumeAttachments of the node and at the driver that should detach them.',
    confirm: ['kubectl get volumeattachments'],
    recognise: (evidence) => leaving(evidence, 'VolumesDetached', 'AwaitingVolumeDetachment'),
  },
  {
    id: 'leaving.machine-stays',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'The machine of the claim cannot be deleted',
    symptom: 'Event FailedTermination on the NodeClaim: the node is empty, and stays.',
    summary: '{claim} goes since {minutes} minutes, but its machine does not: {problem}',
    fix: 'Take away what keeps the machine: a lock, a missing right, a policy. Machines of the AKS machine API are deleted in AKS. It is tried again by itself.',
    confirm: ['kubectl describe nodeclaim {claim}'],
    recognise: machineStays,
  },
  {
    id: 'leaving.drain-slow',
    layer: 'scheduling',
    specificity: 'general',
    title: 'The node is being drained for long',
    symptom: 'The claim has Drained Unknown (Draining).',
    summary: '{claim} is being drained since {minutes} minutes: {problem}',
    fix: 'Look at which pods are left on it: long grace periods, do-not-disrupt, budgets.',
    confirm: ['kubectl get pods -A --field-selector spec.nodeName={node}'],
    explainedBy: ['leaving.disruption-budget', 'leaving.machine-stays'],
    recognise: (evidence) => leaving(evidence, 'Drained', 'Draining'),
  },
  {
    id: 'leaving.pod-stuck',
    layer: 'scheduling',
    specificity: 'particular',
    title: 'The pod does not end',
    symptom: 'The pod is Terminating well beyond its grace period.',
    summary: '{pod} is being deleted since {minutes} minutes.',
    fix: 'Look at its finalizers and at whether the kubelet of its node runs; on a dead node, delete it with --force.',
    confirm: ['kubectl get pod -n {namespace} {podName} -o jsonpath={.metadata.finalizers}'],
    recognise: (evidence) => {
      const pod = evidence.first('pod');
      if (pod?.deletingSinceMs === undefined || evidence.ageMs(pod.deletingSinceMs) <= POD_EXPECTED_MS)
        return undefined;
      const [namespace = '', podName = ''] = pod.name.split('/');
      const minutes = String(Math.floor(evidence.ageMs(pod.deletingSinceMs) / 60_000));
      return {
        facts: { pod: pod.name, namespace, podName, minutes },
        seen: [seen(pod, `deleted ${minutes} minutes ago`)],
      };
    },
  },
];

// ---------------------------------------------------------------------------------------------------

function budgetBlocks(evidence: EvidenceSet): Match | undefined {
  const node =
    evidence.all('node').find(({ deletingSinceMs }) => deletingSinceMs !== undefined)?.name ??
    evidence.all('nodeClaim').find(({ deletingSinceMs }) => deletingSinceMs !== undefined)?.name;
  const budget = evidence
    .all('budget')
    .find(({ disruptionsAllowed, pods }) => disruptionsAllowed === 0 && pods.length > 0);
  if (node === undefined || budget === undefined) return undefined;
  return {
    facts: {
      node,
      budget: budget.name,
      healthy: String(budget.currentHealthy),
      desired: String(budget.desiredHealthy),
      pods: budget.pods.join(', '),
    },
    seen: [
      seen(budget, `disruptionsAllowed 0, ${budget.currentHealthy} of ${budget.desiredHealthy} healthy`),
    ],
  };
}

function machineStays(evidence: EvidenceSet): Match | undefined {
  const event = evidence.events('NodeClaim/', 'FailedTermination').at(-1);
  const claim = evidence
    .all('nodeClaim')
    .find(
      ({ name, deletingSinceMs }) => event?.object === `NodeClaim/${name}` && deletingSinceMs !== undefined,
    );
  if (event === undefined || claim === undefined) return undefined;
  return {
    facts: {
      claim: claim.name,
      minutes: minutesSince(evidence, claim.deletingSinceMs),
      problem: event.message,
    },
    seen: [{ where: event.object, what: `${event.reason}: ${event.message}`, atMs: event.lastMs }],
  };
}

function leaving(evidence: EvidenceSet, type: string, reason: string): Match | undefined {
  for (const claim of evidence.all('nodeClaim')) {
    const condition = conditionOf(claim, type);
    if (claim.deletingSinceMs === undefined || condition?.reason !== reason) continue;
    if (evidence.ageMs(claim.deletingSinceMs) <= LEAVING_EXPECTED_MS) continue;
    // It names the pods, and what each of them waits for.
    const failed = type === 'Drained' ? evidence.events('Node/', 'FailedDraining').at(-1) : undefined;
    const told =
      failed === undefined
        ? []
        : [{ where: failed.object, what: `${failed.reason}: ${failed.message}`, atMs: failed.lastMs }];
    const facts = {
      claim: claim.name,
      node: claim.nodeName ?? '',
      minutes: minutesSince(evidence, claim.deletingSinceMs),
      problem: failed?.message ?? condition.message ?? reason,
    };
    return { facts, seen: [seen(claim, `${type} is ${condition.status}, ${reason}`), ...told] };
  }
  return undefined;
}

function minutesSince(evidence: EvidenceSet, sinceMs = evidence.atMs): string {
  return String(Math.floor(evidence.ageMs(sinceMs) / 60_000));
}
