/**
 * What `chandler configure eks` may call, on what, and for what. docs/iam.md prints it; a test takes away one after the other.
 * `sts:GetCallerIdentity` needs no permission.
 */
import type { PermissionOn } from './permission-scope.ts';

export interface ConfigurePermission extends PermissionOn {
  /** `plan` is part of the two others. */
  readonly when: 'plan' | 'apply' | 'undo';
}

export const CONFIGURE_PERMISSIONS: Readonly<Record<string, ConfigurePermission>> = {
  'ec2:CreateTags': { when: 'apply', on: 'network', to: 'tag subnets and the security group' },
  'ec2:DeleteTags': { when: 'undo', on: 'network', to: 'remove these tags' },
  'ec2:DescribeSecurityGroups': { when: 'plan', on: 'regional', to: 'read the tags of the security group' },
  'ec2:DescribeSubnets': { when: 'plan', on: 'regional', to: 'read subnets and their tags' },
  'eks:CreateAccessEntry': { when: 'apply', on: 'cluster', to: 'let nodes join the cluster' },
  'eks:CreatePodIdentityAssociation': {
    when: 'apply',
    on: 'cluster',
    to: 'give the role to the ServiceAccount, with EKS Pod Identity',
  },
  'eks:DeleteAccessEntry': { when: 'undo', on: 'accessEntries', to: 'delete the access entry' },
  'eks:DeletePodIdentityAssociation': { when: 'undo', on: 'associations', to: 'delete the association' },
  'eks:DescribeAccessEntry': { when: 'plan', on: 'accessEntries', to: 'see whether nodes may join' },
  'eks:DescribeCluster': { when: 'plan', on: 'cluster', to: 'read the cluster' },
  'eks:DescribePodIdentityAssociation': {
    when: 'plan',
    on: 'associations',
    to: 'read the role of the association',
  },
  'eks:ListAddons': { when: 'plan', on: 'cluster', to: 'see whether the Pod Identity agent is installed' },
  'eks:ListPodIdentityAssociations': { when: 'plan', on: 'cluster', to: 'find the association' },
  'events:DeleteRule': { when: 'undo', on: 'setupRules', to: 'delete the rules' },
  'events:DescribeRule': { when: 'plan', on: 'setupRules', to: 'see whether the rules exist' },
  'events:ListTargetsByRule': {
    when: 'plan',
    on: 'setupRules',
    to: 'see whether the rules send to the queue',
  },
  'events:PutRule': { when: 'apply', on: 'setupRules', to: 'create the rules' },
  'events:PutTargets': { when: 'apply', on: 'setupRules', to: 'let the rules send to the queue' },
  'events:RemoveTargets': { when: 'undo', on: 'setupRules', to: 'delete rules, which must have no target' },
  'iam:AddClientIDToOpenIDConnectProvider': {
    when: 'apply',
    on: 'providers',
    to: 'give back the audience to a provider that configure created',
  },
  'iam:AttachRolePolicy': { when: 'apply', on: 'nodePolicies', to: 'give policies of AWS to the node role' },
  'iam:CreateOpenIDConnectProvider': {
    when: 'apply',
    on: 'providers',
    to: 'let IAM trust the issuer of the cluster, with IRSA',
  },
  'iam:CreateRole': { when: 'apply', on: 'setupRoles', to: 'create the two roles' },
  'iam:DeleteRole': { when: 'undo', on: 'setupRoles', to: 'delete the two roles' },
  'iam:DeleteRolePolicy': { when: 'undo', on: 'setupRoles', to: 'delete a role, which must have no policy' },
  'iam:DetachRolePolicy': {
    when: 'undo',
    on: 'nodePolicies',
    to: 'delete a role, which must have no policy',
  },
  'iam:GetOpenIDConnectProvider': {
    when: 'plan',
    on: 'providers',
    to: 'see whether IAM trusts the issuer of the cluster',
  },
  'iam:GetRole': { when: 'plan', on: 'setupRoles', to: 'see whether the roles exist, and whom they trust' },
  'iam:GetRolePolicy': { when: 'plan', on: 'setupRoles', to: 'read the policies of the controller' },
  'iam:ListAttachedRolePolicies': {
    when: 'plan',
    on: 'setupRoles',
    to: 'find the policies of the node role',
  },
  'iam:ListInstanceProfilesForRole': {
    when: 'undo',
    on: 'setupRoles',
    to: 'see whether instance profiles have the node role, before anything is removed',
  },
  'iam:PassRole': {
    when: 'apply',
    on: 'passedRole',
    to: 'give the role to the ServiceAccount, with EKS Pod Identity',
  },
  'iam:PutRolePolicy': { when: 'apply', on: 'setupRoles', to: 'write the policies of the controller' },
  'iam:TagRole': { when: 'apply', on: 'setupRoles', to: 'tag the two roles with the cluster' },
  'iam:UpdateAssumeRolePolicy': {
    when: 'apply',
    on: 'setupRoles',
    to: 'change whom a role trusts that configure created',
  },
  'sqs:CreateQueue': { when: 'apply', on: 'setupQueue', to: 'create the queue' },
  'sqs:DeleteQueue': { when: 'undo', on: 'setupQueue', to: 'delete the queue' },
  'sqs:GetQueueAttributes': { when: 'plan', on: 'setupQueue', to: 'read the policy of the queue' },
  'sqs:GetQueueUrl': { when: 'plan', on: 'setupQueue', to: 'see whether the queue exists' },
  'sqs:SetQueueAttributes': {
    when: 'apply',
    on: 'setupQueue',
    to: 'change a queue that configure created',
  },
};
