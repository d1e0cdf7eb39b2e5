/** The setup of an EKS cluster as a script for the AWS CLI. It can be run again. */
import { shellQuote } from '../../settings/index.ts';
import { command, retryLines } from '../shell-script.ts';
import { CLUSTER_TAG, DISCOVERY_TAG, type EksSetup, type RoleSetup, TARGET_ID } from './setup.ts';

export function awsScript(setup: EksSetup): string {
  const { cluster, controllerRole, nodeRole, provider, rules, tagged } = setup;
  const lines = [
    '#!/bin/sh',
    `# What the controller of the EKS cluster ${cluster.name} needs in AWS, written by "chandler configure eks".`,
    'set -eu',
    '',
    `export AWS_REGION=${shellQuote(cluster.region)}`,
    `cluster=${shellQuote(cluster.name)}`,
    '',
    ...retryLines('AWS'),
    '',
    ...roleFunction(cluster.arn),
    '',
    ...accountCheck(cluster.accountId),
    '',
    '# The role of nodes.',
    roleCall(nodeRole),
    ...nodeRole.policyArns.map(
      (arn) => `aws iam attach-role-policy --role-name ${shellQuote(nodeRole.name)} --policy-arn ${arn}`,
    ),
    `if ! aws eks describe-access-entry --cluster-name "$cluster" --principal-arn ${shellQuote(nodeRole.arn)} >/dev/null 2>&1; then`,
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
          `if ! aws iam get-open-id-connect-provider --open-id-connect-provider-arn ${shellQuote(provider.arn)} >/dev/null 2>&1; then`,
          `  aws iam create-open-id-connect-provider --url ${shellQuote(provider.url)} --client-id-list ${provider.audience} >/dev/null`,
          'fi',
        ]),
    roleCall(controllerRole),
    ...[...controllerRole.policies].map(([name, policy]) =>
      command('aws iam put-role-policy', [
        `--role-name ${shellQuote(controllerRole.name)}`,
        `--policy-name ${name}`,
        `--policy-document ${json(policy)}`,
      ]),
    ),
    ...(provider === undefined ? associationLines(setup) : []),
    '',
    '# Subnets and the security group of nodes.',
    command('aws ec2 create-tags', [
      `--resources ${tagged.map(({ id }) => shellQuote(id)).join(' ')}`,
      `--tags "Key=${DISCOVERY_TAG},Value=$cluster"`,
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

// ---------------------------------------------------------------------------------------------------------------

function json(value: object): string {
  return shellQuote(JSON.stringify(value));
}

/** Credentials of another account would create everything there. */
function accountCheck(accountId: string): readonly string[] {
  return [
    'account=$(aws sts get-caller-identity --query Account --output text)',
    `if [ "$account" != ${accountId} ]; then`,
    `  echo "these credentials are of the account $account, not of ${accountId}" >&2`,
    '  exit 1',
    'fi',
  ];
}

/** A role of somebody else is left as it is. */
function roleFunction(clusterArn: string): readonly string[] {
  return [
    '# role NAME DESCRIPTION TRUST: creates it, or updates whom it trusts, if it is of this cluster.',
    'role() {',
    `  if owner=$(aws iam get-role --role-name "$1" --query "Role.Tags[?Key=='${CLUSTER_TAG}'].Value | [0]" --output text 2>/dev/null); then`,
    `    if [ "$owner" != ${shellQuote(clusterArn)} ]; then`,
    '      echo "the role $1 exists, and is not of this cluster; choose another name" >&2',
    '      exit 1',
    '    fi',
    '    aws iam update-assume-role-policy --role-name "$1" --policy-document "$3"',
    '  else',
    `    aws iam create-role --role-name "$1" --description "$2" --assume-role-policy-document "$3" --tags ${shellQuote(`Key=${CLUSTER_TAG},Value=${clusterArn}`)} >/dev/null`,
    '  fi',
    '}',
  ];
}

function roleCall({ name, description, trust }: RoleSetup): string {
  return command('role', [shellQuote(name), shellQuote(description), json(trust)]);
}

function queueLines({ queue }: EksSetup): readonly string[] {
  const attributes = {
    MessageRetentionPeriod: String(queue.retentionSeconds),
    SqsManagedSseEnabled: 'true',
    Policy: JSON.stringify(queue.policy),
  };
  return [
    '# A queue of this name that was deleted a moment ago is in the way for a minute.',
    command('retry aws sqs create-queue', [
      `--queue-name ${shellQuote(queue.name)}`,
      `--attributes ${json(attributes)}`,
      '--output text',
    ]),
  ];
}

/** EventBridge answers with success, and counts what it did not do. */
function targetLine(rule: string, { queue }: EksSetup): string {
  const target = json([{ Id: TARGET_ID, Arn: queue.arn }]);
  return `[ "$(aws events put-targets --rule ${shellQuote(rule)} --targets ${target} --query FailedEntryCount --output text)" = 0 ]`;
}

function associationLines({ controllerRole, namespace, serviceAccount }: EksSetup): readonly string[] {
  const account = `--namespace ${shellQuote(namespace)} --service-account ${shellQuote(serviceAccount)}`;
  return [
    `if [ -z "$(aws eks list-pod-identity-associations --cluster-name "$cluster" ${account} --query 'associations[].associationId' --output text)" ]; then`,
    `  retry aws eks create-pod-identity-association --cluster-name "$cluster" ${account} --role-arn ${shellQuote(controllerRole.arn)} >/dev/null`,
    'fi',
  ];
}
