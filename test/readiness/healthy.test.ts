/** Healthy estates do not fail: what is made elsewhere, merged by Helm or not known is no failure, and no pass either. */
import { describe, expect, test } from 'vitest';
import { aNodeClass, aNodePool, anApplication, CLUSTER } from './examples/example.ts';
import { type Files, statusesOf } from './examples/judged.ts';

describe('a tag by aws_ec2_tag', () => {
  const tag = (resource: string) =>
    `resource "aws_ec2_tag" "karpenter" {
  resource_id = ${resource}
  key         = "karpenter.sh/discovery"
  value       = "shop"
}
`;
  test.each([
    ['"subnet-1"', ['pass'], ['skip']],
    ['aws_subnet.a.id', ['pass'], ['skip']],
    ['"sg-1"', ['skip'], ['pass']],
    ['aws_security_group.a.id', ['skip'], ['pass']],
    ['each.value', ['skip'], ['skip']],
  ])('is on what resource_id names: %s', (resource, subnets, groups) => {
    const files = { 'main.tf': `${CLUSTER}${tag(resource)}` };
    expect(statusesOf('S-07', files)).toEqual(subnets);
    expect(statusesOf('S-09', files)).toEqual(groups);
  });

  test('is not counted as a security group besides the one that has it', () => {
    const group = `resource "aws_security_group" "nodes" {\n  tags = { "karpenter.sh/discovery" = "shop" }\n}\n`;
    expect(statusesOf('S-09', { 'main.tf': `${CLUSTER}${group}${tag('each.value')}` })).toEqual(['pass']);
  });
});

test('tags that are not known are not counted as carried', () => {
  const group = (name: string, tags: string) =>
    `resource "aws_security_group" "${name}" {\n  tags = ${tags}\n}\n`;
  const tf = `${CLUSTER}${group('nodes', '{ "karpenter.sh/discovery" = "shop" }')}${group('a', 'var.tags')}`;
  expect(statusesOf('S-09', { 'main.tf': tf })).toEqual(['pass']);
  expect(
    statusesOf('S-11', { 'main.tf': 'resource "aws_eks_cluster" "a" {\n  tags = var.tags\n}\n' }),
  ).toEqual(['skip']);
});

describe('a NodePool', () => {
  const pool = (name: string) => `resource "kubernetes_manifest" "pool" {
  manifest = {
    apiVersion = "karpenter.sh/v1"
    kind       = "NodePool"
    metadata   = { name = "default" }
    spec = { template = { spec = {
      nodeClassRef = { group = "karpenter.k8s.aws", kind = "EC2NodeClass", name = ${name} }
      requirements = var.requirements
    } } }
  }
}
`;
  const other = aNodeClass('  role: node', 'other');
  test.each<readonly [string, Files]>([
    ['the name is not known', { 'main.tf': pool('var.class'), 'class.yaml': other }],
    [
      'a class that Terraform installs is not known',
      {
        'main.tf': `${pool('"default"')}resource "kubectl_manifest" "class" {\n  yaml_body = var.x\n}\n`,
        'class.yaml': other,
      },
    ],
    [
      'the name of a class that Terraform installs is not known',
      {
        'main.tf': `${pool('"default"')}resource "kubectl_manifest" "class" {
  yaml_body = <<-YAML
    apiVersion: karpenter.k8s.aws/v1
    kind: EC2NodeClass
    metadata: {name: "\${var.x}"}
  YAML
}
`,
      },
    ],
    ['a manifest is broken', { 'main.tf': pool('"default"'), 'class.yaml': other, 'broken.yaml': 'kind: [' }],
  ])('has no class only if all classes are known: %s', (_, files) => {
    expect(statusesOf('S-29', files)).toEqual(['skip']);
  });

  test('whose class is missing fails, if everything is known', () => {
    expect(statusesOf('S-29', { 'main.tf': pool('"default"'), 'class.yaml': other })).toEqual(['fail']);
  });

  test('whose requirements are not known is not one that may launch spot', () => {
    const files = { 'main.tf': pool('"default"'), 'values.yaml': 'settings:\n  clusterName: shop\n' };
    expect(statusesOf('K-07', files)).toEqual(['skip']);
  });
});

