import { describe, expect, test } from 'vitest';
import { CHECKS } from '../checks/table.ts';
import { judge } from '../judge.ts';
import { inputsOf } from '../testing.ts';
import { hostOf, parseArn, regionOfHost, roleName } from './arn.ts';
import type { FactName } from './facts.ts';
import { gatherFacts } from './gather.ts';
import { placeholderIn } from './placeholder.ts';

const facts = (files: Readonly<Record<string, string>>, name: FactName) =>
  gatherFacts(inputsOf(files))
    .all(name)
    .map(({ value, source, what }) => [source, what, value]);

const state = (name: string) =>
  `{"format_version":"1.0","values":{"root_module":{"resources":[{"address":"aws_eks_cluster.a","mode":"managed","type":"aws_eks_cluster","name":"a","values":{"name":"${name}"}}]}}}`;
const cluster = (name: string) => `resource "aws_eks_cluster" "a" {\n  name = "${name}"\n}\n`;

describe('facts', () => {
  test('of public modules are their arguments, with the names of all versions', () => {
    const eks = (argument: string) =>
      `module "eks" {\n  source = "terraform-aws-modules/eks/aws"\n  ${argument}\n}\n`;
    expect(facts({ 'main.tf': eks('name = "shop"') }, 'clusterName')).toEqual([
      ['terraform', 'module.eks.name', 'shop'],
    ]);
    expect(facts({ 'main.tf': eks('cluster_name = "shop"') }, 'clusterName')).toEqual([
      ['terraform', 'module.eks.cluster_name', 'shop'],
    ]);
  });

  test('of the karpenter module: a prefix makes a name unknown, and defaults are filled in', () => {
    const module = (more: string) =>
      `module "karpenter" {\n  source = "terraform-aws-modules/eks/aws//modules/karpenter"\n  cluster_name = "shop"\n  ${more}\n}\n`;
    expect(facts({ 'main.tf': module('') }, 'nodeRole')).toEqual([
      ['terraform', 'module.karpenter.node_iam_role_name', undefined],
    ]);
    expect(facts({ 'main.tf': module('node_iam_role_use_name_prefix = false') }, 'nodeRole')).toEqual([
      ['terraform', 'module.karpenter.node_iam_role_name (default)', 'Karpenter-shop'],
    ]);
    expect(facts({ 'main.tf': module('') }, 'queueName')).toEqual([
      ['terraform', 'module.karpenter.queue_name (default)', 'Karpenter-shop'],
    ]);
  });

  test('the state comes before the files', () => {
    const files = { 'main.tf': cluster('old'), 'state.json': state('new') };
    expect(facts(files, 'clusterName').map(([source, , value]) => [source, value])).toEqual([
      ['state', 'new'],
      ['terraform', 'old'],
    ]);
  });

  test('files and state that differ are a finding', () => {
    const [s01] = CHECKS.filter(({ id }) => id === 'S-01');
    const files = {
      'main.tf': cluster('old'),
      'state.json': state('new'),
      'values.yaml': 'settings:\n  clusterName: new\n',
    };
    const { findings } = judge(inputsOf(files), [s01!], { strict: false });
    expect(findings).toMatchObject([
      { status: 'fail', object: 'Terraform', message: 'The state says new, and terraform says old.' },
      { status: 'pass' },
    ]);
  });

  test('an ARN and an endpoint tell region and account', () => {
    const values =
      'settings:\n  clusterEndpoint: https://A.gr7.eu-west-1.eks.amazonaws.com\nserviceAccount:\n  annotations:\n    eks.amazonaws.com/role-arn: arn:aws:iam::418295670013:role/path/shop\n';
    expect(facts({ 'values.yaml': values }, 'region').map(([, , value]) => value)).toEqual(['eu-west-1']);
    expect(facts({ 'values.yaml': values }, 'accountId').map(([, , value]) => value)).toEqual([
      '418295670013',
    ]);
    expect(facts({ 'values.yaml': values }, 'controllerRoleName').map(([, , value]) => value)).toEqual([
      'shop',
    ]);
  });

  test('a provider with an alias is another region', () => {
    const providers =
      'provider "aws" {\n  region = "eu-west-1"\n}\nprovider "aws" {\n  alias = "public"\n  region = "us-east-1"\n}\n';
    expect(facts({ 'main.tf': providers }, 'region').map(([, , value]) => value)).toEqual(['eu-west-1']);
  });
});

test.each([
  ['REPLACE_WITH_YOUR_EKS_CLUSTER_ENDPOINT', true],
  ['change-me', true],
  ['<endpoint>', true],
  [`\${ENDPOINT}`, true],
  ['{{ .Values.endpoint }}', true],
  ['https://xxxx.eks.amazonaws.com', true],
  ['TODO', true],
  ['https://example.com', true],
  ['https://0F3A.gr7.us-east-1.eks.amazonaws.com', false],
  ['Karpenter-shop', false],
  ['arn:aws:kms:us-east-1:418295670013:key/7d1e', false],
])('%s is a placeholder: %s', (text, expected) => {
  expect(placeholderIn(text) !== undefined).toBe(expected);
});

test('ARNs, roles and hosts', () => {
  expect(parseArn('arn:aws-us-gov:iam::418295670013:role/a/b')).toEqual({
    partition: 'aws-us-gov',
    service: 'iam',
    region: '',
    account: '418295670013',
    resource: 'role/a/b',
  });
  expect(parseArn('role/a')).toBeUndefined();
  expect(['arn:aws:iam::418295670013:role/a/b', 'b', 'x/b'].map(roleName)).toEqual(['b', 'b', 'b']);
  expect(hostOf('REPLACE_ME')).toBeUndefined();
  expect(regionOfHost('A.gr7.us-gov-west-1.eks.amazonaws.com')).toBe('us-gov-west-1');
  expect(regionOfHost('api.shop.io')).toBeUndefined();
});
