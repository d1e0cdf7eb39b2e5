/**
 * Layer 6, the node: it registered and cannot be used. Rows go by what the claim is waiting for and by the conditions of
 * the Node; `L6.1` is for when only the delay is known.
 */

import type { Condition } from '../../api/index.ts';
import {
  type Cause,
  conditionOf,
  type EvidenceSet,
  isTrue,
  type Match,
  NETWORK_NOT_READY,
  type NodeEvidence,
  seen,
  startFailure,
} from '../../causes/index.ts';

import { absentNode, MISSING_NODE_MS } from '../node-of-claim.ts';

const SHOW_NODE = 'kubectl describe node {node}';

/** Nodes take a moment to become Ready; a longer delay is worth an explanation. */
const READY_EXPECTED_MS = 2 * 60_000;
const INITIALIZED_EXPECTED_MS = 5 * 60_000;

const EXACT_NODE_CAUSES = [
  'nodes.network-not-ready',
  'nodes.runtime-not-ready',
  'nodes.kubelet-silent',
  'nodes.disk-pressure',
  'nodes.memory-pressure',
  'nodes.pid-pressure',
  'nodes.startup-taint',
  'nodes.ephemeral-taint',
  'nodes.resource-missing',
  'nodes.dra-pools-missing',
  'L5.2',
  'L5.3',
];

export const NODES: readonly Cause[] = [
  {
    id: 'L6.1',
    layer: 'scheduling',
    specificity: 'particular',
    title: 'The node does not become Ready',
    symptom: 'A Node exists and is NotReady, or its NodeClaim is not Initialized. The pod stays Pending.',
    summary: 'Node {node} has not been usable for {minutes} minutes: {problem}',
    fix: 'Check the conditions of the node, and its kubelet. If it does not recover, delete the NodeClaim to replace it.',
    confirm: [SHOW_NODE, 'kubectl get nodeclaims -o wide'],
    explainedBy: EXACT_NODE_CAUSES,
    keepsPodsAway: true,
    recognise: (evidence) => notReady(evidence, () => true) ?? notInitialized(evidence),
  },
  {
    ...readyRow(
      'network-not-ready',
      'The network of the node is not ready',
      NETWORK_NOT_READY,
      'Check the pods of the network plugin on this node (image pulls, permissions, free addresses in the subnet).',
    ),
    keepsPodsAway: true,
  },
  {
    ...readyRow(
      'runtime-not-ready',
      'The container runtime of the node is down',
      /container runtime is down|PLEG is not healthy|RuntimeReady=false|runtime service (?:failed|not ready)/i,
      'Restart containerd on the node, or delete the NodeClaim to replace the node.',
    ),
    // Without it no plugin of the network runs, of which a cloud may have a row of its own.
    explains: ['nodes.network-not-ready'],
    failsContainers: true,
  },
  {
    id: 'nodes.kubelet-silent',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'The kubelet has stopped reporting',
    symptom:
      'The condition Ready of the Node is Unknown (NodeStatusUnknown), or its kubelet has not renewed its Lease for a minute (suspicious while the node is Ready).',
    summary:
      'The kubelet of {node} has not reported since {since}: the VM is down, disconnected, or out of memory.',
    fix: 'Check the VM and its serial log. If node repair is enabled, the node is replaced after {repairDelay}. Otherwise delete the NodeClaim.',
    confirm: [SHOW_NODE, '{showNodeStatus}'],
    failsContainers: true,
    recognise: (evidence) => silent(evidence) ?? withoutHeartbeat(evidence),
  },
  {
    id: 'nodes.problem',
    layer: 'scheduling',
    specificity: 'particular',
    point: 'L6.1',
    title: 'The node reports a problem',
    symptom:
      'A condition of the node problem detector is True, such as KernelDeadlock (suspicious while the node is Ready).',
    summary: '{node}: {problem}',
    fix: 'Pods on the node may hang. Check what the message names. If it does not recover, drain the node and delete its NodeClaim.',
    confirm: [SHOW_NODE],
    // The kubelet itself has the network of the node.
    keepsPodsAway: (evidence) => startFailure(evidence, OF_VOLUMES) !== undefined,
    recognise: detectedProblem,
  },
  pressureRow(
    'disk-pressure',
    'DiskPressure',
    'The disk of the node is nearly full',
    'Raise {osDiskSize}, or find out what fills the disk (images, logs, emptyDir).',
    /no space left on device/i,
  ),
  pressureRow(
    'memory-pressure',
    'MemoryPressure',
    'The node is short of memory',
    'Set the memory requests of pods to the memory that they use.',
    /cannot allocate memory/i,
  ),
  pressureRow(
    'pid-pressure',
    'PIDPressure',
    'The node is short of process IDs',
    'Find the pod that starts too many processes, and set spec.kubelet.podPidsLimit of the NodeClass.',
    /resource temporarily unavailable|failed to create new OS thread/i,
  ),
  claimRow(
    'startup-taint',
    'StartupTaintsExist',
    'A startup taint is still on the node',
    'Check the pods of the daemon or agent that should remove the taint: they do not run on the node, or they fail. Add a taint to startupTaints only if a daemon or agent removes it.',
  ),
  claimRow(
    'ephemeral-taint',
    'KnownEphemeralTaintsExist',
    'A taint of the node lifecycle is still on the node',
    'Check the cloud controller manager and the kubelet: one of them has not finished the initialization of the node.',
  ),
  claimRow(
    'resource-missing',
    'ResourceNotRegistered',
    'A requested device does not appear on the node',
    'Install or repair the device plugin (for example for GPUs), and check the driver on the node.',
  ),
  claimRow(
    'dra-pools-missing',
    'DRADriverPoolsNotPublished',
    'A DRA driver has not published its pools',
    'Check the pods of the driver on the node.',
  ),
  {
    id: 'nodes.node-missing',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'The node of the NodeClaim does not exist',
    symptom: 'The NodeClaim is Initialized, and there is no Node of the name in its status.',
    summary: '{claim} is Initialized, but its node {node} does not exist: it was deleted, or the VM is gone.',
    fix: 'Check the VM. If it is gone, the controller deletes the NodeClaim. If it still runs, its kubelet does not register it again by itself: delete the NodeClaim to replace the node.',
    confirm: ['kubectl get node {node}', '{showNodeStatus}'],
    explainedBy: ['cloud.machine-gone'],
    recognise: (evidence) => {
      for (const claim of evidence.liveClaims) {
        const absent = absentNode(claim, evidence);
        if (absent?.isMissing !== true || absent.ageMs <= MISSING_NODE_MS) continue;
        return {
          facts: { claim: claim.name, node: absent.name },
          seen: [seen(claim, `Initialized is True, status.nodeName ${absent.name}`)],
        };
      }
      return undefined;
    },
  },
  {
    id: 'nodes.lost',
    layer: 'scheduling',
    specificity: 'exact',
    title: "The pod's node no longer exists",
    symptom: 'The pod is bound to a node that does not exist.',
    summary: '{pod} is bound to node {node}, which no longer exists.',
    fix: 'A pod that a workload controller manages is replaced automatically. Recreate a pod that has no controller.',
    confirm: ['kubectl get node {node}'],
    failsContainers: true,
    recognise: (evidence) => {
      const pod = evidence.first('pod');
      const lost = evidence.unread.find(({ kind, why }) => kind === 'node' && why === 'notFound');
      if (pod?.nodeName === undefined || lost === undefined || !lost.what.includes(pod.nodeName))
        return undefined;
      return {
        facts: { pod: pod.name, node: pod.nodeName },
        seen: [seen(pod, `spec.nodeName ${pod.nodeName}`)],
      };
    },
  },
];

