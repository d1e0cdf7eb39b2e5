/**
 * Layer 5 on AWS, the console of the instance: what nodeadm (AL2023), bootstrap.sh (AL2), cloud-init and Bottlerocket write
 * when they fail. The kubelet of AL2023 does not write to the console; `join.ts` has what is seen without it.
 */
import {
  bootLine,
  type Cause,
  type EvidenceSet,
  type Match,
  SHOW_OPTIONS,
  seen,
} from '../../../causes/index.ts';

import { RENDER_INPUT, SHOW_CONSOLE } from './aws-row.ts';

interface Row {
  readonly name: string;
  readonly says: RegExp;
  /** It may succeed later: suspicious until the instance should have joined. */
  readonly isRetried?: true;
  readonly title: string;
  readonly fix: string;
  readonly confirm?: readonly string[];
  readonly specificity?: Cause['specificity'];
  readonly explains?: readonly string[];
}

const RENDER = `kubectl get ec2nodeclass/{nodeClass} nodeclaim/{claim} -o yaml | ${RENDER_INPUT}`;
const RENDERED = 'In rendered user data, the endpoint and the CA of the cluster are those of an example.';
const SHOW_USER_DATA = 'kubectl get ec2nodeclass {nodeClass} -o jsonpath={.spec.userData}';
const ANY_SCRIPT = ['aws-boot.script-failed', 'aws-boot.nodeadm-failed', 'aws-boot.bottlerocket-failed'];

