/**
 * What `chandler check --live-aws` may call, and on what: the reader can make no other call, and `check --iam-policy` prints this table.
 * `sts:GetCallerIdentity` needs no permission.
 */
import type { PermissionOn } from './permission-scope.ts';

export const CHECK_PERMISSIONS = {
  'ec2:DescribeCapacityReservations': { on: 'regional', to: 'find reservations that no class uses' },
  'ec2:DescribeImages': { on: 'regional', to: 'see whether the AMIs of classes exist, and how old they are' },
  'ec2:DescribeRouteTables': { on: 'regional', to: 'see which ways the subnets have out of the VPC' },
  'ec2:DescribeSecurityGroups': { on: 'regional', to: 'read security groups, their tags and rules' },
  'ec2:DescribeSubnets': { on: 'regional', to: 'read subnets, their tags and free addresses' },
  'ec2:DescribeVpcEndpoints': {
    on: 'regional',
    to: 'see which services the VPC reaches without the internet',
  },
  'ec2:GetEbsEncryptionByDefault': { on: 'regional', to: 'see whether volumes are encrypted anyway' },
  'eks:DescribeAccessEntry': { on: 'accessEntries', to: 'see whether the node role may join' },
  'eks:DescribeCluster': { on: 'cluster', to: 'read the cluster: endpoint, version, VPC, issuer' },
  'eks:DescribePodIdentityAssociation': { on: 'associations', to: 'read the role of an association' },
  'eks:ListAddons': { on: 'cluster', to: 'see whether the Pod Identity agent is installed' },
  'eks:ListPodIdentityAssociations': { on: 'cluster', to: 'find the association of the controller' },
  'events:DescribeRule': { on: 'rules', to: 'read which events a rule is for' },
  'events:ListRuleNamesByTarget': { on: 'rules', to: 'find the rules of the interruption queue' },
  'iam:GetInstanceProfile': { on: 'instanceProfiles', to: 'see whether the profiles of classes exist' },
  'iam:GetPolicy': { on: 'policies', to: 'find the version of a policy of the controller' },
  'iam:GetPolicyVersion': { on: 'policies', to: 'read the policies of the controller' },
  'iam:GetRole': { on: 'roles', to: 'see whether the roles exist, and whom they trust' },
  'iam:GetRolePolicy': { on: 'roles', to: 'read inline policies of the controller' },
  'iam:ListAttachedRolePolicies': { on: 'roles', to: 'find the policies of the roles' },
  'iam:ListOpenIDConnectProviders': { on: 'anything', to: 'see whether IAM knows the issuer of the cluster' },
  'iam:ListRolePolicies': { on: 'roles', to: 'find inline policies of the controller' },
  'kms:DescribeKey': { on: 'keys', to: 'see whether the keys of classes and of the queue can be used' },
  'kms:GetKeyPolicy': { on: 'keys', to: 'see who may use these keys' },
  'servicequotas:GetServiceQuota': { on: 'anything', to: 'compare limits of NodePools with the quotas' },
  'sqs:GetQueueAttributes': { on: 'queues', to: 'read the policy and the encryption of the queue' },
  'sqs:GetQueueUrl': { on: 'queues', to: 'see whether the interruption queue exists' },
  'ssm:GetParameter': { on: 'parameters', to: 'find the AMI of an alias' },
} as const satisfies Readonly<Record<string, PermissionOn>>;

export type CheckAction = keyof typeof CHECK_PERMISSIONS;
