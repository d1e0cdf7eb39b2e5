/** Layer 6, deletion: the deletion of a node, NodeClaim or pod does not complete. */
import {
  type Cause,
  conditionOf,
  type EvidenceSet,
  isTrue,
  type Match,
  type NodeClaimEvidence,
  seen,
  type VmEvidence,
} from '../../causes/index.ts';

/** A drain that takes longer is worth an explanation. */
const LEAVING_EXPECTED_MS = 10 * 60_000;
const POD_EXPECTED_MS = 5 * 60_000;
/** A pod that is not evicted by then is not waiting for another one to start. */
const EVICTION_EXPECTED_MS = 5 * 60_000;

const TAINT_THEN_FORCE =
  'Add the taint node.kubernetes.io/out-of-service=nodeshutdown:NoExecute to the node, which removes its pods and detaches its volumes. Only if that does not help, delete its pods with --force.';

export const LEAVING: readonly Cause[] = [
  {
    id: 'leaving.node-dead',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'The node that is being deleted is dead',
    symptom: 'A Node is being deleted, and its condition Ready is Unknown. Its pods stay Terminating.',
    summary:
      'The kubelet of {node} has not reported since {since}, so that its pods are not removed and its volumes stay attached.',
    fix: `First make sure that the VM is stopped or deleted: while it runs, its pods may still write to their volumes. ${TAINT_THEN_FORCE}`,
    confirm: ['kubectl describe node {node}', '{showNodeStatus}'],
    explains: ['leaving.drain-slow', 'leaving.volumes-attached', 'leaving.disruption-budget'],
    recognise: deadNode,
  },
  {
    id: 'leaving.disruption-budget',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'A PodDisruptionBudget blocks the drain of the node',
    symptom: 'The drain of a node does not complete. Evictions are refused.',
    summary:
      '{node} cannot be drained: PodDisruptionBudget {budget} allows no disruption ({healthy} healthy, {desired} required). It covers {pods}.',
    fix: 'Run more replicas, or relax the budget. A budget that allows no disruption (maxUnavailable 0) blocks a drain forever, unless the NodeClaim has a terminationGracePeriod.',
    confirm: ['kubectl get pdb -A', 'kubectl describe nodeclaim {claim}'],
    recognise: budgetBlocks,
  },
  {
    id: 'leaving.do-not-disrupt',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'A pod with karpenter.sh/do-not-disrupt keeps the node',
    symptom:
      'The drain of a node does not complete. A pod on it has the annotation karpenter.sh/do-not-disrupt.',
    summary: '{node} cannot be drained: {pods} must not be evicted (karpenter.sh/do-not-disrupt){until}.',
    fix: 'Wait until the pod ends, delete it, or remove the annotation: kubectl annotate pod -n {namespace} {podName} karpenter.sh/do-not-disrupt-. A terminationGracePeriod in the NodePool bounds the time for new nodes.',
    confirm: [
      'kubectl get pods -A --field-selector spec.nodeName={node}',
      'kubectl describe nodeclaim {claim}',
    ],
    recognise: protectedPodStays,
  },
  {
    id: 'leaving.volumes-attached',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'Volumes are still attached to the node',
    symptom: 'The condition VolumesDetached of the NodeClaim is Unknown (AwaitingVolumeDetachment).',
    summary: '{claim} is drained and has been waiting for {minutes} minutes for its volumes to be detached.',
    fix: 'Check the VolumeAttachments of the node, and the CSI driver that detaches them.',
    confirm: ['kubectl get volumeattachments'],
    recognise: (evidence) => leaving(evidence, 'VolumesDetached', 'AwaitingVolumeDetachment'),
  },
  {
    id: 'leaving.machine-stays',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'The VM cannot be deleted',
    symptom: 'The NodeClaim has the event FailedTermination. The node is drained but not deleted.',
    summary: '{claim} has been terminating for {minutes} minutes, but its VM cannot be deleted: {problem}',
    fix: 'Remove the lock or the policy that blocks the deletion, or grant the missing permission. If another service manages the VM, delete the VM through that service. The deletion is retried automatically.',
    confirm: ['kubectl describe nodeclaim {claim}'],
    recognise: instanceRemains,
  },
  {
    id: 'leaving.drain-slow',
    layer: 'scheduling',
    specificity: 'general',
    title: 'The drain of the node takes a long time',
    symptom: 'The condition Drained of the NodeClaim is Unknown (Draining).',
    summary: '{claim} has been draining for {minutes} minutes: {problem}',
    fix: 'Check the pods that remain on the node: long grace periods, karpenter.sh/do-not-disrupt, PodDisruptionBudgets.',
    confirm: ['kubectl get pods -A --field-selector spec.nodeName={node}'],
    explainedBy: ['leaving.disruption-budget', 'leaving.do-not-disrupt', 'leaving.machine-stays'],
    recognise: (evidence) => leaving(evidence, 'Drained', 'Draining'),
  },
  {
    id: 'leaving.pod-stuck',
    layer: 'scheduling',
    specificity: 'particular',
    title: 'The pod does not terminate',
    symptom: 'The pod has been Terminating for longer than its grace period.',
    summary: '{pod} has been terminating for {minutes} minutes.',
    fix: 'Check its finalizers, and whether the kubelet of its node runs. If the node does not answer, its containers may still run and write to their volumes: first make sure that its VM is stopped or deleted (deleting the NodeClaim deletes the VM). Then set the taint node.kubernetes.io/out-of-service=nodeshutdown:NoExecute on the node, which deletes its pods and detaches their volumes. Do not delete the pod with --force before.',
    confirm: [
      'kubectl get pod -n {namespace} {podName} -o jsonpath={.metadata.finalizers}',
      'kubectl get node {node}',
    ],
    recognise: (evidence) => {
      const pod = evidence.first('pod');
      if (pod?.deletingSinceMs === undefined || evidence.ageMs(pod.deletingSinceMs) <= POD_EXPECTED_MS)
        return undefined;
      const [namespace = '', podName = ''] = pod.name.split('/');
      const minutes = String(Math.floor(evidence.ageMs(pod.deletingSinceMs) / 60_000));
      return {
        facts: { pod: pod.name, namespace, podName, minutes, node: pod.nodeName ?? '' },
        seen: [seen(pod, `deleted ${minutes} minutes ago`)],
      };
    },
  },
];

