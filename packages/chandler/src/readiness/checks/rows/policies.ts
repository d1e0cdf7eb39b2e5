/** Checks of the policies of the controller, as Terraform has them. */

import { roleName } from '../../facts/arn.ts';
import { type FactValue, knownValues } from '../../facts/facts.ts';
import {
  allows,
  type ControllerPolicy,
  controllerPolicies,
  matches,
  type PolicyStatement,
} from '../../facts/policies.ts';
import type { Inputs } from '../../inputs/inputs.ts';
import type { Evidence, Judgement } from '../../model/finding.ts';
import { type Tree, textOf } from '../../model/tree.ts';
import type { CheckRow } from '../check.ts';
import { DOCS } from '../docs.table.ts';
import { fail, pass, skip, warn } from '../judgements.ts';
import { versionOf } from './versions.ts';

const INPUTS = [['terraform', 'plan', 'state', 'cloud']] as const;
const LAUNCH = ['ec2:RunInstances', 'ec2:CreateFleet', 'ec2:CreateLaunchTemplate', 'ec2:CreateTags'];
/** Actions that a version of Karpenter needs for the first time. */
const SINCE: readonly (readonly [minor: number, action: string])[] = [
  [7, 'iam:ListInstanceProfiles'],
  [12, 'ec2:DescribeInstanceStatus'],
];

export const POLICY_CHECKS: readonly CheckRow[] = [
  {
    id: 'S-49',
    title: 'The controller may pass the node role',
    inputs: INPUTS,
    criterion:
      'Passes if a policy of the controller allows iam:PassRole on the node role, fails if none does or only on another role or an instance profile.',
    severity: 'critical',
    phase: 1,
    fix: 'Allow iam:PassRole on the ARN of the node role, for the service ec2.amazonaws.com.',
    docs: DOCS.policies,
    judge: ({ inputs, facts }) =>
      judged(inputs, (policies) => {
        const passing = allowing(policies, 'iam:PassRole');
        if (passing.length === 0 || allows(policies, 'iam:PassRole') !== 'yes')
          return undecided(policies, 'iam:PassRole');
        return passedOn(policies, passing, facts.all('nodeRole'));
      }),
  },
  {
    id: 'S-50',
    title: 'The controller may launch instances',
    inputs: INPUTS,
    criterion: `Passes if the policies of the controller allow ${LAUNCH.join(', ')}, fails if one is missing.`,
    severity: 'critical',
    phase: 1,
    fix: 'Use the policies of the version of Karpenter that you install.',
    docs: DOCS.policies,
    judge: ({ inputs }) => judged(inputs, (policies) => required(policies, LAUNCH, fail)),
  },
  {
    id: 'K-40',
    title: 'The policies fit the version of Karpenter',
    inputs: [...INPUTS, 'values'],
    criterion:
      'Warns if an action is missing that the version of the chart needs: iam:ListInstanceProfiles since 1.7, ec2:DescribeInstanceStatus since 1.12.',
    severity: 'high',
    phase: 1,
    fix: 'Update the policies together with the chart.',
    docs: DOCS.policies,
    judge: ({ inputs }) =>
      judged(inputs, (policies) => {
        const minors = inputs.releases
          .flatMap((release) => /^1\.(\d+)\./.exec(versionOf(release) ?? '')?.[1] ?? [])
          .map(Number);
        const actions = SINCE.filter(([minor]) => minors.some((own) => own >= minor)).map(
          ([, action]) => action,
        );
        return actions.length === 0 ? undefined : required(policies, actions, warn);
      }),
  },
  {
    id: 'K-41',
    title: 'The policies of the controller are narrow',
    inputs: INPUTS,
    criterion:
      'Fails if a statement without condition allows *, ec2:* or iam:*, or iam:PassRole on *; warns if it allows to terminate all instances.',
    severity: 'high',
    phase: 1,
    fix: 'Use the policies of Karpenter, which limit resources by tags.',
    docs: DOCS.policies,
    judge: ({ inputs }) =>
      judged(inputs, (policies) => {
        const open = policies
          .flatMap(({ statements }) => statements)
          .filter(({ allow, conditional }) => allow && !conditional);
        const wide = open.filter(({ actions }) =>
          actions.some((action) => /^(\*|ec2:\*|iam:\*)$/i.test(action)),
        );
        const passing = open.filter((statement) => isOnAll(statement, 'iam:PassRole'));
        const ending = open.filter((statement) => isOnAll(statement, 'ec2:TerminateInstances'));
        if (wide.length + passing.length > 0)
          return fail(
            'A statement allows more than the controller needs.',
            statementEvidence(policies, [...wide, ...passing], 'statement'),
          );
        if (ending.length > 0)
          return warn(
            'It may terminate every instance of the account.',
            statementEvidence(policies, ending, 'statement'),
          );
        return policies.some(({ complete }) => !complete)
          ? skip('A policy is not known.', ['plan', 'state'], policies.map(policyEvidence))
          : pass('No statement is too wide.', policies.map(policyEvidence));
      }),
  },
];

