/**
 * Layer 1, the EC2NodeClass: reasons of its conditions, and what to do about each. A condition that is Unknown blocks launches
 * as one that is False does. What the controller may not do is in `denied.ts`.
 */
import { type Cause, type EvidenceSet, type Match, problemOf, seen } from '../../../causes/index.ts';

import { ERROR_CLASSIFIER } from '../evidence/classify-error.ts';
import { classProblems, controllerFacts, SHOW_CLASS } from './aws-row.ts';
import { fitsText } from './launch-failures.ts';
import { ACCESS_ROWS } from './launch-rows.table.ts';

interface ClassRow {
  readonly name: string;
  readonly reasons: readonly string[];
  readonly title: string;
  readonly fix: string;
  readonly confirm?: readonly string[];
  readonly specificity?: Cause['specificity'];
}

const SHOW_TERMS = 'kubectl get ec2nodeclass {nodeClass} -o jsonpath={.spec}';

const ROWS: readonly ClassRow[] = [
  {
    name: 'ami-not-found',
    reasons: ['AMINotFound'],
    title: 'No AMI matches the EC2NodeClass',
    fix: 'Correct amiSelectorTerms: an alias such as al2023@latest, or an id, name, tags or SSM parameter of this region and of an owner that is named (self and amazon without one). An alias needs images for the Kubernetes version of the cluster; a hard-coded id may be deregistered.',
    confirm: [
      SHOW_TERMS,
      'aws ssm get-parameters-by-path --region {region} --path /aws/service/eks/optimized-ami --recursive --query "Parameters[].Name" --max-items 20',
    ],
  },
  {
    name: 'unsupported-alias',
    reasons: ['UnsupportedAlias'],
    title: 'The AMI alias does not support the Kubernetes version of the cluster',
    fix: 'AL2 images end with Kubernetes 1.32, windows2025 starts with 1.35. Use al2023 or bottlerocket in amiSelectorTerms; AL2023 needs a NodeConfig instead of a bootstrap.sh in spec.userData.',
    confirm: [SHOW_TERMS, 'kubectl version'],
  },
  {
    name: 'subnets-not-found',
    reasons: ['SubnetsNotFound', 'SubnetNotFound'],
    title: 'No subnet matches the EC2NodeClass',
    fix: 'Tag the private subnets of the cluster as subnetSelectorTerms demands, usually karpenter.sh/discovery={cluster}: aws ec2 create-tags --resources subnet-… --tags Key=karpenter.sh/discovery,Value={cluster}. Or correct the terms: every tag of a term must match.',
    confirm: [
      SHOW_TERMS,
      'aws ec2 describe-subnets --region {region} --filters Name=tag:karpenter.sh/discovery,Values={cluster} --query "Subnets[].[SubnetId,AvailabilityZone]" --output table',
    ],
  },
  {
    name: 'security-groups-not-found',
    reasons: ['SecurityGroupsNotFound', 'SecurityGroupNotFound'],
    title: 'No security group matches the EC2NodeClass',
    fix: 'Tag the node security group as securityGroupSelectorTerms demands, usually karpenter.sh/discovery={cluster}, and only that one. Or select the cluster security group by its id.',
    confirm: [
      SHOW_TERMS,
      'aws ec2 describe-security-groups --region {region} --filters Name=tag:karpenter.sh/discovery,Values={cluster} --query "SecurityGroups[].[GroupId,GroupName]" --output table',
    ],
  },
  {
    name: 'instance-profile-not-found',
    reasons: ['InstanceProfileNotFound', 'InstanceProfileNameInvalid'],
    title: 'The instance profile does not exist',
    fix: 'Create the instance profile with the node role in it (aws iam create-instance-profile, add-role-to-instance-profile), or correct spec.instanceProfile. With spec.role instead, the controller creates the profile.',
    confirm: [
      'aws iam get-instance-profile --instance-profile-name $(kubectl get ec2nodeclass {nodeClass} -o jsonpath={.spec.instanceProfile})',
    ],
  },
  {
    name: 'role-not-found',
    reasons: ['RoleNotFound', 'InstanceProfileRoleNotFound', 'NodeRoleNotFound'],
    title: 'The node role does not exist',
    fix: 'Create the role of spec.role, or correct the name: it is the name of a role, not its ARN, and not that of an instance profile. Terraform modules add a random suffix unless the name prefix is turned off.',
    confirm: [
      'aws iam get-role --role-name $(kubectl get ec2nodeclass {nodeClass} -o jsonpath={.spec.role})',
    ],
  },
  {
    name: 'instance-profile-failed',
    reasons: ['InstanceProfileFailed', 'InstanceProfileResolutionFailed', 'InstanceProfileCreationFailed'],
    specificity: 'particular',
    title: 'The instance profile of the EC2NodeClass could not be prepared',
    fix: 'Fix the problem that the message describes. Without access to IAM (isolated VPC), create the profile yourself and set spec.instanceProfile instead of spec.role.',
    confirm: ['aws iam list-instance-profiles --path-prefix /karpenter/'],
  },
  {
    name: 'placement-group-not-found',
    reasons: ['PlacementGroupNotFound'],
    title: 'The placement group does not exist',
    fix: 'Create the placement group in this region, or correct it in the EC2NodeClass.',
    confirm: ['aws ec2 describe-placement-groups --region {region}'],
  },
  {
    name: 'placement-group-unreadable',
    reasons: ['PlacementGroupResolutionFailed'],
    specificity: 'particular',
    title: 'The placement group could not be read',
    fix: 'Allow ec2:DescribePlacementGroups (statement AllowRegionalReadActions, since Karpenter 1.11), or fix the problem that the message describes.',
    confirm: ['aws ec2 describe-placement-groups --region {region}'],
  },
  {
    name: 'cluster-cidr',
    reasons: ['ClusterCIDRResolutionFailed'],
    title: 'The service CIDR of the cluster could not be read',
    fix: 'Nodes with AL2023 need it. Allow eks:DescribeCluster on the cluster, and check that CLUSTER_NAME is the name of the cluster in EKS.',
    confirm: [
      'aws eks describe-cluster --region {region} --name {cluster} --query cluster.kubernetesNetworkConfig',
    ],
  },
  {
    name: 'kubelet-invalid',
    reasons: ['InvalidKubeletConfiguration'],
    title: 'spec.kubelet of the EC2NodeClass is invalid',
    fix: 'Correct the field that the message names.',
    confirm: ['kubectl get ec2nodeclass {nodeClass} -o jsonpath={.spec.kubelet}'],
  },
  {
    name: 'kubelet-unsupported',
    reasons: ['UnsupportedKubeletConfiguration'],
    title: 'The AMI family does not support a field of spec.kubelet',
    fix: 'Remove the field that the message names, or use another AMI family. Bottlerocket takes fewer kubelet settings than Amazon Linux.',
    confirm: ['kubectl get ec2nodeclass {nodeClass} -o jsonpath={.spec.kubelet}'],
  },
  {
    name: 'kubelet-expression',
    reasons: ['KubeletExpressionInvalid', 'KubeletExpressionEvaluationFailed'],
    title: 'An expression in spec.kubelet fails',
    fix: 'Correct the CEL expression that the message names; it must give a value for every instance type of the NodePool.',
    confirm: ['kubectl get ec2nodeclass {nodeClass} -o jsonpath={.spec.kubelet}'],
  },
  {
    name: 'kubelet-expressions-disabled',
    reasons: ['KubeletExpressionsDisabled'],
    title: 'spec.kubelet has an expression, and expressions are turned off',
    fix: 'Enable the feature gate NodeClassCEL of the controller, or write a plain value.',
    confirm: ['chandler controller --print-options'],
  },
  {
    name: 'tags-invalid',
    reasons: ['TagValidationFailed'],
    title: 'spec.tags has a tag that the controller sets itself',
    fix: 'Remove the tag that the message names: karpenter.sh/nodepool, karpenter.sh/nodeclaim, karpenter.k8s.aws/ec2nodeclass, eks:eks-cluster-name and kubernetes.io/cluster/… are reserved.',
    confirm: ['kubectl get ec2nodeclass {nodeClass} -o jsonpath={.spec.tags}'],
  },
  {
    name: 'user-data-too-large',
    reasons: ['UserDataSizeLimitExceeded'],
    title: 'The user data is larger than 16 KB',
    fix: 'Shorten spec.userData: load scripts from S3 or put them into the AMI. Labels, taints and kubelet settings are part of the user data too.',
    confirm: ['chandler bootstrap render --cloud aws'],
  },
  {
    name: 'auth-check-failed',
    reasons: [
      'CreateLaunchTemplateAuthCheckFailed',
      'CreateFleetAuthCheckFailed',
      'RunInstancesAuthCheckFailed',
    ],
    specificity: 'particular',
    title: 'The controller may not launch instances of the EC2NodeClass',
    fix: 'Decode the refusal (aws sts decode-authorization-message --encoded-message …) and allow what it names. A validation that failed is repeated after 30 minutes, or when any annotation of the EC2NodeClass changes.',
    confirm: ['kubectl annotate ec2nodeclass {nodeClass} checked-again="$(date +%s)" --overwrite'],
  },
];

