/** The setup of an EKS cluster for Terraform, with the provider aws. */
import { header } from '../literals.ts';
import type { Facts } from '../resource.ts';
import { block, hclJson, hclText, terraformText } from '../terraform.ts';
import { PROVIDER } from './access.ts';
import { DISCOVERY_TAG } from './discovery-tag.ts';
import { CLUSTER_TAG, type EksSetup, type RoleSetup, type RuleSetup, TARGET_ID } from './setup.ts';

/** Without the OIDC provider where IAM has it already: there can be only one. */
export function terraformFile(setup: EksSetup, facts: Facts): string {
  const { cluster, controllerRole, nodeRole, provider, queue, rules, tagged } = setup;
  return terraformText([
    header('#', [
      `What the controller of the EKS cluster ${cluster.name} needs in AWS, written by "chandler configure eks".`,
    ]),
    block('terraform', [
      ...block('required_providers', [
        'aws = {',
        '  source  = "hashicorp/aws"',
        '  version = ">= 5.81, < 7.0"',
        '}',
      ]),
    ]),
    block('provider "aws"', [
      `region              = ${hclText(cluster.region)}`,
      `allowed_account_ids = [${hclText(cluster.accountId)}]`,
    ]),
    roleBlock('node', nodeRole, cluster.arn),
    ...nodeRole.policyArns.map((arn) => attachmentBlock(arn)),
    block('resource "aws_eks_access_entry" "node"', [
      `cluster_name  = ${hclText(cluster.name)}`,
      'principal_arn = aws_iam_role.node.arn',
      'type          = "EC2_LINUX"',
    ]),
    block('resource "aws_sqs_queue" "interruption"', [
      `name                      = ${hclText(queue.name)}`,
      `message_retention_seconds = ${queue.retentionSeconds}`,
      'sqs_managed_sse_enabled   = true',
    ]),
    block('resource "aws_sqs_queue_policy" "interruption"', [
      'queue_url = aws_sqs_queue.interruption.url',
      ...encoded('policy   ', queue.policy),
    ]),
    ...rules.flatMap(ruleBlocks),
    ...(provider === undefined
      ? []
      : [
          facts[PROVIDER] === undefined
            ? block('resource "aws_iam_openid_connect_provider" "cluster"', [
                `url            = ${hclText(provider.url)}`,
                `client_id_list = [${hclText(provider.audience)}]`,
              ])
            : header('#', [`The OIDC provider ${provider.arn} exists already.`]),
        ]),
    roleBlock('controller', controllerRole, cluster.arn),
    ...[...controllerRole.policies].map(([name, policy]) =>
      block(`resource "aws_iam_role_policy" "${name}"`, [
        `name   = ${hclText(name)}`,
        'role   = aws_iam_role.controller.name',
        ...encoded('policy', policy),
      ]),
    ),
    ...(provider === undefined
      ? [
          block('resource "aws_eks_pod_identity_association" "controller"', [
            `cluster_name    = ${hclText(cluster.name)}`,
            `namespace       = ${hclText(setup.namespace)}`,
            `service_account = ${hclText(setup.serviceAccount)}`,
            'role_arn        = aws_iam_role.controller.arn',
          ]),
        ]
      : []),
    ...tagged.map(({ id }) =>
      block(`resource "aws_ec2_tag" "${id}"`, [
        `resource_id = ${hclText(id)}`,
        `key         = ${hclText(DISCOVERY_TAG)}`,
        `value       = ${hclText(cluster.name)}`,
      ]),
    ),
  ]);
}

// ---------------------------------------------------------------------------------------------------------------

function encoded(name: string, document: object): readonly string[] {
  const [first, ...rest] = hclJson(document);
  return [`${name} = jsonencode(${first}`, ...rest.slice(0, -1), `${rest.at(-1)})`];
}

function roleBlock(name: string, role: RoleSetup, clusterArn: string): readonly string[] {
  return block(`resource "aws_iam_role" "${name}"`, [
    `name               = ${hclText(role.name)}`,
    `description        = ${hclText(role.description)}`,
    `tags               = { ${hclText(CLUSTER_TAG)} = ${hclText(clusterArn)} }`,
    ...encoded('assume_role_policy', role.trust),
  ]);
}

function attachmentBlock(arn: string): readonly string[] {
  return block(`resource "aws_iam_role_policy_attachment" "${arn.slice(arn.lastIndexOf('/') + 1)}"`, [
    'role       = aws_iam_role.node.name',
    `policy_arn = ${hclText(arn)}`,
  ]);
}

function ruleBlocks({ key, name, pattern, why }: RuleSetup): readonly (readonly string[])[] {
  return [
    [
      `# Needed ${why}.`,
      ...block(`resource "aws_cloudwatch_event_rule" "${key}"`, [
        `name          = ${hclText(name)}`,
        ...encoded('event_pattern', pattern),
      ]),
    ],
    block(`resource "aws_cloudwatch_event_target" "${key}"`, [
      `rule      = aws_cloudwatch_event_rule.${key}.name`,
      `target_id = ${hclText(TARGET_ID)}`,
      'arn       = aws_sqs_queue.interruption.arn',
    ]),
  ];
}