// ---------------------------------------------------------------------------------------------------------------

/** Without a policy of the controller in the files, there is nothing to judge: a module may make it. */
function judged(
  inputs: Inputs,
  judgeAll: (policies: readonly ControllerPolicy[]) => Judgement | undefined,
): readonly Judgement[] {
  const policies = controllerPolicies(inputs);
  const judgement = policies.length === 0 ? undefined : judgeAll(policies);
  return judgement === undefined ? [] : [judgement];
}

function required(
  policies: readonly ControllerPolicy[],
  actions: readonly string[],
  otherwise: typeof fail,
): Judgement {
  const missing = actions.filter((action) => allows(policies, action) === 'no');
  const evidence = policies.map(policyEvidence);
  if (missing.length > 0) return otherwise(`${missing.join(', ')} is not allowed.`, evidence);
  return actions.some((action) => allows(policies, action) === 'unknown')
    ? skip('A policy is not known.', ['plan', 'state'], evidence)
    : pass('All actions are allowed.', evidence);
}

function undecided(policies: readonly ControllerPolicy[], action: string): Judgement {
  const evidence = policies.map(policyEvidence);
  return allows(policies, action) === 'unknown'
    ? skip('A policy is not known.', ['plan', 'state'], evidence)
    : fail(`No policy allows ${action}.`, evidence);
}

function allowing(policies: readonly ControllerPolicy[], action: string): readonly PolicyStatement[] {
  return policies
    .flatMap(({ statements }) => statements)
    .filter(({ allow, actions }) => allow && actions.some((pattern) => matches(pattern, action)));
}

/** What the statements allow to pass: the role of the nodes, or something else. */
function passedOn(
  policies: readonly ControllerPolicy[],
  passing: readonly PolicyStatement[],
  roles: readonly FactValue[],
): Judgement {
  const evidence = statementEvidence(policies, passing, 'iam:PassRole');
  const targets = passing.flatMap(({ resourceTrees }) => resourceTrees.map((tree) => targetOf(tree, roles)));
  if (targets.includes('role')) return pass('It is allowed.', evidence);
  if (targets.includes('unknown') || policies.some(({ complete }) => !complete))
    return skip('It is not known on which role.', ['plan', 'state'], evidence);
  return targets.includes('other')
    ? fail(`It is allowed on another role; that of the nodes is ${knownValues(roles).join(', ')}.`, evidence)
    : fail('It is allowed on an instance profile; the role is what is passed.', evidence);
}

function targetOf(tree: Tree, roles: readonly FactValue[]): 'role' | 'profile' | 'other' | 'unknown' {
  const text = textOf(tree);
  if (text === undefined) {
    const reference = tree.kind === 'unknown' ? (tree.reference ?? '') : '';
    if (/(^|\.)aws_iam_instance_profile\./.test(reference)) return 'profile';
    const isRole = /(^|\.)aws_iam_role\./.test(reference);
    return isRole && (roles.length === 0 || roles.some(({ what }) => what.startsWith(`${reference}.`)))
      ? 'role'
      : 'unknown';
  }
  if (text.includes(':instance-profile/')) return 'profile';
  const names = knownValues(roles).map(roleName);
  if (text === '*' || roles.length === 0) return 'role';
  if (names.some((name) => matches(roleName(text), name))) return 'role';
  return roles.every(({ value }) => value !== undefined) ? 'other' : 'unknown';
}

function isOnAll({ actions, resources }: PolicyStatement, action: string): boolean {
  return resources?.includes('*') === true && actions.some((pattern) => matches(pattern, action));
}

function policyEvidence({ address, source, statements, complete, at }: ControllerPolicy): Evidence {
  return {
    source,
    what: `${address}.policy`,
    at,
    note: complete ? `${statements.length} statements` : 'not known as a whole',
  };
}

function statementEvidence(
  policies: readonly ControllerPolicy[],
  statements: readonly PolicyStatement[],
  what: string,
): readonly Evidence[] {
  const { source } = policies[0]!;
  return statements.map(({ actions, at }) => ({ source, what, value: actions.join(', '), at }));
}