// ---------------------------------------------------------------------------------------------------

function silent(evidence: EvidenceSet): Match | undefined {
  return firstNode(evidence, (node) => {
    const ready = conditionOf(node, 'Ready');
    const isLong = evidence.ageMs(Date.parse(ready?.lastTransitionTime ?? '')) > READY_EXPECTED_MS;
    return ready?.status === 'Unknown' && isLong ? ready : undefined;
  });
}

/** While the node is Ready, the clock of the node may be slow instead. */
function withoutHeartbeat(evidence: EvidenceSet): Match | undefined {
  for (const node of evidence.all('node')) {
    const { name, silence, deletingSinceMs } = node;
    if (silence === undefined || deletingSinceMs !== undefined) continue;
    const since = new Date(silence.renewedAtMs).toISOString();
    const what = `its Lease was last renewed ${Math.round(silence.forMs / 1000)} s ago, and is renewed every 10 s`;
    return {
      facts: { node: name, since, problem: what },
      seen: [seen(node, what)],
      ...(isTrue(node, 'Ready') ? { weight: 'suspicious' } : {}),
    };
  }
  return undefined;
}

/** Of the node problem detector: names of problems. Those of health, as `KernelReady`, are True when all is well. */
const PROBLEM =
  /(?:Problem|Deadlock|Error|Failed|Failure|Unhealthy)$|^(?:Frequent|Corrupt)\w+$|^NetworkUnavailable$/;

function detectedProblem(evidence: EvidenceSet): Match | undefined {
  const problemIn = ({ conditions }: NodeEvidence) =>
    conditions.find(({ type, status }) => status === 'True' && PROBLEM.test(type));
  // What breaks a node first.
  const match =
    firstNode(evidence, (node) =>
      isClosed(node, evidence) ? conditionOf(node, 'NetworkUnavailable') : undefined,
    ) ??
    firstNode(evidence, (node) => (isTrue(node, 'Ready') ? undefined : problemIn(node))) ??
    firstNode(evidence, problemIn);
  const node = evidence.all('node').find(({ name }) => name === match?.facts['node']);
  if (match === undefined || node === undefined) return undefined;
  const [{ what: problem = '' } = {}] = match.seen;
  return {
    ...match,
    facts: { ...match.facts, problem },
    ...(isTrue(node, 'Ready') && !isClosed(node, evidence) ? { weight: 'suspicious' } : {}),
  };
}