const ROWS: readonly Row[] = [
  {
    name: 'no-metadata',
    isRetried: true,
    says: /No instance datasource found|IMDS request failed|Error retrieving user data|failed to get .{0,40}from IMDS|ec2imds: .{0,80}(?:40[13]|timeout|no EC2 IMDS)|no EC2 IMDS role found|instance metadata service is not available/i,
    title: 'The instance cannot read its metadata (IMDS)',
    fix: 'Set httpEndpoint to enabled in spec.metadataOptions of the EC2NodeClass. With httpTokens required, an AMI that only knows IMDSv1 cannot read it. A hop limit of 1 is enough for the node itself, not for containers.',
    confirm: [
      'kubectl get ec2nodeclass {nodeClass} -o jsonpath={.spec.metadataOptions}',
      'aws ec2 describe-instances --region {region} --instance-ids {instance} --query "Reservations[].Instances[].MetadataOptions"',
    ],
    explains: ANY_SCRIPT,
  },
  {
    name: 'no-node-config',
    says: /could not find NodeConfig within UserData|no config in chain|no config found in/i,
    title: 'nodeadm finds no NodeConfig in the user data',
    fix: 'The user data of an AL2023 node must have a MIME part application/node.eks.aws. With amiFamily Custom, spec.userData is used as it is: add the NodeConfig there, or use amiFamily AL2023.',
    confirm: [RENDER, SHOW_USER_DATA],
    explains: ANY_SCRIPT,
  },
  {
    name: 'node-config-invalid',
    says: /failed to decode node config|strict decoding error|unable to convert \S+ to internal NodeConfig|failed to decode "\S+"|failed to merge node configs|MIME type is not multipart|failed to (?:decode|decompress) user data/i,
    title: 'The NodeConfig in the user data is invalid',
    fix: 'Correct the NodeConfig in spec.userData of the EC2NodeClass: the message names the field.',
    confirm: [RENDER, SHOW_USER_DATA],
    explains: ANY_SCRIPT,
  },
  {
    name: 'cluster-details-missing',
    says: /(?:Name|Apiserver endpoint|Certificate authority|CIDR) is missing in cluster configuration/i,
    title: 'The NodeConfig lacks a value of the cluster',
    fix: 'nodeadm needs name, endpoint, CA and service CIDR of the cluster. Check CLUSTER_NAME, CLUSTER_ENDPOINT and CLUSTER_CA_BUNDLE of the controller, and that it may call eks:DescribeCluster. A NodeConfig in spec.userData may have replaced them with empty values.',
    confirm: [SHOW_OPTIONS, RENDER],
    explains: ANY_SCRIPT,
  },
  {
    name: 'bootstrap-removed',
    says: /bootstrap\.sh has been removed from AL2023/i,
    title: 'The user data calls bootstrap.sh, which AL2023 does not have',
    fix: 'Remove /etc/eks/bootstrap.sh from spec.userData. Write kubelet settings as a NodeConfig, or into spec.kubelet of the EC2NodeClass.',
    confirm: [SHOW_USER_DATA],
    explains: ANY_SCRIPT,
  },
  {
    name: 'worker-policy-missing',
    isRetried: true,
    says: /ec2:DescribeInstances|UnauthorizedOperation.{0,200}DescribeInstances|DescribeInstances.{0,200}UnauthorizedOperation|eks:DescribeCluster|AccessDeniedException.{0,100}DescribeCluster/i,
    title: 'The node role lacks the policy of EKS workers',
    fix: 'Attach AmazonEKSWorkerNodePolicy (or AmazonEKSWorkerNodeMinimalPolicy) to the node role {nodeRole}: aws iam attach-role-policy --role-name {nodeRole} --policy-arn arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy',
    confirm: ['aws iam list-attached-role-policies --role-name {nodeRole}'],
    explains: ANY_SCRIPT,
  },
  {
    name: 'no-instance-role',
    isRetried: true,
    says: /NoCredentialProviders|no EC2 IMDS role found|failed to refresh cached credentials|Unable to locate credentials|could not get token/i,
    title: 'The instance has no role',
    fix: 'The instance profile has no role, or its role was deleted after the launch. Put the node role into the profile: aws iam add-role-to-instance-profile --instance-profile-name {profile} --role-name <node role>. Then delete the NodeClaim.',
    confirm: ['aws iam get-instance-profile --instance-profile-name {profile}'],
    explains: ['L5.4', ...ANY_SCRIPT],
  },
  {
    name: 'ecr-denied',
    isRetried: true,
    says: /(?:dkr\.ecr|public\.ecr)\S*.{0,200}(?:no basic auth credentials|403 Forbidden|AccessDenied|not authorized)|ecr:GetAuthorizationToken/i,
    title: 'The node may not pull images from ECR',
    fix: 'Attach AmazonEC2ContainerRegistryPullOnly to the node role {nodeRole}. In a VPC without internet access, endpoints for ecr.api, ecr.dkr and s3 are needed.',
    confirm: ['aws iam list-attached-role-policies --role-name {nodeRole}'],
  },
  {
    name: 'cluster-unknown',
    isRetried: true,
    says: /ResourceNotFoundException.{0,200}(?:cluster|No cluster found)|No cluster found for name|Waiter ClusterActive failed/i,
    title: 'EKS does not have a cluster with the name in the user data',
    fix: 'Set CLUSTER_NAME of the controller to the name of the cluster in EKS (aws eks list-clusters).',
    confirm: ['aws eks list-clusters --region {region}', SHOW_OPTIONS],
    explains: ANY_SCRIPT,
  },
  {
    name: 'max-pods-entry',
    says: /[Nn]o entry for (?:type )?'?\S+'? in \S*eni-max-pods\.txt/,
    title: 'The AMI does not know the instance type',
    fix: 'Use a newer AMI version, or set spec.kubelet.maxPods of the EC2NodeClass: the file eni-max-pods.txt of this AMI has no row for the type.',
    confirm: ['kubectl get ec2nodeclass {nodeClass} -o jsonpath={.status.amis}'],
    explains: ANY_SCRIPT,
  },
  {
    name: 'swap',
    says: /running with swap on is not supported/i,
    title: 'The kubelet does not start, because the instance type has swap',
    fix: 'Exclude the instance types with a swap volume (m1.small, c1.medium) in the NodePool: node.kubernetes.io/instance-type NotIn.',
    confirm: ['kubectl get nodepool {nodePool} -o jsonpath={.spec.template.spec.requirements}'],
    explains: ANY_SCRIPT,
  },
  {
    name: 'wrong-architecture',
    says: /exec format error|cannot execute binary file|Exec format error/,
    title: 'The node runs programs of another architecture',
    fix: 'A script or binary in spec.userData or in the AMI is built for another architecture. Use one for each architecture that the NodePool allows, or restrict kubernetes.io/arch.',
    confirm: ['kubectl get ec2nodeclass {nodeClass} -o jsonpath={.status.amis}', SHOW_USER_DATA],
    explains: ANY_SCRIPT,
  },
  {
    name: 'settings-not-toml',
    says: /Error parsing TOML user data|User data was not a TOML|Unable to serialize settings from instance user data|TOML parse error/i,
    title: 'The user data of a Bottlerocket node is not valid TOML',
    fix: 'Correct spec.userData of the EC2NodeClass: Bottlerocket takes TOML with [settings.…] tables, not MIME and not a shell script.',
    confirm: [RENDER, SHOW_USER_DATA],
    explains: ['aws-boot.settings-refused', ...ANY_SCRIPT],
  },
  {
    name: 'settings-refused',
    says: /early-boot-config.{0,200}(?:[Ff]ailed|[Ee]rror|unknown field)|apiserver.{0,100}(?:Unable to match your input|unknown field)/,
    title: 'Bottlerocket rejects a setting of the user data',
    fix: 'Remove or correct the setting that the message names in spec.userData. This version of Bottlerocket does not have it.',
    confirm: [RENDER, SHOW_USER_DATA],
    explains: ANY_SCRIPT,
  },
  {
    name: 'private-dns-name',
    isRetried: true,
    says: /Timed out retrieving private DNS name from EC2|pluto.{0,120}(?:Timed out|timed out|[Ff]ailed|[Uu]nable)/,
    title: 'A Bottlerocket node cannot ask EC2 or EKS for its settings',
    fix: 'The node needs a route to the APIs of EC2 and EKS (NAT gateway, or VPC endpoints with private DNS), and AmazonEKSWorkerNodePolicy on its role.',
    confirm: [
      'aws ec2 describe-vpc-endpoints --region {region} --query "VpcEndpoints[].[ServiceName,State,PrivateDnsEnabled]"',
      'aws iam list-attached-role-policies --role-name {nodeRole}',
    ],
    explains: ANY_SCRIPT,
  },
  {
    name: 'nodeadm-failed',
    isRetried: true,
    specificity: 'particular',
    says: /nodeadm\S*.{0,20}"level":"(?:fatal|error)"|nodeadm.{0,200}Command failed|nodeadm-(?:config|run)\.service: (?:Failed with result|Main process exited)|Failed to start EKS Nodeadm/,
    title: 'nodeadm fails on the instance',
    fix: 'The message says why. Read the whole console, and render the user data of the NodeClaim to compare.',
    confirm: [RENDER],
    explains: ['aws-boot.script-failed'],
  },
  {
    name: 'script-failed',
    specificity: 'particular',
    says: /Failed to run module scripts-user|scripts-user.{0,60}(?:failed|WARNING)|Exited with error on line \d+|cloud-final\.service: (?:Failed with result|Main process exited)|bootstrap\.sh: line \d+|part-\d{3}\S* \[\d+\]/,
    title: 'A script of the user data fails',
    fix: 'Read /var/log/cloud-init-output.log on the instance, or its console: the lines before the message show the command that failed. A script of spec.userData that ends with an error keeps the node from joining.',
    confirm: [SHOW_USER_DATA],
  },
  {
    name: 'bottlerocket-failed',
    specificity: 'particular',
    says: /Dependency failed for Kubelet|Failed to start (?:Bottlerocket|Kubelet|containerd|User-specified setting generators|Generate additional settings)/,
    title: 'A service of Bottlerocket fails',
    fix: 'The first [FAILED] line of the console names the service, and the lines before it say why.',
    confirm: [RENDER],
  },
];

