/** What belongs to other stacks, services, environments and charts neither fails nor passes a check of Karpenter. */
import { describe, expect, test } from 'vitest';
import {
  aChange,
  aNodeClass,
  aNodePool,
  anApplication,
  aPlan,
  aResource,
  aState,
  CLUSTER,
} from './examples/example.ts';
import { statusesOf } from './examples/judged.ts';

const TAG = '"karpenter.sh/discovery" = "shop"';
const selecting = {
  'class.yaml': aNodeClass('  subnetSelectorTerms: [{tags: {karpenter.sh/discovery: shop}}]'),
};

describe('the discovery tag', () => {
  const group = 'resource "aws_security_group" "database" {\n  name = "orders"\n}\n';
  test('of a VPC module may be among the tags of the whole module', () => {
    const vpc = `module "vpc" {\n  source = "terraform-aws-modules/vpc/aws"\n  tags = { ${TAG} }\n  private_subnet_tags = {}\n}\n`;
    expect(statusesOf('S-07', { 'main.tf': `${CLUSTER}${vpc}`, ...selecting })).toEqual(['pass']);
  });

  test('of an EKS module among the tags of the whole module is on several groups', () => {
    const eks = `module "eks" {\n  source = "terraform-aws-modules/eks/aws"\n  name = "shop"\n  tags = { ${TAG} }\n}\n`;
    expect(statusesOf('S-09', { 'main.tf': eks, ...selecting })).toEqual(['warn']);
  });

  test('may be on groups that are made elsewhere', () => {
    expect(statusesOf('S-09', { 'main.tf': group, ...selecting })).toEqual(['skip']);
    const eks = 'module "eks" {\n  source = "terraform-aws-modules/eks/aws"\n  name = "shop"\n}\n';
    expect(statusesOf('S-09', { 'main.tf': `${group}${eks}`, ...selecting })).toEqual(['skip']);
    expect(statusesOf('S-09', { 'main.tf': `${CLUSTER}${group}`, ...selecting })).toEqual(['fail']);
  });

  test('is not needed if no class selects by it', () => {
    const files = { 'class.yaml': aNodeClass('  securityGroupSelectorTerms: [{id: sg-1}]') };
    expect(statusesOf('S-09', { 'main.tf': `${CLUSTER}${group}`, ...files })).toEqual(['skip']);
  });
});

test('an instance profile whose name is not known is no prefix', () => {
  const files = {
    'main.tf': 'resource "aws_iam_instance_profile" "k" {\n  name = var.p\n}\n',
    'class.yaml': aNodeClass('  instanceProfile: a'),
  };
  expect(statusesOf('S-02', files)).toEqual(['skip']);
});

test.each([
  ['dev.tfvars', 'env = "dev"\n', 'skip'],
  ['terraform.tfvars', 'env = "shop"\n', 'pass'],
])('a variable that %s sets is not its default', (name, text, status) => {
  const files = {
    'main.tf':
      'variable "env" {\n  default = "test"\n}\nresource "aws_eks_cluster" "a" {\n  name = var.env\n}\n',
    [name]: text,
    'values.yaml': 'settings: {clusterName: shop}\n',
  };
  expect(statusesOf('S-01', files)).toEqual([status]);
});

test('an empty name is not a name', () => {
  const files = {
    'main.tf': 'variable "n" {\n  default = ""\n}\nresource "aws_eks_cluster" "a" {\n  name = var.n\n}\n',
    'values.yaml': 'settings: {clusterName: shop}\n',
  };
  expect(statusesOf('S-01', files)).toEqual(['skip']);
});

describe('a state or a plan', () => {
  const uses = { 'class.yaml': aNodeClass('  instanceProfile: shop-nodes') };
  test('of another stack does not prove that something is missing', () => {
    const network = aState(aResource('aws_subnet', 'a', { id: 'subnet-1' }));
    const values =
      'settings: {clusterName: shop}\nserviceAccount: {annotations: {eks.amazonaws.com/role-arn: "arn:aws:iam::418295670013:role/k"}}\n';
    expect(statusesOf('S-03', { ...uses, 'state.json': network })).toEqual(['skip']);
    expect(statusesOf('S-05', { 'values.yaml': values, 'state.json': network })).toEqual(['skip']);
  });

  test('a profile that a plan keeps exists', () => {
    const plan = (action: string) =>
      aPlan(aChange('aws_iam_instance_profile', 'a', [action], { name: 'shop-nodes' }));
    expect(statusesOf('S-03', { ...uses, 'plan.json': plan('no-op') })).toEqual(['pass']);
    expect(statusesOf('S-03', { ...uses, 'plan.json': plan('create') })).toEqual(['warn']);
  });

  test('a profile with another role than that of the nodes fails', () => {
    const state = (role: string) =>
      aState(
        aResource('aws_iam_role', 'karpenter_node', { name: 'shop-karpenter-node' }),
        aResource('aws_iam_instance_profile', 'karpenter', { name: 'shop-nodes', role }),
      );
    expect(statusesOf('S-04', { ...uses, 'state.json': state('bastion') })).toEqual(['fail']);
    expect(statusesOf('S-04', { ...uses, 'state.json': state('shop-karpenter-node') })).toEqual(['pass']);
  });

  test('resources that a plan keeps and the state does not have are not applied', () => {
    const files = {
      'plan.json': aPlan(aChange('aws_iam_role', 'karpenter', ['no-op'])),
      'state.json': aState(aResource('aws_subnet', 'a', {})),
    };
    expect(statusesOf('S-64', files)).toEqual(['fail']);
  });
});

