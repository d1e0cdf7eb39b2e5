/** Layers 6 and 7 on AWS: addresses, volumes, Windows and credentials of pods, by the events of the pod and its logs. */
import {
  badContainers,
  type Cause,
  type EvidenceSet,
  failingPod,
  lastEnd,
  loggedProblem,
  type Match,
  podNames,
  pullProblem,
  schedulerRefusal,
  seen,
  startFailure,
  waitingPod,
} from '../../../causes/index.ts';

interface Row {
  readonly name: string;
  /** Of events before containers are created. */
  readonly reasons: readonly string[];
  /** Also of a container that waits for its image, or that the runtime cannot start. */
  readonly ofContainers?: true;
  readonly says: RegExp;
  readonly title: string;
  readonly fix: string;
  readonly confirm?: readonly string[];
  readonly explains: readonly string[];
  /** Whether the rest of the evidence agrees. */
  readonly agrees?: (evidence: EvidenceSet) => boolean;
}

const SHOW_POD = 'kubectl describe pod -n {namespace} {podName}';
const NO_ADDRESS =
  /failed to assign an IP address to container|add cmd: failed to assign an IP|InsufficientCidrBlocks|no free IP addresses|failed to allocate.{0,40}(?:IP|prefix)/i;
const SANDBOX = [
  'network.sandbox-failed',
  'network.no-addresses',
  'pods.sandbox-failed',
  'images.sandbox-image',
];
const ATTACH = ['volumes.attach-failed'];