export const NODE_CLASS: readonly Cause[] = [
  ...ROWS.map(
    (row): Cause => ({
      id: `ec2nodeclass.${row.name}`,
      layer: 'configuration',
      specificity: row.specificity ?? 'exact',
      title: row.title,
      symptom: `The EC2NodeClass is not Ready (${row.reasons.join(', ')}).`,
      summary: 'EC2NodeClass {nodeClass}: {problem}.',
      fix: row.fix,
      confirm: [SHOW_CLASS, ...(row.confirm ?? [])],
      explains: ['aws.class-readiness-unknown'],
      recognise: (evidence) => problemFor(evidence, ({ reason = '' }) => row.reasons.includes(reason)),
    }),
  ),
  // AWS does not answer, or not to these credentials: the same for a class as for a launch.
  ...ACCESS_ROWS.map(
    (row): Cause => ({
      id: `ec2nodeclass.${row.name}`,
      layer: 'configuration',
      specificity: 'exact',
      title: row.title,
      symptom: 'A condition of the EC2NodeClass is not True, and its message has the error of AWS.',
      summary: 'EC2NodeClass {nodeClass}: {problem}.',
      fix: row.fix,
      confirm: [SHOW_CLASS, ...(row.confirm ?? [])],
      explains: [
        'configuration.node-class-not-ready',
        'aws.class-readiness-unknown',
        'ec2nodeclass.instance-profile-failed',
        'ec2nodeclass.placement-group-unreadable',
        'ec2nodeclass.cluster-cidr',
      ],
      recognise: (evidence) =>
        problemFor(evidence, ({ message = '' }) => {
          const classified = ERROR_CLASSIFIER.classify(message);
          return classified !== undefined && fitsText(row, classified.reason, message);
        }),
    }),
  ),
];

/** Whether a reason of a condition has a row here. */
export function isExplainedReason(reason: string): boolean {
  return EXPLAINED.has(reason);
}

// ---------------------------------------------------------------------------------------------------------------

/** Of DependenciesNotReady, the dependencies say more. */
const EXPLAINED: ReadonlySet<string> = new Set([
  'DependenciesNotReady',
  ...ROWS.flatMap(({ reasons }) => reasons),
]);

type Condition = ReturnType<typeof classProblems>[number]['condition'];

function problemFor(evidence: EvidenceSet, fits: (condition: Condition) => boolean): Match | undefined {
  for (const { nodeClass, condition } of classProblems(evidence)) {
    if (!fits(condition)) continue;
    const { type, status, reason = '', message = '' } = condition;
    return {
      facts: {
        ...controllerFacts(evidence),
        nodeClass: nodeClass.name,
        problem: problemOf(condition).replace(/\.$/, ''),
      },
      seen: [seen(nodeClass, `${type} is ${status}, ${reason}: ${message}`)],
    };
  }
  return undefined;
}
