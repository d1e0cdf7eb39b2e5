import { aResource, aState, type ExampleTable } from './example.ts';

/** Each statement on a line of its own, from line 5 on. */
const encoded = (...statements: readonly string[]) => ({
  'main.tf': `resource "aws_iam_policy" "karpenter_controller" {
  policy = jsonencode({
    Version = "2012-10-17"
    Statement = [
${statements.join('\n')}
    ]
  })
}
`,
});
const allow = (actions: string, resource = '*') =>
  `      { Effect = "Allow", Action = [${actions}], Resource = "${resource}" },`;
const LAUNCH = '"ec2:RunInstances", "ec2:CreateFleet", "ec2:CreateLaunchTemplate"';
const chart = {
  'release.tf': 'resource "helm_release" "karpenter" {\n  chart   = "karpenter"\n  version = "1.14.1"\n}\n',
};

export const POLICY_EXAMPLES: ExampleTable = {
  'S-49': {
    fails: {
      status: 'fail',
      files: encoded(
        allow('"iam:PassRole"', 'arn:aws:iam::418295670013:instance-profile/KarpenterNode-shop'),
      ),
      sources: ['main.tf:5'],
    },
    passes: {
      files: {
        'main.tf': `data "aws_iam_policy_document" "controller" {
  statement {
    actions   = ["iam:PassRole"]
    resources = [aws_iam_role.node.arn]
  }
}
resource "aws_iam_role_policy" "karpenter" {
  policy = data.aws_iam_policy_document.controller.json
}
`,
      },
      sources: ['main.tf:2'],
    },
  },
  'S-50': {
    fails: { status: 'fail', files: encoded(allow(LAUNCH)), sources: ['main.tf:2'] },
    passes: { files: encoded(allow(LAUNCH), allow('"ec2:Create*"')), sources: ['main.tf:2'] },
  },
  'K-40': {
    fails: {
      status: 'warn',
      files: { ...encoded(allow('"iam:ListInstanceProfiles"')), ...chart },
      sources: ['main.tf:2'],
    },
    passes: {
      files: { ...encoded(allow('"iam:ListInstanceProfiles", "ec2:Describe*"')), ...chart },
      sources: ['main.tf:2'],
    },
  },
  'K-41': {
    fails: { status: 'fail', files: encoded(allow(LAUNCH), allow('"iam:PassRole"')), sources: ['main.tf:6'] },
    passes: {
      files: {
        'state.json': aState(
          aResource('aws_iam_policy', 'karpenter', {
            policy: JSON.stringify({
              Statement: { Effect: 'Allow', Action: 'ec2:DescribeSubnets', Resource: '*' },
            }),
          }),
        ),
      },
      sources: ['state.json:2'],
    },
  },
};