// ---------------------------------------------------------------------------------------------------

function deadNode(evidence: EvidenceSet): Match | undefined {
  for (const node of evidence.all('node')) {
    const claim = evidence.all('nodeClaim').find(({ name }) => name === node.claim);
    const sinceMs = node.deletingSinceMs ?? claim?.deletingSinceMs;
    const ready = conditionOf(node, 'Ready');
    if (sinceMs === undefined || ready?.status !== 'Unknown') continue;
    if (evidence.ageMs(sinceMs) <= EVICTION_EXPECTED_MS || isReadyToGo(claim)) continue;
    if (!(evidence.ageMs(Date.parse(ready.lastTransitionTime)) > EVICTION_EXPECTED_MS)) continue;
    const vm = evidence.all('vm').find((each) => each.claim === node.claim);
    const ended = vm === undefined ? undefined : endOf(vm);
    return {
      facts: { node: node.name, since: ready.lastTransitionTime },
      seen: [
        seen(node, `being deleted, and Ready is Unknown: ${ready.message || ready.reason || ''}`),
        ...(vm === undefined || ended === undefined ? [] : [seen(vm, ended)]),
      ],
      ...(ended === undefined ? {} : { fix: `The VM ${ended}. ${TAINT_THEN_FORCE}` }),
    };
  }
  return undefined;
}

/** Drained and detached, or its VM is being deleted: that its kubelet stops is part of it. */
function isReadyToGo(claim: NodeClaimEvidence | undefined): boolean {
  if (claim === undefined) return false;
  return (
    isTrue(claim, 'InstanceTerminating') || (isTrue(claim, 'Drained') && isTrue(claim, 'VolumesDetached'))
  );
}

/** Nothing can write to its volumes any more. */
function endOf({ found, powerState = '' }: VmEvidence): string | undefined {
  if (!found) return 'no longer exists';
  return /^(?:stopped|deallocated|terminated)/.test(powerState) ? `is ${powerState}` : undefined;
}

