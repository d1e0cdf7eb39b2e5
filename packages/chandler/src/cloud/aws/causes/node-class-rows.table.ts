/** Reasons of the conditions of an EC2NodeClass, and what to do about each. Our own table, 2026-11. */
import { SHOW_OPTIONS, type Specificity } from '../../../causes/index.ts';

import { RENDER_INPUT } from './aws-row.ts';

export interface ClassRow {
  readonly name: string;
  readonly reasons: readonly string[];
  readonly title: string;
  readonly fix: string;
  readonly confirm?: readonly string[];
  readonly specificity?: Specificity;
}

const SHOW_TERMS = 'kubectl get ec2nodeclass {nodeClass} -o jsonpath={.spec}';

export const CLASS_ROWS: readonly ClassRow[] = [
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
    reasons: ['SubnetsNotFound'],
    title: 'No subnet matches the EC2NodeClass',
    fix: 'Tag the private subnets of the cluster as subnetSelectorTerms demands, usually karpenter.sh/discovery={cluster}: aws ec2 create-tags --resources subnet-… --tags Key=karpenter.sh/discovery,Value={cluster}. Or correct the terms: every tag of a term must match.',
    confirm: [
      SHOW_TERMS,
      'aws ec2 describe-subnets --region {region} --filters Name=tag:karpenter.sh/discovery,Values={cluster} --query "Subnets[].[SubnetId,AvailabilityZone]" --output table',
    ],
  },
  {
    name: 'security-groups-not-found',
    reasons: ['SecurityGroupsNotFound'],
    title: 'No security group matches the EC2NodeClass',
    fix: 'Tag the node security group as securityGroupSelectorTerms demands, usually karpenter.sh/discovery={cluster}, and only that one. Or select the cluster security group by its id.',
    confirm: [
      SHOW_TERMS,
      'aws ec2 describe-security-groups --region {region} --filters Name=tag:karpenter.sh/discovery,Values={cluster} --query "SecurityGroups[].[GroupId,GroupName]" --output table',
    ],
  },
  {
    name: 'instance-profile-not-found',
    reasons: ['InstanceProfileNotFound'],
    title: 'The instance profile does not exist',
    fix: 'Create the instance profile with the node role in it (aws iam create-instance-profile, add-role-to-instance-profile), or correct spec.instanceProfile. With spec.role instead, the controller creates the profile.',
    confirm: [
      'aws iam get-instance-profile --instance-profile-name $(kubectl get ec2nodeclass {nodeClass} -o jsonpath={.spec.instanceProfile})',
    ],
  },
  {
    name: 'role-not-found',
    reasons: ['RoleNotFound'],
    title: 'The node role does not exist',
    fix: 'Create the role of spec.role, or correct the name: it is the name of a role, not its ARN, and not that of an instance profile. Terraform modules add a random suffix unless the name prefix is turned off.',
    confirm: [
      'aws iam get-role --role-name $(kubectl get ec2nodeclass {nodeClass} -o jsonpath={.spec.role})',
    ],
  },
  {
    name: 'role-invalid',
    reasons: ['RoleInvalid'],
    title: 'spec.role of the EC2NodeClass is not the name of a role',
    fix: 'Write the name of the role, with its path if it has one, and not its ARN or the name of an instance profile.',
    confirm: ['kubectl get ec2nodeclass {nodeClass} -o jsonpath={.spec.role}'],
  },
  {
    name: 'instance-profile-invalid',
    reasons: ['InstanceProfileInvalid'],
    title: 'spec.instanceProfile of the EC2NodeClass is not the name of an instance profile',
    fix: 'Write the name of the instance profile, and not its ARN.',
    confirm: ['kubectl get ec2nodeclass {nodeClass} -o jsonpath={.spec.instanceProfile}'],
  },
  {
    name: 'instance-profile-name-taken',
    reasons: ['InstanceProfileNameTaken'],
    title: 'The instance profile that the controller would create belongs to somebody else',
    fix: 'Check the tags of the instance profile that the message names. Delete it if nobody uses it, or create a profile yourself and set spec.instanceProfile.',
    confirm: ['aws iam list-instance-profiles --path-prefix /karpenter/'],
  },
  {
    name: 'instance-profile-quota',
    reasons: ['InstanceProfileQuotaExceeded'],
    title: 'The quota of instance profiles of the account is used up',
    fix: 'Delete instance profiles that nobody uses, request an increase in Service Quotas, or share one profile: spec.instanceProfile instead of spec.role.',
    confirm: ['aws iam get-account-summary --query SummaryMap.InstanceProfiles'],
  },
  {
    name: 'instance-profile-propagating',
    reasons: ['InstanceProfilePropagating'],
    specificity: 'particular',
    title: 'The instance profile was just created',
    fix: 'Wait some seconds, until EC2 knows it. If it stays like this, check the log of the controller.',
    confirm: ['aws iam list-instance-profiles --path-prefix /karpenter/'],
  },
  {
    name: 'too-many-security-groups',
    reasons: ['TooManySecurityGroups'],
    title: 'More security groups match than a network interface can have',
    fix: 'Narrow securityGroupSelectorTerms, or remove the discovery tag from the groups that nodes do not need: all that match are attached.',
    confirm: [SHOW_TERMS],
  },
  {
    name: 'invalid-alias',
    reasons: ['InvalidAlias'],
    title: 'The AMI alias is malformed',
    fix: 'Write family@version, such as al2023@latest or bottlerocket@v1.20.0.',
    confirm: [SHOW_TERMS],
  },
  {
    name: 'unsupported-architecture',
    reasons: ['UnsupportedArchitecture'],
    title: 'The AMI is for an architecture that nodes cannot have',
    fix: 'Select images for x86_64 or arm64 in amiSelectorTerms.',
    confirm: [SHOW_TERMS],
  },
  {
    name: 'vpc-mismatch',
    reasons: ['SecurityGroupSubnetVPCMismatch'],
    title: 'Subnets and security groups of the EC2NodeClass are in different VPCs',
    fix: 'Change subnetSelectorTerms or securityGroupSelectorTerms so that both select resources of the VPC of the cluster. A discovery tag on resources of another cluster is the usual reason.',
    confirm: ['kubectl get ec2nodeclass {nodeClass} -o jsonpath={.status.subnets}{.status.securityGroups}'],
  },
  {
    name: 'user-data-invalid',
    reasons: ['InvalidUserData', 'UserDataInvalid'],
    title: 'spec.userData of the EC2NodeClass cannot be used',
    fix: 'Correct it: MIME or a shell script for AL2 and AL2023 (and NodeConfig for AL2023), TOML for Bottlerocket, PowerShell for Windows.',
    confirm: [`kubectl get ec2nodeclass/{nodeClass} -o yaml | ${RENDER_INPUT}`],
  },
  {
    name: 'dry-run-failed',
    reasons: ['DryRunFailed'],
    specificity: 'particular',
    title: 'The dry run of a launch with the EC2NodeClass fails',
    fix: 'Fix the problem that the message describes. The dry run is repeated automatically; --disable-dry-run turns it off.',
  },
  {
    name: 'resolution-failed',
    reasons: ['ResolutionFailed'],
    specificity: 'particular',
    title: 'AWS could not be asked about the EC2NodeClass',
    fix: 'Fix the problem that the message describes. Without access to IAM (isolated VPC), create the instance profile yourself and set spec.instanceProfile instead of spec.role.',
  },
  {
    name: 'program-error',
    reasons: ['ProgramError'],
    specificity: 'particular',
    title: 'The controller fails on the EC2NodeClass',
    fix: 'This is a defect of the controller. Report it with its log; another value of the field that the message names may avoid it.',
    confirm: ['kubectl -n {namespace} logs deployment/{deployment} --tail=200'],
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
    fix: 'Correct the CEL expression that the message names; it must give a number that is not negative for every instance type of the region. Variables: vcpus, memory_mib, default_enis, ips_per_eni, max_pods, instance_type.',
    confirm: ['kubectl get ec2nodeclass {nodeClass} -o jsonpath={.spec.kubelet}'],
  },
  {
    name: 'kubelet-expressions-disabled',
    reasons: ['KubeletExpressionsDisabled'],
    title: 'spec.kubelet has an expression, and expressions are turned off',
    fix: 'Open the feature gate NodeClassCEL of the controller (AWS_FEATURE_GATES=NodeClassCEL=true), or write a number or a quantity.',
    confirm: [SHOW_OPTIONS],
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
    confirm: [`kubectl get ec2nodeclass/{nodeClass} -o yaml | ${RENDER_INPUT}`],
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
