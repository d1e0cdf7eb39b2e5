/** Layer 6 on AWS: nodes that registered and cannot be used, as their conditions, taints and NodeClaims show it. */
import {
  type Cause,
  conditionOf,
  type EvidenceSet,
  hasBeenStarted,
  isTrue,
  type Match,
  type NodeEvidence,
  seen,
} from '../../../causes/index.ts';

const SHOW_NODE = 'kubectl describe node {node}';
const SHOW_CNI =
  'kubectl -n kube-system get pods -l k8s-app=aws-node -o wide --field-selector spec.nodeName={node}';

export const NODES: readonly Cause[] = [
  {
    id: 'aws-nodes.cni-not-ready',
    layer: 'scheduling',
    specificity: 'exact',
    point: 'L6.1',
    title: 'The VPC CNI does not start on the node',
    symptom: 'The Node is NotReady: cni plugin not initialized.',
    summary: 'The network of {node} is not ready: {problem}',
    fix: 'Check the pod aws-node on the node. Its role needs AmazonEKS_CNI_Policy (on the node role, or through IRSA or Pod Identity; AmazonEKS_CNI_IPv6_Policy is a policy of your own for IPv6), the subnet needs free addresses, and the image must be pullable from ECR.',
    confirm: [
      SHOW_CNI,
      'kubectl -n kube-system logs -l k8s-app=aws-node -c aws-node --tail=50',
      'aws iam list-attached-role-policies --role-name {nodeRole}',
    ],
    explains: ['nodes.network-not-ready', 'L6.1'],
    explainedBy: ['nodes.runtime-not-ready'],
    keepsPodsAway: true,
    recognise: (evidence) =>
      firstNode(evidence, (node) => {
        const ready = conditionOf(node, 'Ready');
        if (ready === undefined || ready.status === 'True') return undefined;
        const isNew =
          evidence.ageMs(Math.max(Date.parse(ready.lastTransitionTime) || 0, node.createdAtMs)) <= LATE_MS;
        return isNew || !CNI.test(ready.message ?? '') ? undefined : ready.message;
      }),
  },
  {
    id: 'aws-nodes.pod-eni-missing',
    layer: 'scheduling',
    specificity: 'exact',
    point: 'L6.1',
    title: 'The node does not offer vpc.amazonaws.com/pod-eni',
    symptom:
      'The condition Initialized of the NodeClaim is Unknown (ResourceNotRegistered) for vpc.amazonaws.com/pod-eni.',
    summary: '{claim} is not initialized: {problem}',
    fix: 'Turn on security groups for pods in the VPC CNI: kubectl -n kube-system set env daemonset aws-node ENABLE_POD_ENI=true. The cluster role needs AmazonEKSVPCResourceController, and the instance type must support trunking (Nitro).',
    confirm: ['kubectl -n kube-system get daemonset aws-node -o yaml | grep -A1 ENABLE_POD_ENI', SHOW_NODE],
    explains: ['nodes.resource-missing', 'L6.1'],
    keepsPodsAway: true,
    recognise: (evidence) => notRegistered(evidence, /vpc\.amazonaws\.com\/pod-eni/),
  },
  {
    id: 'aws-nodes.device-missing',
    layer: 'scheduling',
    specificity: 'exact',
    point: 'L6.1',
    title: 'A device plugin of AWS does not run on the node',
    symptom:
      'The condition Initialized of the NodeClaim is Unknown (ResourceNotRegistered) for GPUs, Neuron, EFA or private IPv4 addresses.',
    summary: '{claim} is not initialized: {problem}',
    fix: 'Install the device plugin: NVIDIA for nvidia.com/gpu, Neuron for aws.amazon.com/neuron, EFA for vpc.amazonaws.com/efa, and Windows support of the VPC resource controller for vpc.amazonaws.com/PrivateIPv4Address. The AMI must have the driver: use the accelerated variant.',
    confirm: ['kubectl get daemonsets -A', SHOW_NODE],
    explains: ['nodes.resource-missing', 'L6.1'],
    keepsPodsAway: true,
    recognise: (evidence) =>
      notRegistered(
        evidence,
        /nvidia\.com\/gpu|aws\.amazon\.com\/neuron|vpc\.amazonaws\.com\/(?:efa|PrivateIPv4Address)|habana\.ai\/gaudi/,
      ),
  },
  {
    id: 'aws-nodes.less-than-expected',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'The node has less memory than expected',
    symptom: 'The condition ConsistentStateFound of the NodeClaim is False.',
    summary: '{claim}: {problem}',
    fix: 'The hypervisor takes more than the estimate. Raise VM_MEMORY_OVERHEAD_PERCENT a little (0.075 by default); what is observed on nodes is used for later ones. A huge page or kubelet reservation in spec.userData has the same effect.',
    confirm: ['kubectl describe nodeclaim {claim}', SHOW_NODE],
    keepsPodsAway: true,
    recognise: (evidence) => {
      for (const claim of evidence.liveClaims) {
        const condition = conditionOf(claim, 'ConsistentStateFound');
        if (condition?.status !== 'False') continue;
        const problem = condition.message ?? condition.reason ?? '';
        return {
          weight: isTrue(claim, 'Initialized') ? 'suspicious' : 'broken',
          facts: { claim: claim.name, problem },
          seen: [seen(claim, `ConsistentStateFound is False: ${problem}`)],
        };
      }
      return undefined;
    },
  },
  {
    id: 'aws-nodes.termination-handler',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'The AWS Node Termination Handler acts on the same nodes',
    symptom: 'The Node has a taint of aws-node-termination-handler.',
    summary:
      '{node} was tainted by the Node Termination Handler ({problem}), which drains it while the controller replaces it.',
    fix: 'Remove the Node Termination Handler, or keep it from nodes of this controller: the controller handles interruptions itself (--interruption-queue).',
    confirm: ['kubectl get daemonsets,deployments -A | grep node-termination-handler', SHOW_NODE],
    keepsPodsAway: true,
    recognise: (evidence) =>
      firstNode(
        evidence,
        ({ taints }) => taints.find(({ key }) => key.startsWith('aws-node-termination-handler/'))?.key,
      ),
  },
  nodeCondition(
    'accelerator-broken',
    'AcceleratedHardwareReady',
    'An accelerator of the node is broken',
    'If node repair is enabled, the node is replaced after ten minutes. Otherwise delete its NodeClaim.',
    hasBeenStarted,
  ),
  nodeCondition(
    'networking-broken',
    'NetworkingReady',
    'The network of the node is broken',
    'If node repair is enabled, the node is replaced after 30 minutes. Otherwise delete its NodeClaim.',
  ),
  nodeCondition(
    'storage-broken',
    'StorageReady',
    'A disk of the node is broken',
    'If node repair is enabled, the node is replaced after 30 minutes. Otherwise delete its NodeClaim.',
    true,
  ),
  nodeCondition(
    'kernel-broken',
    'KernelReady',
    'The kernel of the node reports errors',
    'If node repair is enabled, the node is replaced after 30 minutes. Otherwise delete its NodeClaim.',
    hasBeenStarted,
  ),
  nodeCondition(
    'runtime-broken',
    'ContainerRuntimeReady',
    'The container runtime of the node is broken',
    'If node repair is enabled, the node is replaced after 30 minutes. Otherwise delete its NodeClaim.',
    true,
  ),
];