describe('the affinity of the controller', () => {
  const terms = (expression: string) =>
    `affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [${expression}]}]}}}`;
  const zone = '{key: topology.kubernetes.io/zone, operator: In, values: [a]}';
  test.each([
    ['affinity: {}', 'pass'],
    ['affinity: {podAntiAffinity: {}}', 'pass'],
    ['affinity: null', 'fail'],
    ['affinity: {nodeAffinity: null}', 'fail'],
    [terms('{key: eks.amazonaws.com/nodegroup, operator: Exists}'), 'pass'],
    [terms(zone), 'fail'],
    [`${terms(zone)}\nnodeSelector: {kubernetes.io/arch: amd64}`, 'fail'],
    [`${terms(zone)}\nnodeSelector: {karpenter.sh/nodepool: default}`, 'fail'],
    [`${terms(zone)}\nnodeSelector: {eks.amazonaws.com/nodegroup: system}`, 'pass'],
  ])('is merged with that of the chart as Helm does: %s', (values, status) => {
    expect(statusesOf('K-43', { 'values.yaml': `settings: {clusterName: shop}\n${values}\n` })).toEqual([
      status,
    ]);
  });
});

describe('values that are set elsewhere', () => {
  const spot = aNodePool('  template: {spec: {requirements: []}}');
  test('beside a file of values: by a release of Terraform', () => {
    const files = {
      'pool.yaml': spot,
      'values.yaml': 'settings:\n  clusterName: shop\n',
      'main.tf': `resource "helm_release" "karpenter" {
  chart  = "karpenter"
  values = [file("values.yaml")]
  set {
    name  = "settings.interruptionQueue"
    value = module.karpenter.queue_name
  }
}
`,
    };
    expect(statusesOf('K-07', files)).toEqual(['skip']);
  });

  test('by valuesFiles of Flux', () => {
    const release = `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: karpenter}
spec:
  chart: {spec: {chart: karpenter, valuesFiles: [prod.yaml]}}
  values: {settings: {clusterName: shop}}
`;
    expect(statusesOf('K-07', { 'pool.yaml': spot, 'release.yaml': release })).toEqual(['skip']);
  });

  const umbrella = anApplication('        karpenter: {settings: {clusterName: shop}}')
    .replace('    chart: karpenter\n', '    path: charts/karpenter\n')
    .replace('public.ecr.aws/karpenter', 'https://example.com/gitops.git');
  test('by the chart of an Application, which is not here', () => {
    expect(statusesOf('K-07', { 'pool.yaml': spot, 'app.yaml': umbrella })).toEqual(['skip']);
  });

  test('by the chart of an Application, which is here', () => {
    const files = {
      'pool.yaml': spot,
      'app.yaml': umbrella,
      'charts/karpenter/Chart.yaml': 'name: karpenter-umbrella\n',
      'charts/karpenter/values.yaml': 'karpenter: {settings: {interruptionQueue: shop}}\n',
      'charts/other/values.yaml': 'a: b # karpenter\n',
    };
    expect(statusesOf('K-07', files)).toEqual(['pass']);
  });
});

describe('public modules', () => {
  const karpenter = (version: string, more: string) => `module "karpenter" {
  source       = "terraform-aws-modules/eks/aws//modules/karpenter"
  version      = "${version}"
  cluster_name = "shop"
  ${more}
}
`;
  const app = { 'app.yaml': anApplication('        settings: {clusterName: shop}') };
  test.each([
    ['~> 20.0', 'enable_irsa = true', 'skip'],
    ['~> 20.0', 'create_pod_identity_association = true', 'fail'],
    ['21.19.0', 'create_pod_identity_association = false', 'skip'],
    ['21.19.0', '', 'fail'],
    ['21.19.0', 'namespace = "karpenter"', 'pass'],
  ])('give the role to a namespace only with Pod Identity: %s %s', (version, more, status) => {
    expect(statusesOf('S-20', { 'main.tf': karpenter(version, more), ...app })[0]).toBe(status);
  });

  test('of roles choose only the beginning of a name by default', () => {
    const tf = `module "karpenter_irsa" {
  source = "terraform-aws-modules/iam/aws//modules/iam-role-for-service-accounts"
  name   = "karpenter"
  attach_karpenter_controller_policy = true
}
`;
    const values = `        serviceAccount:
          annotations:
            eks.amazonaws.com/role-arn: arn:aws:iam::418295670013:role/karpenter-2025`;
    expect(statusesOf('S-06', { 'main.tf': tf, 'app.yaml': anApplication(values) })).toEqual(['skip']);
  });

  test('make instance profiles, too', () => {
    const bastion = 'resource "aws_iam_instance_profile" "bastion" {\n  name = "bastion"\n}\n';
    const files = {
      'main.tf': `${karpenter('21.19.0', 'create_instance_profile = true\n  node_iam_role_use_name_prefix = false')}${bastion}`,
      'class.yaml': aNodeClass('  instanceProfile: Karpenter-shop'),
    };
    expect(statusesOf('S-02', files)).toEqual(['pass']);
  });
});