/** Between a node and the containers of a pod on it. */
const ROWS: readonly Row[] = [
  {
    name: 'subnet-full',
    reasons: ['FailedCreatePodSandBox'],
    says: NO_ADDRESS,
    title: 'The subnet of the node has no addresses left for pods',
    fix: 'Add a CIDR block and larger subnets, spread nodes over more subnets, use custom networking with a secondary CIDR, or IPv6.',
    confirm: [
      'aws ec2 describe-subnets --region {region} --subnet-ids {subnet} --query "Subnets[].[SubnetId,AvailableIpAddressCount]"',
    ],
    explains: [...SANDBOX, 'aws-pods.too-many-pods'],
    agrees: (evidence) =>
      evidence
        .all('cloudResource')
        .some(
          ({ type, facts }) => type === 'subnet' && Number(facts['freeAddresses'] ?? 'NaN') < FEW_ADDRESSES,
        ),
  },
  {
    name: 'too-many-pods',
    reasons: ['FailedCreatePodSandBox'],
    says: NO_ADDRESS,
    title: 'The VPC CNI has no address for the pod',
    fix: 'maxPods is higher than the addresses of the network interfaces of the type: remove spec.kubelet.maxPods, or turn on prefix delegation (kubectl -n kube-system set env daemonset aws-node ENABLE_PREFIX_DELEGATION=true). With custom networking, set RESERVED_ENIS=1 of the controller. If the subnet is full, see its AvailableIpAddressCount.',
    confirm: [
      'kubectl -n kube-system logs -l k8s-app=aws-node -c aws-node --tail=50',
      'aws ec2 describe-subnets --region {region} --query "Subnets[].[SubnetId,AvailableIpAddressCount]" --output table',
    ],
    explains: SANDBOX,
  },
  {
    name: 'branch-interface',
    reasons: ['FailedCreatePodSandBox', 'BranchAllocationFailed'],
    says: /branch (?:ENI|interface)|pod-eni|vpc-resource-controller|Failed to find corresponding branch/i,
    title: 'The pod gets no network interface of its own',
    fix: 'Security groups for pods need trunking: instance types that support it, ENABLE_POD_ENI=true on aws-node, and the label vpc.amazonaws.com/has-trunk-attached=false in the labels of the NodePool, so that the VPC resource controller sees new nodes at once.',
    confirm: [
      'kubectl get node {node} -o jsonpath={.status.allocatable}',
      'kubectl get securitygrouppolicies -A',
    ],
    explains: [...SANDBOX, 'aws-pods.too-many-pods'],
  },
  {
    name: 'windows-support',
    reasons: ['FailedCreatePodSandBox'],
    says: /pod does not have label vpc\.amazonaws\.com\/PrivateIPv4Address|vpc-bridge|failed to parse Kubernetes args/i,
    title: 'Windows support of the VPC CNI is off',
    fix: 'Turn it on: set enable-windows-ipam to "true" in the ConfigMap amazon-vpc-cni of kube-system, and attach AmazonEKSVPCResourceController to the cluster role.',
    confirm: ['kubectl -n kube-system get configmap amazon-vpc-cni -o yaml'],
    explains: [...SANDBOX, 'aws-pods.too-many-pods'],
  },
  {
    name: 'windows-version',
    reasons: ['FailedCreatePodSandBox'],
    ofContainers: true,
    says: /no matching manifest for windows|container operating system does not match the host|0xc0370101/i,
    title: 'The image is for another version of Windows than the node',
    fix: 'Windows containers need the build of their host: select it with node.kubernetes.io/windows-build in the nodeSelector of the pod, or use an image for the version of the AMI family.',
    confirm: ['kubectl get nodes -L node.kubernetes.io/windows-build'],
    explains: ['images.wrong-platform', 'L7.1', ...SANDBOX],
  },
  {
    name: 'volume-limit',
    reasons: ['FailedAttachVolume'],
    says: /AttachmentLimitExceeded|maximum number of attachments|attachment limit|volume limit/i,
    title: 'The node has as many volumes attached as its instance type allows',
    fix: 'Use the EBS CSI driver and not the in-tree plugin: only its CSINode tells the limit to the scheduler. On new nodes the limit is not known at once: add the startup taint ebs.csi.aws.com/agent-not-ready:NoExecute to the NodePool.',
    confirm: ['kubectl get csinode {node} -o yaml', 'kubectl get volumeattachments'],
    explains: ATTACH,
  },
  {
    name: 'volume-zone',
    reasons: ['FailedAttachVolume'],
    says: /InvalidVolume\.ZoneMismatch|is not in the same availability zone/i,
    title: 'The volume is in another zone than the node',
    fix: 'EBS volumes belong to a zone. Use volumeBindingMode WaitForFirstConsumer in the StorageClass, and let the NodePool use the zone of the volume.',
    confirm: ['kubectl get pv -o custom-columns=NAME:.metadata.name,ZONE:.spec.nodeAffinity', SHOW_POD],
    explains: ATTACH,
  },
  {
    name: 'ecr-login',
    reasons: [],
    ofContainers: true,
    says: /dkr\.ecr\S*.{0,300}(?:no basic auth credentials|403 Forbidden|not authorized|authorization failed|AccessDenied)/i,
    title: 'The node may not pull the image from ECR',
    fix: 'Attach AmazonEC2ContainerRegistryPullOnly to the node role {nodeRole}. A repository of another account needs a policy that admits this one.',
    confirm: [
      'aws iam list-attached-role-policies --role-name {nodeRole}',
      'aws ecr get-repository-policy --repository-name <repository>',
    ],
    explains: ['images.unauthorized', 'L7.1'],
  },
];