/** Without a network, for longer than a route takes: the taint keeps pods away, although the node is Ready. */
function isClosed(node: NodeEvidence, evidence: EvidenceSet): boolean {
  const condition = conditionOf(node, 'NetworkUnavailable');
  return (
    condition?.status === 'True' &&
    evidence.ageMs(Date.parse(condition.lastTransitionTime)) > READY_EXPECTED_MS &&
    node.taints.some(({ key }) => key === 'node.kubernetes.io/network-unavailable')
  );
}

function nodeRow(
  name: string,
  title: string,
  symptom: string,
  fix: string,
  recognise: Cause['recognise'],
): Cause {
  return {
    id: `nodes.${name}`,
    layer: 'scheduling',
    specificity: 'exact',
    point: 'L6.1',
    title,
    symptom,
    summary: `${title}: {problem}`,
    fix,
    confirm: [SHOW_NODE],
    recognise,
  };
}

function readyRow(name: string, title: string, says: RegExp, fix: string): Cause {
  return nodeRow(
    name,
    title,
    'The Node is NotReady, and the message of the condition says why.',
    fix,
    (evidence) => notReady(evidence, ({ message = '' }) => says.test(message)),
  );
}

/** Events of what the kubelet and the runtime do for a pod before its containers are created. */
const STARTS: readonly string[] = ['FailedCreatePodSandBox', 'FailedMount', 'FailedMapVolume', 'Failed'];

/** Of these, what the kubelet does without the network of pods. */
const OF_VOLUMES: readonly string[] = ['FailedMount', 'FailedMapVolume', 'FailedAttachVolume'];

/** With what a container says that cannot be started or ends for want of the same resource. */
function pressureRow(name: string, type: string, title: string, fix: string, says: RegExp): Cause {
  return {
    ...nodeRow(
      name,
      title,
      `The condition ${type} of the Node is True. Pods are evicted or not scheduled there.`,
      fix,
      (evidence) =>
        firstNode(evidence, (node) =>
          node.conditions.find((each) => each.type === type && each.status === 'True'),
        ),
    ),
    failsContainers: ({ waiting, terminated, lastTerminated }) =>
      [waiting, terminated, lastTerminated].some((state) => says.test(state?.message ?? '')),
    keepsPodsAway: (evidence) => !says.test(startFailure(evidence, STARTS)?.facts['problem'] ?? ''),
  };
}

function claimRow(name: string, reason: string, title: string, fix: string): Cause {
  const cause = nodeRow(
    name,
    title,
    `The condition Initialized of the NodeClaim is Unknown (${reason}).`,
    fix,
    (evidence) => notInitialized(evidence, reason),
  );
  return { ...cause, keepsPodsAway: true };
}

function firstNode(
  evidence: EvidenceSet,
  test: (node: NodeEvidence) => Condition | undefined,
): Match | undefined {
  for (const node of evidence.all('node')) {
    if (node.deletingSinceMs !== undefined) continue;
    const condition = test(node);
    if (condition === undefined) continue;
    const { type, status, reason = '', message = '', lastTransitionTime } = condition;
    return {
      facts: {
        node: node.name,
        problem: message === '' ? `${type} is ${status}` : message,
        since: lastTransitionTime,
        minutes: String(Math.floor(evidence.ageMs(Date.parse(lastTransitionTime)) / 60_000)),
      },
      seen: [
        seen(
          node,
          `${type} is ${status}${reason === '' ? '' : `, ${reason}`}${message === '' ? '' : `: ${message}`}`,
        ),
      ],
    };
  }
  return undefined;
}

function notReady(evidence: EvidenceSet, says: (ready: Condition) => boolean): Match | undefined {
  return firstNode(evidence, (node) => {
    const ready = conditionOf(node, 'Ready');
    if (ready === undefined || ready.status === 'True' || !says(ready)) return undefined;
    const sinceMs = Math.max(Date.parse(ready.lastTransitionTime) || 0, node.createdAtMs);
    return evidence.ageMs(sinceMs) > READY_EXPECTED_MS ? ready : undefined;
  });
}

function notInitialized(evidence: EvidenceSet, reason?: string): Match | undefined {
  for (const claim of evidence.liveClaims) {
    const condition = conditionOf(claim, 'Initialized');
    const registered = conditionOf(claim, 'Registered');
    if (condition === undefined || condition.status === 'True' || !isTrue(claim, 'Registered')) continue;
    if (reason !== undefined && condition.reason !== reason) continue;
    const ageMs = evidence.ageMs(Date.parse(registered!.lastTransitionTime));
    if (!(ageMs > INITIALIZED_EXPECTED_MS)) continue;
    const problem = condition.message ?? condition.reason ?? '';
    return {
      facts: {
        node: claim.nodeName ?? claim.name,
        claim: claim.name,
        problem,
        minutes: String(Math.floor(ageMs / 60_000)),
      },
      seen: [seen(claim, `Initialized is ${condition.status}, ${condition.reason ?? ''}: ${problem}`)],
    };
  }
  return undefined;
}
