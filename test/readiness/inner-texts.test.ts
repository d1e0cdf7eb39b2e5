/** Texts of YAML inside other files: where their values are, and what is known of them when some of it is not. */
import { describe, expect, test } from 'vitest';
import { aNodePool } from './examples/example.ts';
import { judged } from './examples/judged.ts';

const evidenceOf = (id: string, files: Readonly<Record<string, string>>) =>
  judged(files)
    .findings.filter((finding) => finding.id === id)
    .map(({ status, evidence }) => [
      status,
      ...evidence.map(({ at }) => ('file' in at ? `${at.file}:${at.line}` : '')),
    ]);

describe('a heredoc with values that are not known', () => {
  const release = (values: string) => `module "eks" {
  source = "terraform-aws-modules/eks/aws"
  name   = "shop"
}

resource "helm_release" "karpenter" {
  chart  = "karpenter"
  values = [<<-EOT
    settings:
      clusterName: ${values}
      clusterEndpoint: \${module.eks.cluster_endpoint}
      interruptionQueue: shop
    EOT
  ]
}
`;
  const pools = { 'pool.yaml': aNodePool('  template: {spec: {requirements: []}}') };

  test('is read as far as it is known: an output of a public module is what the call gives it', () => {
    const files = { ...pools, 'main.tf': release(`\${module.eks.cluster_name}`) };
    expect(evidenceOf('S-01', files)).toEqual([['pass', 'main.tf:10', 'main.tf:3']]);
    expect(evidenceOf('K-07', files)).toEqual([['pass', 'pool.yaml:1', 'main.tf:12']]);
    expect(evidenceOf('S-16', files)).toEqual([['skip', 'main.tf:11']]);
  });

  test('fails where what is known is wrong', () => {
    const files = { ...pools, 'main.tf': release('shpo') };
    expect(evidenceOf('S-01', files)).toEqual([['fail', 'main.tf:10', 'main.tf:3']]);
  });
});

describe('the line of a value', () => {
  const values = 'settings:\n  clusterName: shop\n  clusterEndpoint: TODO\n';
  test('of a heredoc in another place is where it is written', () => {
    const tf = `locals {
  values = <<-EOT
    settings:
      clusterEndpoint: TODO
  EOT
}

resource "helm_release" "karpenter" {
  chart  = "karpenter"
  values = [local.values]
}
`;
    expect(evidenceOf('S-16', { 'main.tf': tf })).toEqual([['fail', 'main.tf:4']]);
  });

  test('of a text in one line is that line', () => {
    const application = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: karpenter}
spec:
  source:
    chart: karpenter
    helm:
      values: ${JSON.stringify(values)}
`;
    expect(evidenceOf('S-16', { 'app.yaml': application })).toEqual([['fail', 'app.yaml:8']]);
  });
});

test('an alias of an anchor that the document does not have is a problem of the file, and no absent value', () => {
  const pool = aNodePool('  limits: &limits {cpu: 1}');
  const { problems } = judged({ 'pools.yaml': `${pool}---\n${aNodePool('  limits: *limits', 'other')}` });
  expect(problems).toMatchObject([{ at: { file: 'pools.yaml', line: 13 }, level: 'error' }]);
});

test('a HelmRelease of Flux may have its version in the repository of the chart', () => {
  const release = `apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: karpenter}
spec:
  chartRef: {kind: OCIRepository, name: karpenter}
  values: {settings: {clusterName: shop}}
`;
  const repository = (ref: string) => `apiVersion: source.toolkit.fluxcd.io/v1
kind: OCIRepository
metadata: {name: karpenter}
spec:
  url: oci://public.ecr.aws/karpenter/karpenter
  ref: ${ref}
`;
  const statuses = (files: Readonly<Record<string, string>>) =>
    evidenceOf('K-82', files).map(([first]) => first);
  expect(statuses({ 'a.yaml': release, 'b.yaml': repository('{tag: 1.14.1}') })).toEqual(['pass']);
  expect(statuses({ 'a.yaml': release, 'b.yaml': repository('{semver: 1.x}') })).toEqual(['warn']);
  expect(statuses({ 'a.yaml': release })).toEqual(['skip']);
});

test.each([
  ['replicas: 3', '', '90%', 'warn'],
  ['replicas: 3', '', '50%', 'pass'],
  ['replicas: 1', '', '50%', 'warn'],
  ['replicas: 2', '', '2', 'warn'],
  ['paused: false', '', '2', 'skip'],
  ['paused: false', '3', '2', 'pass'],
  ['paused: false', '2', '2', 'warn'],
])(
  'a budget counts the replicas that there are: %s, autoscaler %s, minAvailable %s',
  (replicas, min, least, status) => {
    const files = {
      'app.yaml': `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  ${replicas}
  template: {metadata: {labels: {app: web}}, spec: {containers: []}}
`,
      'budget.yaml': `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: web}
spec: {minAvailable: ${least}, selector: {matchLabels: {app: web}}}
`,
      ...(min === ''
        ? {}
        : {
            'scaler.yaml': `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: web}
spec: {scaleTargetRef: {kind: Deployment, name: web}, minReplicas: ${min}}
`,
          }),
    };
    expect(evidenceOf('K-21', files).map(([first]) => first)).toEqual([status]);
  },
);
