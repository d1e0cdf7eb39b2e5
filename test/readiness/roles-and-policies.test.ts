/** Policies and roles: what is not known is skipped, another role is no evidence, and healthy estates do not fail. */
import { describe, expect, test } from 'vitest';
import { CHECKS, judge } from '../../packages/chandler/src/readiness/index.ts';
import { inputsOf } from '../../packages/chandler/src/readiness/testing.ts';

const statusesOf = (id: string, tf: string) => [
  ...new Set(
    judge(inputsOf({ 'main.tf': tf }), CHECKS, { strict: false })
      .findings.filter((finding) => finding.id === id)
      .map(({ status }) => status),
  ),
];

const policy = (statements: string, name = 'karpenter_controller') =>
  `resource "aws_iam_policy" "${name}" {\n  policy = jsonencode({ Statement = ${statements} })\n}\n`;
const NODE_ROLE = 'resource "aws_iam_role" "karpenter_node" {\n  name = "KarpenterNode-shop"\n}\n';
const ALL =
  '"ec2:RunInstances", "ec2:CreateFleet", "ec2:CreateLaunchTemplate", "ec2:CreateTags", "iam:PassRole"';
const KARPENTER = `module "karpenter" {
  source       = "terraform-aws-modules/eks/aws//modules/karpenter"
  cluster_name = "shop"
  node_iam_role_use_name_prefix = false
}
`;

describe('S-49: iam:PassRole', () => {
  const passRole = (resource: string) =>
    `[{ Effect = "Allow", Action = "iam:PassRole", Resource = ${resource} }]`;
  test.each([
    ['an instance profile by reference', 'aws_iam_instance_profile.karpenter.arn', 'fail'],
    ['another role', '"arn:aws:iam::418295670013:role/other"', 'fail'],
    ['the node role', '"arn:aws:iam::418295670013:role/KarpenterNode-shop"', 'pass'],
    ['a pattern of the node role', '"arn:aws:iam::418295670013:role/KarpenterNode-*"', 'pass'],
    ['the node role by reference', 'aws_iam_role.karpenter_node.arn', 'pass'],
    ['all roles', '"*"', 'pass'],
    ['another role by reference', 'aws_iam_role.other.arn', 'skip'],
    ['what is not known', 'var.arn', 'skip'],
  ])('on %s', (_, resource, status) => {
    expect(statusesOf('S-49', `${NODE_ROLE}${policy(passRole(resource))}`)).toEqual([status]);
  });

  test('that is denied besides is not allowed', () => {
    const statements =
      '[{ Effect = "Allow", Action = "iam:PassRole", Resource = "*" }, { Effect = "Deny", Action = "iam:*", Resource = "*" }]';
    expect(statusesOf('S-49', policy(statements))).toEqual(['fail']);
  });
});

describe('policies that are not known as a whole', () => {
  test.each([
    ['computed actions', policy('[{ Effect = "Allow", Action = concat(local.a, local.b), Resource = "*" }]')],
    ['a computed statement', policy('[local.launch, local.pass]')],
    ['NotAction', policy('[{ Effect = "Allow", NotAction = ["s3:*"], Resource = "*" }]')],
    [
      'documents that are merged',
      `data "aws_iam_policy_document" "own" {
  source_policy_documents = [data.aws_iam_policy_document.launch.json]
  statement {
    actions   = ["kms:Decrypt"]
    resources = ["*"]
  }
}
resource "aws_iam_policy" "karpenter" {
  policy = data.aws_iam_policy_document.own.json
}
`,
    ],
    [
      'a policy beside those of the module',
      `${KARPENTER}${policy('[{ Effect = "Allow", Action = ["kms:Decrypt"], Resource = "key" }]', 'karpenter_kms')}`,
    ],
  ])('neither fail nor pass: %s', (_, tf) => {
    expect(['S-49', 'S-50', 'K-41'].flatMap((id) => statusesOf(id, tf))).toEqual(['skip', 'skip', 'skip']);
  });

  test('a Deny on one resource does not deny the action everywhere', () => {
    const denied =
      '{ Effect = "Deny", Action = "ec2:RunInstances", Resource = "arn:aws:ec2:*:*:subnet/subnet-1" }';
    expect(
      statusesOf('S-50', policy(`[{ Effect = "Allow", Action = [${ALL}], Resource = "*" }, ${denied}]`)),
    ).toEqual(['pass']);
  });
});

describe('the node role', () => {
  const attachment = (role: string, name = 'AmazonSSMManagedInstanceCore') =>
    `resource "aws_iam_role_policy_attachment" "ssm" {
  role       = ${role}
  policy_arn = "arn:aws:iam::aws:policy/${name}"
}
`;
  const skipped = ['skip', 'skip'];
  const both = (tf: string) => ['S-46', 'S-47'].flatMap((id) => statusesOf(id, tf));

  test('is not that of an instance profile of something else', () => {
    const bastion = `resource "aws_iam_role" "bastion" {\n  name = "bastion"\n}
resource "aws_iam_instance_profile" "bastion" {\n  name = "bastion"\n  role = aws_iam_role.bastion.name\n}\n`;
    expect(both(`${bastion}${attachment('aws_iam_role.bastion.name')}`)).toEqual(skipped);
  });

  test('of a module that is not here has policies that are not here', () => {
    expect(both(`${KARPENTER}${attachment('module.karpenter.node_iam_role_name')}`)).toEqual(skipped);
  });

  test('is not that of the controller, whatever the cluster is called', () => {
    const role = 'resource "aws_iam_role" "karpenter" {\n  name = "nodejs-prod-karpenter-controller"\n}\n';
    expect(both(`${role}${attachment('aws_iam_role.karpenter.name')}`)).toEqual(skipped);
  });

  test('may have its policies by aws_iam_policy_attachment', () => {
    const attached = `resource "aws_iam_policy_attachment" "worker" {
  name       = "worker"
  roles      = [aws_iam_role.karpenter_node.name]
  policy_arn = "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"
}
`;
    expect(
      statusesOf('S-46', `${NODE_ROLE}${attachment('aws_iam_role.karpenter_node.name')}${attached}`),
    ).toEqual(['pass']);
  });
});