export const BOOTSTRAP: readonly Cause[] = ROWS.map((row) => ({
  id: `aws-boot.${row.name}`,
  layer: 'bootstrap',
  specificity: row.specificity ?? 'exact',
  title: row.title,
  symptom: 'The instance runs and no Node appears. Its console shows the error.',
  summary: `${row.title} ({claim}): {problem}`,
  fix: row.confirm?.includes(RENDER) === true ? `${row.fix} ${RENDERED}` : row.fix,
  confirm: [SHOW_CONSOLE, ...(row.confirm ?? [])],
  ...(row.explains === undefined
    ? {}
    : { explains: row.explains.filter((id) => id !== `aws-boot.${row.name}`) }),
  recognise: (evidence) => inConsole(evidence, row.says, row.isRetried !== true),
}));

/** In the console of an instance that has not joined. */
export function inConsole(evidence: EvidenceSet, pattern: RegExp, isFinal = false): Match | undefined {
  const found = bootLine(evidence, (line) => pattern.test(line), { isFinal });
  if (found === undefined) return undefined;
  const { claim, log, line, weight } = found;
  return {
    weight,
    facts: { claim: claim.name, nodeClass: claim.nodeClass, nodePool: claim.nodePool, problem: line },
    seen: [seen(log, line)],
  };
}
