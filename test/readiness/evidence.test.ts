/** No check passes without evidence: what is broken, deleted, unknown or somebody else's proves nothing. */
import { describe, expect, test } from 'vitest';
import { aChange, aNodeClass, anApplication, aPlan, aResource, aState, CLUSTER } from './examples/example.ts';
import { type Files, judged, statusesOf } from './examples/judged.ts';

const ROLE = aChange('aws_iam_role', 'karpenter_node', ['no-op'], { name: 'KarpenterNodeRole-shop' });
const POLICY = { policy_arn: 'arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy' };
/** A change that deletes: `after` is null, as Terraform writes it. */
const aDeletion = (type: string, name: string, before: object) => ({
  address: `${type}.${name}`,
  mode: 'managed',
  type,
  name,
  change: { actions: ['delete'], before, after: null, after_unknown: false },
});

describe('what a plan deletes', () => {
  test('does not exist for checks that look for it', () => {
    const worker = { role: 'KarpenterNodeRole-shop', ...POLICY };
    const other = {
      role: 'KarpenterNodeRole-shop',
      policy_arn: 'arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy',
    };
    const files = {
      'plan.json': aPlan(
        ROLE,
        aDeletion('aws_iam_role_policy_attachment', 'worker', worker),
        aChange('aws_iam_role_policy_attachment', 'cni', ['no-op'], other),
      ),
    };
    expect(statusesOf('S-46', files)).toEqual(['fail']);
  });

  test('is no instance profile that is planned', () => {
    const files = {
      'class.yaml': aNodeClass('  instanceProfile: KarpenterNode-shop'),
      'plan.json': aPlan(aDeletion('aws_iam_instance_profile', 'karpenter', { name: 'KarpenterNode-shop' })),
    };
    expect(statusesOf('S-03', files)).toEqual(['skip']);
  });

  test('is pending, and reported: also an instance profile', () => {
    const files = {
      'plan.json': aPlan(
        aChange('aws_iam_policy', 'karpenter_controller', ['no-op']),
        aChange('aws_iam_role_policy_attachment', 'karpenter', ['no-op']),
        aChange('aws_iam_role', 'karpenter', ['no-op']),
        aDeletion('aws_iam_instance_profile', 'karpenter', { name: 'KarpenterNode-shop' }),
      ),
      'state.json': aState(
        aResource('aws_iam_role', 'karpenter', { name: 'k' }),
        aResource('aws_iam_policy', 'karpenter_controller', {}),
        aResource('aws_iam_role_policy_attachment', 'karpenter', {}),
      ),
    };
    expect(statusesOf('S-12', files)).toEqual(['fail']);
    expect(statusesOf('S-64', files)).toEqual(['warn']);
  });
});

test('a plan with the policy inline in the role lacks nothing', () => {
  const files = {
    'plan.json': aPlan(
      aChange('aws_iam_role_policy', 'karpenter_controller', ['no-op']),
      aChange('aws_iam_role', 'karpenter', ['no-op']),
    ),
  };
  expect(statusesOf('S-12', files)).toEqual(['pass']);
});

describe('broken files of Terraform', () => {
  const broken = 'resource "a" "b" {\n';
  test.each<readonly [string, Files]>([
    ['in the folder that is checked', { 'main.tf': CLUSTER, 'iam.tf': broken, '.terraform.lock.hcl': '' }],
    [
      'in a module of it',
      {
        'live/main.tf': 'module "eks" {\n  source = "../modules/eks"\n}\n',
        'live/.terraform.lock.hcl': '',
        'modules/eks/main.tf': CLUSTER,
        'modules/eks/iam.tf': broken,
      },
    ],
    ['alone', { 'infra/main.tf': broken }],
  ])('fail: %s', (_, files) => {
    expect(statusesOf('S-13', files)).toEqual(['fail']);
  });

  test('are charged to their own folder alone', () => {
    const files = {
      'infra/main.tf': CLUSTER,
      'infra/.terraform.lock.hcl': '',
      'infra/other/main.tf': CLUSTER,
      'infra/other/iam.tf': broken,
    };
    const found = judged(files).findings.filter(({ id }) => id === 'S-13');
    expect(found.map(({ object, status }) => `${object} ${status}`)).toEqual([
      'infra/other fail',
      'infra pass',
    ]);
  });
});

describe('values that are no YAML', () => {
  const ids = ['S-16', 'S-17', 'K-43'];
  test.each(['        a: [', '        {{ if .x }}\n        a: b\n        {{ end }}'])(
    'in an Application are reported, and prove nothing: %j',
    (values) => {
      const files = { 'app.yaml': anApplication(values) };
      expect(ids.flatMap((id) => statusesOf(id, files))).toEqual(['skip', 'skip', 'skip']);
      expect(judged(files).problems).toMatchObject([{ at: { file: 'app.yaml' } }]);
    },
  );

  test('in a kubectl_manifest are reported', () => {
    const body = 'resource "kubectl_manifest" "class" {\n  yaml_body = <<-EOT\n    kind: [\n  EOT\n}\n';
    expect(judged({ 'main.tf': body }).problems).toMatchObject([
      { at: { file: 'main.tf' }, message: expect.stringMatching(/^invalid YAML/), level: 'error' },
    ]);
  });
});

describe('what Terraform installs', () => {
  const release = (settings: string) =>
    `${CLUSTER}resource "helm_release" "karpenter" {\n  chart = "karpenter"\n${settings}\n}\n`;

  test('is compared with the infrastructure, and is not part of it', () => {
    const wrong = release('  set {\n    name  = "settings.clusterName"\n    value = "shpo"\n  }');
    expect(statusesOf('S-01', { 'main.tf': wrong })).toEqual(['fail']);
    expect(statusesOf('S-01', { 'main.tf': wrong.replace('shpo', 'shop') })).toEqual(['pass']);
  });

  test('does not prove itself: a class is no instance profile', () => {
    const files = {
      'class.yaml': aNodeClass('  instanceProfile: KarpenterNode-shop'),
      'state.json': aState(
        aResource('aws_iam_role', 'karpenter', { name: 'shop-karpenter' }),
        aResource('kubectl_manifest', 'b', {
          yaml_body: aNodeClass('  instanceProfile: KarpenterNode-shop', 'b'),
        }),
      ),
    };
    expect(statusesOf('S-02', files)).toEqual(['skip']);
    expect(statusesOf('S-03', files)).toEqual(['fail']);
  });
});
