/** Layer 7 on Azure: registries of Azure that do not accept where a pull comes from. */
import {
  badContainers,
  type Cause,
  type ContainerEvidence,
  type EvidenceSet,
  failingPod,
  type Match,
  podNames,
  pullProblem,
  seen,
} from '../../../causes/index.ts';

/** 401 is the answer to a missing permission, and 403 that of its firewall. */
export const AZURE_REGISTRY: readonly Cause[] = [
  {
    id: 'azure-registry.address-refused',
    layer: 'readiness',
    specificity: 'exact',
    point: 'L7.1',
    title: 'The registry does not accept the address of the node',
    symptom:
      'The image is in an Azure container registry, the pod is in ImagePullBackOff or ErrImagePull, and the message says 403 Forbidden, or that a client with this IP is not allowed access.',
    summary:
      'The registry does not accept the address of node {node} ({image}, container {container} of {pod}): {problem}',
    fix: 'Link the zone privatelink.azurecr.io to the virtual network of the nodes, so that they use the private endpoint of the registry, or allow their outbound address in its firewall. AcrPull is not what is missing: without it the registry answers 401.',
    confirm: [
      'kubectl describe pod -n {namespace} {podName}',
      'az acr show -n {registry} --query "[publicNetworkAccess,networkRuleSet]"',
    ],
    explains: ['images.unauthorized'],
    recognise: refusedByRegistry,
  },
];

// ---------------------------------------------------------------------------------------------------

const REGISTRY = /^([\w-]{1,64})(?:\.[\w-]{1,64})?\.azurecr\.(?:io|cn|us)\//;
const REFUSED = /\b403 Forbidden\b|\bclient with IP\b|aka\.ms\/acr\/firewall/i;

function refusedByRegistry(evidence: EvidenceSet): Match | undefined {
  const pod = failingPod(evidence);
  if (pod === undefined) return undefined;
  for (const container of badContainers(pod)) {
    const problem = pullProblem(container, evidence);
    const registry = registryOf(container);
    if (problem === undefined || registry === undefined || !REFUSED.test(problem)) continue;
    const { name, image } = container;
    return {
      facts: { ...podNames(pod), node: pod.nodeName ?? '', container: name, image, registry, problem },
      seen: [seen(pod, `${name}: ${problem}`)],
    };
  }
  return undefined;
}

function registryOf({ image }: ContainerEvidence): string | undefined {
  return REGISTRY.exec(image)?.[1];
}
