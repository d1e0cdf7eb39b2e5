/**
 * The setup of an EKS cluster as a script for the AWS CLI. It can be run again. Before the first change it reads what is there, and ends
 * if that is of somebody else, as --apply does.
 */
import { shellQuote } from '../../settings/index.ts';
import { command, retryLines } from '../shell-script.ts';
import { DISCOVERY_TAG } from './discovery-tag.ts';
import {
  CLUSTER_TAG,
  type EksSetup,
  type RoleSetup,
  type RuleSetup,
  TARGET_ID,
  type TaggedResource,
} from './setup.ts';

export function awsScript(setup: EksSetup): string {
  const { cluster, controllerRole, nodeRole, provider, rules } = setup;
  const lines = [
    '#!/bin/sh',
    `# What the controller of the EKS cluster ${cluster.name} needs in AWS, written by "chandler configure eks".`,
    'set -eu',
    '',
    `export AWS_REGION=${shellQuote(cluster.region)} AWS_DEFAULT_REGION=${shellQuote(cluster.region)}`,
    `cluster=${shellQuote(cluster.name)}`,
    '',
    ...retryLines('AWS'),
    '',
    ...FUNCTIONS,
    '',
    ...accountCheck(cluster.accountId),
    '',
    '# What is there already: nothing is changed if it is of somebody else.',
    ...roleCheck('node_role', nodeRole, cluster.arn),
    ...roleCheck('controller_role', controllerRole, cluster.arn),
    ...accessEntryCheck(setup),
    ...queueCheck(setup),
    ...rules.flatMap((rule) => ruleCheck(rule, setup)),
    ...(provider === undefined ? associationCheck(setup) : providerCheck(provider)),
    ...tagCheck(setup, 'subnet', 'describe-subnets --subnet-ids', 'Subnets'),
    ...tagCheck(setup, 'security-group', 'describe-security-groups --group-ids', 'SecurityGroups'),
    '',
    '# The role of nodes.',
    ...roleLines('node_role', nodeRole, cluster.arn),
    ...nodeRole.policyArns.map(
      (arn) => `aws iam attach-role-policy --role-name ${shellQuote(nodeRole.name)} --policy-arn ${arn}`,
    ),
    'if [ -z "$entry" ]; then',
    `  retry aws eks create-access-entry --cluster-name "$cluster" --type EC2_LINUX --principal-arn ${shellQuote(nodeRole.arn)} >/dev/null`,
    'fi',
    '',
    '# The interruption queue.',
    ...queueLines(setup),
    ...rules.flatMap(({ name, pattern, why }) => [
      '',
      `# Needed ${why}.`,
      `aws events put-rule --name ${shellQuote(name)} --event-pattern ${json(pattern)} >/dev/null`,
      targetLine(name, setup),
    ]),
    '',
    '# The role of the controller.',
    ...(provider === undefined
      ? []
      : [
          'if [ -z "$provider" ]; then',
          `  aws iam create-open-id-connect-provider --url ${shellQuote(provider.url)} --client-id-list ${provider.audience} >/dev/null`,
          'fi',
        ]),
    ...roleLines('controller_role', controllerRole, cluster.arn),
    ...[...controllerRole.policies].map(([name, policy]) =>
      command('aws iam put-role-policy', [
        `--role-name ${shellQuote(controllerRole.name)}`,
        `--policy-name ${name}`,
        `--policy-document ${json(policy)}`,
      ]),
    ),
    ...(provider === undefined
      ? [
          'if [ -z "$association" ]; then',
          `  retry aws eks create-pod-identity-association --cluster-name "$cluster" ${accountOptions(setup)} --role-arn ${shellQuote(controllerRole.arn)} >/dev/null`,
          'fi',
        ]
      : []),
    '',
    '# Subnets and the security group of nodes.',
    command('aws ec2 create-tags', [
      `--resources ${idsOf(setup.tagged)}`,
      `--tags "Key=${DISCOVERY_TAG},Value=$cluster"`,
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

// ---------------------------------------------------------------------------------------------------------------

const FUNCTIONS = [
  '# refuse TEXT: ends the script.',
  'refuse() {',
  '  echo "$1; nothing was changed" >&2',
  '  exit 1',
  '}',
  '',
  '# look COMMAND…: what AWS answers as $found, which is empty if there is no such thing. Any other failure ends the script.',
  'errors=$(mktemp)',
  `trap 'rm -f "$errors"' EXIT`,
  'look() {',
  '  if ! found=$(aws "$@" --output text 2>"$errors"); then',
  '    if ! grep -Eq \'NoSuchEntity|ResourceNotFoundException|NonExistentQueue|QueueDoesNotExist\' "$errors"; then',
  '      cat "$errors" >&2',
  '      exit 1',
  '    fi',
  '    found=',
  '  fi',
  '}',
];

function json(value: object): string {
  return shellQuote(JSON.stringify(value));
}

/** Credentials of another account would create everything there. */
function accountCheck(accountId: string): readonly string[] {
  return [
    'account=$(aws sts get-caller-identity --query Account --output text)',
    `if [ "$account" != ${accountId} ]; then`,
    `  refuse "these credentials are of the account $account, not of ${accountId}"`,
    'fi',
  ];
}

/** @param pattern of a `case` of the shell. */
function fits(pattern: string, message: string): readonly string[] {
  return ['case "$found" in', `'' | ${pattern}) ;;`, `*) refuse ${shellQuote(message)} ;;`, 'esac'];
}

function roleCheck(variable: string, { name }: RoleSetup, clusterArn: string): readonly string[] {
  return [
    `look iam get-role --role-name ${shellQuote(name)} --query "Role.Tags[?Key=='${CLUSTER_TAG}'].Value | [0]"`,
    ...fits(
      shellQuote(clusterArn),
      `the role ${name} exists, and is not of this cluster; choose another name`,
    ),
    `${variable}=$found`,
  ];
}

/** @param variable that says whether it exists. */
function roleLines(
  variable: string,
  { name, description, trust }: RoleSetup,
  clusterArn: string,
): readonly string[] {
  return [
    `trust=${json(trust)}`,
    `if [ -n "$${variable}" ]; then`,
    `  aws iam update-assume-role-policy --role-name ${shellQuote(name)} --policy-document "$trust"`,
    'else',
    `  ${command('aws iam create-role', [
      `--role-name ${shellQuote(name)}`,
      `--description ${shellQuote(description)}`,
      '--assume-role-policy-document "$trust"',
      `--tags ${shellQuote(`Key=${CLUSTER_TAG},Value=${clusterArn}`)} >/dev/null`,
    ]).replaceAll('\n', '\n  ')}`,
    'fi',
  ];
}

function accessEntryCheck({ nodeRole }: EksSetup): readonly string[] {
  return [
    `look eks describe-access-entry --cluster-name "$cluster" --principal-arn ${shellQuote(nodeRole.arn)} --query accessEntry.type`,
    ...fits('EC2_LINUX', `the access entry of ${nodeRole.arn} is not of the type EC2_LINUX; delete it`),
    'entry=$found',
  ];
}

/** The policy of a queue that was created here names its rules. */
function queueCheck({ queue, rules }: EksSetup): readonly string[] {
  return [
    `look sqs get-queue-url --queue-name ${shellQuote(queue.name)} --query QueueUrl`,
    'queue=$found',
    'if [ -n "$queue" ]; then',
    '  look sqs get-queue-attributes --queue-url "$queue" --attribute-names Policy --query Attributes.Policy',
    '  case "$found" in',
    `  *${shellQuote(rules[0]!.arn)}*) ;;`,
    `  *) refuse ${shellQuote(`the queue ${queue.name} exists, and its policy does not name the rules of this cluster; choose another name`)} ;;`,
    '  esac',
    'fi',
  ];
}

function ruleCheck({ name, pattern }: RuleSetup, { queue }: EksSetup): readonly string[] {
  const [detail] = (pattern as { readonly 'detail-type': readonly string[] })['detail-type'];
  return [
    `look events describe-rule --name ${shellQuote(name)} --query EventPattern`,
    ...fits(
      `*${shellQuote(JSON.stringify(detail))}*`,
      `the rule ${name} exists, and is for other events; delete it`,
    ),
    `look events list-targets-by-rule --rule ${shellQuote(name)} --query "Targets[?Id=='${TARGET_ID}'].Arn"`,
    ...fits(
      shellQuote(queue.arn),
      `the target ${TARGET_ID} of the rule ${name} is not ${queue.arn}; remove it`,
    ),
  ];
}

function associationCheck(setup: EksSetup): readonly string[] {
  const { controllerRole, namespace, serviceAccount } = setup;
  return [
    `look eks list-pod-identity-associations --cluster-name "$cluster" ${accountOptions(setup)} --query 'associations[].associationId'`,
    'association=$found',
    'if [ -n "$association" ]; then',
    '  look eks describe-pod-identity-association --cluster-name "$cluster" --association-id "$association" --query association.roleArn',
    ...fits(
      shellQuote(controllerRole.arn),
      `the Pod Identity association of ${namespace}/${serviceAccount} has another role; delete it`,
    ).map((line) => `  ${line}`),
    'fi',
  ];
}

/** One that has more audiences does as well. */
function providerCheck({ arn, audience }: NonNullable<EksSetup['provider']>): readonly string[] {
  return [
    `look iam get-open-id-connect-provider --open-id-connect-provider-arn ${shellQuote(arn)} --query "join(' ', ClientIDList) || 'none'"`,
    'provider=$found',
    'case " $found " in',
    `'  ' | *${shellQuote(` ${audience} `)}*) ;;`,
    `*) refuse ${shellQuote(`the OIDC provider ${arn} lacks the audience ${audience}; add it`)} ;;`,
    'esac',
  ];
}

/** Another cluster may have the tag. */
function tagCheck(
  { cluster, tagged }: EksSetup,
  type: TaggedResource['type'],
  describe: string,
  list: string,
): readonly string[] {
  const ids = idsOf(tagged.filter((each) => each.type === type));
  return [
    `look ec2 ${describe} ${ids} --query "${list}[].Tags[] | [?Key=='${DISCOVERY_TAG}' && Value!='${cluster.name}'].Value"`,
    `[ -z "$found" ] || refuse "of ${ids.replaceAll("'", '')}, some have the tag ${DISCOVERY_TAG} of another cluster: $found"`,
  ];
}

function idsOf(tagged: readonly TaggedResource[]): string {
  return tagged.map(({ id }) => shellQuote(id)).join(' ');
}

function queueLines({ queue }: EksSetup): readonly string[] {
  const attributes = {
    MessageRetentionPeriod: String(queue.retentionSeconds),
    SqsManagedSseEnabled: 'true',
    Policy: JSON.stringify(queue.policy),
  };
  return [
    `attributes=${json(attributes)}`,
    'if [ -n "$queue" ]; then',
    '  aws sqs set-queue-attributes --queue-url "$queue" --attributes "$attributes"',
    'else',
    `  aws sqs create-queue --queue-name ${shellQuote(queue.name)} --attributes "$attributes" --output text`,
    'fi',
  ];
}

/** EventBridge answers with success, and counts what it did not do. */
function targetLine(rule: string, { queue }: EksSetup): string {
  const target = json([{ Id: TARGET_ID, Arn: queue.arn }]);
  return `[ "$(aws events put-targets --rule ${shellQuote(rule)} --targets ${target} --query FailedEntryCount --output text)" = 0 ]`;
}

function accountOptions({ namespace, serviceAccount }: EksSetup): string {
  return `--namespace ${shellQuote(namespace)} --service-account ${shellQuote(serviceAccount)}`;
}