test('keys, accounts and roots of other services are not those of Karpenter', () => {
  const files = {
    'main/main.tf': `provider "aws" {\n  region = "eu-west-1"\n}\n${CLUSTER}`,
    'global/main.tf': 'provider "aws" {\n  region = "us-east-1"\n}\n',
    'state.json': aState(
      aResource('aws_kms_key', 'replica', { arn: 'arn:aws:kms:us-east-2:418295670013:key/1' }),
      aResource('aws_caller_identity', 'current', { account_id: '418295670013' }),
      aResource('aws_caller_identity', 'hub', { account_id: '418295670014' }),
    ),
  };
  expect(statusesOf('S-65', files)).toEqual(['pass']);
});

test.each([
  ['karpenter', 'pass'],
  ['karp', 'fail'],
])('the service account of the release is that of the association: %s', (name, status) => {
  const files = {
    'main.tf':
      'resource "aws_eks_pod_identity_association" "karpenter" {\n  namespace = "karpenter"\n  service_account = "karpenter"\n}\n',
    'app.yaml': anApplication(
      `        settings: {clusterName: shop}\n        serviceAccount: {name: ${name}}`,
    ),
  };
  expect(statusesOf('S-20', files)[0]).toBe(status);
});

test('values that are merged over a map that is not known keep what is not known', () => {
  const tf = `resource "helm_release" "karpenter" {
  chart  = "karpenter"
  values = [yamlencode({ settings = merge(local.a, local.b) })]
  set {
    name  = "settings.clusterName"
    value = "shop"
  }
}
`;
  const pool = aNodePool('  template: {spec: {requirements: []}}');
  expect(statusesOf('K-07', { 'main.tf': tf, 'pool.yaml': pool })).toEqual(['skip']);
  expect(statusesOf('S-16', { 'main.tf': tf })).toEqual(['skip']);
});

test('a folder of Provisioners is judged', () => {
  const provisioner = 'apiVersion: karpenter.sh/v1alpha5\nkind: Provisioner\nmetadata: {name: a}\n';
  expect(statusesOf('K-50', { 'a.yaml': provisioner })).toEqual(['fail']);
});

test('v1beta1 is not removed before Karpenter 1.1', () => {
  const old = aNodePool('  limits: {}').replace('karpenter.sh/v1', 'karpenter.sh/v1beta1');
  const chart = (version: string) =>
    anApplication('        settings: {clusterName: shop}').replace('1.14.1', version);
  expect(statusesOf('K-50', { 'a.yaml': old, 'app.yaml': chart('1.0.8') })).toEqual(['warn']);
  expect(statusesOf('K-50', { 'a.yaml': old, 'app.yaml': chart('1.1.0') })).toEqual(['fail']);
});

test('the chart of Chandler has versions of its own', () => {
  const app = anApplication('        settings: {clusterName: shop}').replace(
    'chart: karpenter',
    'chart: chandler',
  );
  expect(statusesOf('K-51', { 'main.tf': CLUSTER, 'app.yaml': app.replace('1.14.1', '0.1.0') })).toEqual([
    'skip',
  ]);
});

test('overlays of several environments are several objects', () => {
  const overlay = (cpu: number) => `resources: [../base]
patches:
  - patch: |-
      apiVersion: karpenter.sh/v1
      kind: NodePool
      metadata: {name: default}
      spec: {limits: {cpu: ${cpu}}}
`;
  const application = (name: string) => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: ${name}}
spec: {source: {repoURL: https://git.test/a.git, path: ${name}}}
`;
  const files = {
    'base/kustomization.yaml': 'resources: [pool.yaml]\n',
    'base/pool.yaml': aNodePool('  limits: {cpu: 1}'),
    'dev/kustomization.yaml': overlay(10),
    'prod/kustomization.yaml': overlay(100),
    'apps.yaml': `${application('dev')}---\n${application('prod')}`,
  };
  expect(statusesOf('K-89', files)).toEqual(['pass']);
  expect(statusesOf('S-67', files)).toEqual(['pass']);
});