// ---------------------------------------------------------------------------------------------------------------

const LATE_MS = 2 * 60_000;
/** As for devices on every cloud: their plugins are pods, which are pulled and started first. */
const DEVICE_LATE_MS = 5 * 60_000;
const CNI = /cni plugin not initialized|cni config uninitialized|NetworkPluginNotReady/i;

/** Conditions of the node monitoring agent of EKS. */
function nodeCondition(
  name: string,
  type: string,
  title: string,
  fix: string,
  failsContainers?: Cause['failsContainers'],
): Cause {
  return {
    id: `aws-nodes.${name}`,
    layer: 'scheduling',
    specificity: 'exact',
    title,
    symptom: `The condition ${type} of the Node is False.`,
    summary: `${title} ({node}): {problem}`,
    fix,
    confirm: [SHOW_NODE],
    ...(failsContainers === undefined ? {} : { failsContainers }),
    recognise: (evidence) =>
      firstNode(evidence, (node) => {
        const condition = conditionOf(node, type);
        return condition?.status === 'False' ? (condition.message ?? condition.reason ?? type) : undefined;
      }),
  };
}

function firstNode(
  evidence: EvidenceSet,
  problemOf: (node: NodeEvidence) => string | undefined,
): Match | undefined {
  for (const node of evidence.all('node')) {
    if (node.deletingSinceMs !== undefined) continue;
    const problem = problemOf(node);
    if (problem !== undefined) return { facts: { node: node.name, problem }, seen: [seen(node, problem)] };
  }
  return undefined;
}

function notRegistered(evidence: EvidenceSet, names: RegExp): Match | undefined {
  for (const claim of evidence.liveClaims) {
    const condition = conditionOf(claim, 'Initialized');
    const since = Date.parse(conditionOf(claim, 'Registered')?.lastTransitionTime ?? '');
    if (condition?.reason !== 'ResourceNotRegistered' || !names.test(condition.message ?? '')) continue;
    if (!(evidence.ageMs(since) > DEVICE_LATE_MS)) continue;
    const problem = condition.message ?? '';
    return {
      facts: { claim: claim.name, node: claim.nodeName ?? claim.name, problem },
      seen: [seen(claim, `Initialized is ${condition.status}, ResourceNotRegistered: ${problem}`)],
    };
  }
  return undefined;
}
