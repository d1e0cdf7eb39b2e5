/**
 * Layer 6, the node: it registered, and is not usable or not for long. Rows go by what the claim waits for and by the
 * conditions of the Node; `L6.1` is for when only the waiting is known.
 */

import type { Condition } from '../../api/index.ts';
import {
  type Cause,
  conditionOf,
  type EvidenceSet,
  isTrue,
  type Match,
  type NodeEvidence,
  seen,
} from '../../causes/index.ts';

const SHOW_NODE = 'kubectl describe node {node}';

/** Nodes take a moment to become Ready; longer than this is worth a word. */
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
    title: 'The node is not Ready for too long',
    symptom: 'A Node is there and NotReady, or its claim is not Initialized; the pod stays Pending.',
    summary: 'Node {node} is not usable since {minutes} minutes: {problem}',
    fix: 'Look at the conditions of the node and at its kubelet; if it stays so, delete the claim, and another comes.',
    confirm: [SHOW_NODE, 'kubectl get nodeclaims -o wide'],
    explainedBy: EXACT_NODE_CAUSES,
    recognise: (evidence) => notReady(evidence, () => true) ?? notInitialized(evidence),
  },
  readyRow(
    'network-not-ready',
    'The network of the node is not ready',
    /cni (?:plugin|config)\S* (?:not initialized|uninitialized)|NetworkPluginNotReady|NetworkReady=false/i,
    'Look at the pods of the network plugin on this node (image pull, rights, addresses left in the subnet).',
  ),
  readyRow(
    'runtime-not-ready',
    'The container runtime of the node is down',
    /container runtime is down|PLEG is not healthy|RuntimeReady=false|runtime service (?:failed|not ready)/i,
    'Restart containerd on the node, or delete the claim to get another.',
  ),
  {
    id: 'nodes.kubelet-silent',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'The kubelet has stopped reporting',
    symptom: 'The Node has Ready Unknown (NodeStatusUnknown).',
    summary:
      'The kubelet of {node} has not reported since {since}: the machine is down, cut off, or out of memory.',
    fix: 'Look at the VM and its serial log. Node repair replaces it after ten minutes, where it is switched on; else delete the claim.',
    confirm: [SHOW_NODE, '{showNodeStatus}'],
    recognise: (evidence) =>
      firstNode(evidence, (node) => {
        const ready = conditionOf(node, 'Ready');
        return ready?.status === 'Unknown' &&
          evidence.ageMs(Date.parse(ready.lastTransitionTime)) > READY_EXPECTED_MS
          ? ready
          : undefined;
      }),
  },
  pressureRow(
    'disk-pressure',
    'DiskPressure',
    'The disk of the node is nearly full',
    'Raise spec.osDiskSizeGB, or find out who fills it (images, logs, emptyDir).',
  ),
  pressureRow(
    'memory-pressure',
    'MemoryPressure',
    'The node is short of memory',
    'Give pods memory requests that match what they use.',
  ),
  pressureRow(
    'pid-pressure',
    'PIDPressure',
    'The node is short of process ids',
    'Find the pod that starts so many processes, and set spec.kubelet.podPidsLimit.',
  ),
  claimRow(
    'startup-taint',
    'StartupTaintsExist',
    'A startup taint is still on the node',
    'Whoever should remove it (a daemon, an agent) does not run on the node or fails: look at its pods. A taint nobody removes does not belong into startupTaints.',
  ),
  claimRow(
    'ephemeral-taint',
    'KnownEphemeralTaintsExist',
    'A taint of the node lifecycle is still there',
    'The cloud controller or the kubelet has not finished: look at the pods of the cloud provider.',
  ),
  claimRow(
    'resource-missing',
    'ResourceNotRegistered',
    'A device the node was bought for does not appear',
    'Install or mend the device plugin (GPU and the like), and look at the driver on the node.',
  ),
  claimRow(
    'dra-pools-missing',
    'DRADriverPoolsNotPublished',
    'A driver for dynamic resources has not published its pools',
    'Look at the pods of the driver on the node.',
  ),
  {
    id: 'nodes.lost',
    layer: 'scheduling',
    specificity: 'exact',
    title: "The pod's node is gone",
    symptom: 'The pod names a node that does not exist.',
    summary: '{pod} was on node {node}, which does not exist any more.',
    fix: 'A pod of a controller is replaced by itself; a bare pod has to be created anew.',
    confirm: ['kubectl get node {node}'],
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
  return nodeRow(name, title, 'The Node is NotReady and says so in its message.', fix, (evidence) =>
    notReady(evidence, ({ message = '' }) => says.test(message)),
  );
}

function pressureRow(name: string, type: string, title: string, fix: string): Cause {
  return nodeRow(name, title, `The Node has ${type} True; pods are evicted or kept away.`, fix, (evidence) =>
    firstNode(evidence, (node) =>
      node.conditions.find((each) => each.type === type && each.status === 'True'),
    ),
  );
}

function claimRow(name: string, reason: string, title: string, fix: string): Cause {
  return nodeRow(name, title, `The claim has Initialized Unknown (${reason}).`, fix, (evidence) =>
    notInitialized(evidence, reason),
  );
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