export const PODS: readonly Cause[] = [
  ...ROWS.map(
    (row): Cause => ({
      id: `aws-pods.${row.name}`,
      layer: 'readiness',
      specificity: 'exact',
      title: row.title,
      symptom: symptomOf(row),
      summary: `${row.title} ({pod} on {node}): {problem}`,
      fix: row.fix,
      confirm: [SHOW_POD, ...(row.confirm ?? [])],
      explains: row.explains,
      recognise: (evidence) => recognised(row, evidence),
    }),
  ),
  {
    id: 'aws-pods.metadata-hop-limit',
    layer: 'readiness',
    specificity: 'exact',
    title: 'The container cannot reach the metadata of the instance (hop limit 1)',
    symptom: 'The log of the container ends with an error about credentials or IMDS.',
    summary:
      'A container of {pod} asks the metadata service of the instance, which answers containers only with a hop limit of 2: {problem}',
    fix: 'Give the pod a role of its own (IRSA or EKS Pod Identity) instead of that of the node. If it must use the metadata service, set spec.metadataOptions.httpPutResponseHopLimit of the EC2NodeClass to 2, or run the pod with hostNetwork.',
    confirm: [
      'kubectl get ec2nodeclass -o custom-columns=NAME:.metadata.name,HOPS:.spec.metadataOptions.httpPutResponseHopLimit',
    ],
    explains: ['L7.2'],
    recognise: hopLimit,
  },
  {
    id: 'aws-pods.windows-dns',
    layer: 'readiness',
    specificity: 'exact',
    title: 'The Windows node cannot run kube-proxy: names are not resolved',
    symptom:
      'The log of a pod on a Windows node says that a name is not resolved, and aws-auth lacks the group eks:kube-proxy-windows.',
    summary: 'aws-auth gives the Windows node of {pod} no group eks:kube-proxy-windows ({problem}).',
    fix: 'Add the group eks:kube-proxy-windows to the row of the node role in aws-auth, or use an access entry of the type EC2_WINDOWS.',
    confirm: ['kubectl -n kube-system get configmap aws-auth -o yaml'],
    explains: ['L7.2'],
    recognise: windowsDns,
  },
  {
    id: 'aws-pods.too-many-volumes',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'The nodes have as many volumes as they can attach',
    symptom: 'The scheduler says that nodes exceed the maximum volume count.',
    summary: '{pod}: {problem}',
    fix: 'Use larger or newer instance types, fewer volumes per pod, or more zones. The controller counts volumes of the EBS CSI driver only: migrate volumes of the in-tree plugin.',
    confirm: [SHOW_POD, 'kubectl get csinodes'],
    explains: ['scheduling.volume-limit'],
    recognise: (evidence) => schedulerRefusal(evidence, /exceed max volume count/i),
  },
  {
    id: 'aws-pods.fractional-gpu',
    layer: 'scheduling',
    specificity: 'exact',
    title: 'EC2 reports no GPU for the g6f and gr6f types',
    symptom: 'A pod that requests nvidia.com/gpu and selects g6f or gr6f types stays Pending.',
    summary: '{pod} requests a GPU of a type with a part of one, for which EC2 reports none: {problem}',
    fix: 'Add a NodeOverlay that gives these types the capacity nvidia.com/gpu: 1, and enable the feature gate NodeOverlay.',
    confirm: [
      'aws ec2 describe-instance-types --region {region} --instance-types g6f.large --query "InstanceTypes[].GpuInfo"',
      SHOW_POD,
    ],
    explains: ['L6.3', 'scheduling.no-type'],
    recognise: fractionalGpu,
  },
];

// ---------------------------------------------------------------------------------------------------------------

/** The CNI needs an address for each pod, and keeps some in reserve. */
const FEW_ADDRESSES = 8;
const IMDS =
  /no EC2 IMDS role found|NoCredentialProviders|Unable to locate credentials|Failed to (?:get|retrieve).{0,40}(?:IMDS|instance metadata)|EC2MetadataError|169\.254\.169\.254.{0,120}(?:timeout|timed out|deadline|EOF|refused)|Could not load credentials from any providers/i;

/** What programs for Windows write about a name that is not resolved. */
const NOT_RESOLVED =
  /no such host|could not (?:be resolved|resolve)|name resolution|name or service not known|NameResolutionFailure|getaddrinfo|ENOTFOUND|EAI_AGAIN|server misbehaving/i;