/** A budget without room is normal while pods move. It blocks where an eviction was refused, or the drain does not end. */
function budgetBlocks(evidence: EvidenceSet): Match | undefined {
  const leaver = [...evidence.all('node'), ...evidence.all('nodeClaim')].find(
    ({ deletingSinceMs }) => deletingSinceMs !== undefined,
  );
  const budget = evidence
    .all('budget')
    .find(({ disruptionsAllowed, pods }) => disruptionsAllowed === 0 && pods.length > 0);
  if (leaver === undefined || budget === undefined) return undefined;
  const refused = evidence
    .events('Node/', 'FailedDraining')
    .findLast(({ message }) => /disruption budget|\bPDB\b/i.test(message));
  if (refused === undefined && evidence.ageMs(leaver.deletingSinceMs!) <= EVICTION_EXPECTED_MS)
    return undefined;
  const claim = leaver.kind === 'node' ? leaver.claim : leaver.name;
  return {
    facts: {
      node: leaver.name,
      ...(claim === undefined ? {} : { claim }),
      budget: budget.name,
      healthy: String(budget.currentHealthy),
      desired: String(budget.desiredHealthy),
      pods: budget.pods.join(', '),
    },
    seen: [
      seen(budget, `disruptionsAllowed 0, ${budget.currentHealthy} of ${budget.desiredHealthy} healthy`),
      ...(refused === undefined
        ? []
        : [{ where: refused.object, what: `${refused.reason}: ${refused.message}`, atMs: refused.lastMs }]),
    ],
  };
}

/** Nothing evicts such a pod. With a deadline it only takes longer. */
function protectedPodStays(evidence: EvidenceSet): Match | undefined {
  const drain = evidence.first('drain');
  const leaver = [...evidence.all('node'), ...evidence.all('nodeClaim')].find(
    ({ deletingSinceMs }) => deletingSinceMs !== undefined,
  );
  const [first] = drain?.protectedPods ?? [];
  if (drain === undefined || leaver === undefined || first === undefined) return undefined;
  const claim = leaver.kind === 'node' ? leaver.claim : leaver.name;
  const period = evidence.all('nodeClaim').find(({ name }) => name === claim)?.terminationGracePeriod;
  const isBounded = period !== undefined || drain.protectedPods.every(({ untilMs }) => untilMs !== undefined);
  const [namespace = '', podName = ''] = first.pod.split('/');
  const minutes = minutesSince(evidence, leaver.deletingSinceMs);
  const until = [
    ...(first.untilMs === undefined ? [] : [`, until ${new Date(first.untilMs).toISOString()}`]),
    ...(period === undefined
      ? []
      : [`; all pods are deleted ${period} after the deletion (terminationGracePeriod)`]),
  ];
  return {
    facts: {
      node: drain.node,
      ...(claim === undefined ? {} : { claim }),
      namespace,
      podName,
      minutes,
      pods: drain.protectedPods.map(({ pod }) => pod).join(', '),
      until: until.join(''),
    },
    seen: drain.protectedPods.map(({ pod }) =>
      seen(drain, `Pod ${pod} has the annotation karpenter.sh/do-not-disrupt`),
    ),
    ...(isBounded ? { weight: 'suspicious' as const } : {}),
  };
}

function instanceRemains(evidence: EvidenceSet): Match | undefined {
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
    // The event names the pods and what each of them waits for.
    const failed = type === 'Drained' ? evidence.events('Node/', 'FailedDraining').at(-1) : undefined;
    const told =
      failed === undefined
        ? []
        : [{ where: failed.object, what: `${failed.reason}: ${failed.message}`, atMs: failed.lastMs }];
    const facts = {
      claim: claim.name,
      node: claim.nodeName ?? '',
      minutes: minutesSince(evidence, waitingSinceMs(claim, type)),
      problem: failed?.message || condition.message || reason,
    };
    return { facts, seen: [seen(claim, `${type} is ${condition.status}, ${reason}`), ...told] };
  }
  return undefined;
}

/** Volumes are waited for once the node is drained. */
function waitingSinceMs(claim: NodeClaimEvidence, type: string): number | undefined {
  const drainedMs =
    type === 'VolumesDetached' ? Date.parse(conditionOf(claim, 'Drained')?.lastTransitionTime ?? '') : NaN;
  return drainedMs || claim.deletingSinceMs;
}

function minutesSince(evidence: EvidenceSet, sinceMs = evidence.atMs): string {
  return String(Math.floor(evidence.ageMs(sinceMs) / 60_000));
}