function symptomOf({ reasons, ofContainers }: Row): string {
  const ways = [
    ...(reasons.length === 0
      ? []
      : [`has the event ${reasons.join(' or ')}, and none of its containers has been created since`]),
    ...(ofContainers === true ? ['has a container that waits for its image or cannot be started'] : []),
  ];
  return `The pod is assigned to a node and ${ways.join('; or it ')}.`;
}

function recognised({ reasons, ofContainers, says, agrees }: Row, evidence: EvidenceSet): Match | undefined {
  if (agrees?.(evidence) === false) return undefined;
  const match = reasons.length === 0 ? undefined : startFailure(evidence, reasons, says);
  return match ?? (ofContainers === true ? notStarted(evidence, says) : undefined);
}

/** By what a container waits for now: events of the same pod may be about another one, or over. */
function notStarted(evidence: EvidenceSet, says: RegExp): Match | undefined {
  const pod = failingPod(evidence);
  if (pod === undefined) return undefined;
  for (const container of badContainers(pod)) {
    const pull = pullProblem(container, evidence);
    const isPull = pull !== undefined && says.test(`${container.image}: ${pull}`);
    // Words of the runtime about a container that it cannot start.
    const words = [container.waiting?.message, lastEnd(container, evidence.atMs)?.message];
    const problem = isPull ? pull : words.find((each) => each !== undefined && says.test(each));
    if (problem === undefined) continue;
    return {
      facts: { ...podNames(pod), node: pod.nodeName ?? '', problem },
      seen: [seen(pod, `${container.name}: ${problem}`)],
    };
  }
  return undefined;
}

function hopLimit(evidence: EvidenceSet): Match | undefined {
  const settings = evidence.all('cloudResource').find(({ type }) => type === 'launchSettings');
  // Without the class, a limit of 1 is only the default.
  if (settings === undefined || settings.facts['httpHopLimit'] !== '1') return undefined;
  const match = loggedProblem(evidence, IMDS);
  if (match === undefined) return undefined;
  return { ...match, seen: [...match.seen, seen(settings, 'httpPutResponseHopLimit is 1')] };
}

function windowsDns(evidence: EvidenceSet): Match | undefined {
  const pod = failingPod(evidence);
  const map = evidence.all('cloudResource').find(({ type }) => type === 'awsAuth');
  const settings = evidence.all('cloudResource').find(({ type }) => type === 'launchSettings');
  const isWindows = evidence
    .all('node')
    .some(({ name, labels }) => name === pod?.nodeName && labels['kubernetes.io/os'] === 'windows');
  const groups = map?.facts[`groups of ${settings?.facts['role'] ?? ''}`];
  if (map === undefined || !isWindows || groups === undefined || hasWindowsEntry(evidence)) return undefined;
  if (groups.split(' ').includes('eks:kube-proxy-windows')) return undefined;
  const match = loggedProblem(evidence, NOT_RESOLVED);
  if (match === undefined) return undefined;
  return {
    ...match,
    facts: { ...match.facts, problem: `its groups are ${groups}` },
    seen: [...match.seen, seen(map, `groups ${groups}`)],
  };
}

/** An access entry counts before aws-auth, and this type has the group. */
function hasWindowsEntry(evidence: EvidenceSet): boolean {
  return evidence
    .all('cloudResource')
    .some(({ type, found, facts }) => type === 'accessEntry' && found && facts['type'] === 'EC2_WINDOWS');
}

function fractionalGpu(evidence: EvidenceSet): Match | undefined {
  const pod = waitingPod(evidence);
  const plan = evidence.first('plan');
  if (pod === undefined || plan?.outcome !== 'refused') return undefined;
  const refusal = plan.refusals.find(({ text, facts }) => {
    const all = `${text} ${Object.values(facts).join(' ')}`;
    return /\bg(?:r)?6f\b/.test(all) && /nvidia\.com\/gpu/.test(all);
  });
  if (refusal === undefined) return undefined;
  return { facts: { ...podNames(pod), problem: refusal.text }, seen: [seen(plan, refusal.text)] };
}
