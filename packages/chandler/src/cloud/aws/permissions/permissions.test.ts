/** The documented policies against the calls in the code: a call that the code learns needs a row, and so does its page. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ACTIONS, actionOf } from '../wire/actions.table.ts';
import { CHECK_PERMISSIONS } from './check-permissions.table.ts';
import { CONFIGURE_PERMISSIONS } from './configure-permissions.table.ts';
import { type ControllerPlace, controllerPolicies } from './controller-policies.ts';
import { renderIamDoc } from './permissions-doc.ts';
import { checkPolicy, configurePolicy, ownPolicy, whyPolicy } from './policies.ts';
import { IAM_STATEMENTS, KARPENTER_STATEMENTS, statementFor } from './statements.table.ts';
import { PERMISSION_USES, WITHOUT_PERMISSION } from './uses.table.ts';

const PLACE = { partition: 'aws', region: 'eu-west-1', accountId: '123456789012', clusterName: 'shop' };
const AWS = join(import.meta.dirname, '..');
const PAGE = readFileSync(join(AWS, '../../../../../docs/iam.md'), 'utf8');

const usesBy = (who: 'controller' | 'why') =>
  Object.keys(PERMISSION_USES).filter((action) => PERMISSION_USES[action]!.by.includes(who));
const actionsIn = (policy: ReturnType<typeof ownPolicy>) =>
  policy.Statement.flatMap(({ Action }) => Action).sort();

/** Permissions that EC2 asks for in calls of another name. */
const IMPLIED = ['iam:PassRole'];

/** Calls of the files below these folders, by their names in the code: `describeSubnets`. */
function callsIn(folders: readonly string[]): readonly string[] {
  const files = folders.flatMap((folder) =>
    readdirSync(join(AWS, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !/\.(test|fixture|table|gen)\.ts$/.test(file))
      .map((file) => readFileSync(join(AWS, folder, file), 'utf8')),
  );
  const names = Object.entries(ACTIONS).flatMap(([service, methods]) =>
    Object.keys(methods).map((method) => [service, method] as const),
  );
  return names
    .filter(([, method]) => files.some((text) => new RegExp(`\\b${method}\\b`).test(text)))
    .map(([service, method]) => `${service}:${actionOf(method)}`)
    .sort();
}

const FOLDERS = readdirSync(AWS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'wire')
  .map(({ name }) => name);

test('every call that the code can make has a permission, or needs none', () => {
  const calls = Object.entries(ACTIONS).flatMap(([service, methods]) =>
    Object.keys(methods).map((method) => `${service}:${actionOf(method)}`),
  );
  const documented = [
    ...Object.keys(PERMISSION_USES),
    ...Object.keys(CHECK_PERMISSIONS),
    ...Object.keys(CONFIGURE_PERMISSIONS),
    ...Object.keys(WITHOUT_PERMISSION),
  ];
  expect(calls.filter((call) => !documented.includes(call))).toEqual([]);
  expect(documented.filter((action) => !calls.includes(action) && !IMPLIED.includes(action))).toEqual([]);
});

test('every permission is called by those who are said to call it', () => {
  const free = Object.keys(WITHOUT_PERMISSION);
  const byController = callsIn(FOLDERS.filter((name) => name !== 'evidence'));
  expect(byController.filter((call) => !free.includes(call))).toEqual(
    usesBy('controller')
      .filter((action) => !IMPLIED.includes(action))
      .sort(),
  );
  expect(callsIn(['evidence'])).toEqual([...usesBy('why')].sort());
});

test('every permission of the controller is in a statement of Karpenter, or in the one that Chandler adds', () => {
  const documented = KARPENTER_STATEMENTS.flatMap(({ actions }) => actions);
  const own = actionsIn(ownPolicy(PLACE));
  expect(usesBy('controller').filter((action) => !documented.includes(action))).toEqual(own);
  for (const action of own) expect(statementFor(action, undefined)?.policy).toBe('own');
  expect(documented.filter((action) => PERMISSION_USES[action] === undefined)).toEqual([]);
});

test('the policy for why has what why reads, and nothing else', () => {
  expect(actionsIn(whyPolicy(PLACE))).toEqual([...usesBy('why')].sort());
});

test('the policy for check has the calls of its table, and nothing else', () => {
  expect(actionsIn(checkPolicy(PLACE))).toEqual(Object.keys(CHECK_PERMISSIONS).sort());
});

test('the policy for configure has the calls of its table, which are those of its code', () => {
  expect(actionsIn(configurePolicy(PLACE))).toEqual(Object.keys(CONFIGURE_PERMISSIONS).sort());
  expect(callsIn(['../../configure/eks']).filter((call) => !(call in WITHOUT_PERMISSION))).toEqual(
    Object.keys(CONFIGURE_PERMISSIONS)
      .filter((action) => !IMPLIED.includes(action))
      .sort(),
  );
});

test('the policy for configure is for its own roles, queue and rules, and for policies of nodes', () => {
  const { Statement } = configurePolicy(PLACE);
  const of = (action: string) => Statement.find(({ Action }) => Action.includes(action));
  expect(JSON.stringify(Statement)).not.toContain(':role/*');
  expect(of('sqs:DeleteQueue')?.Resource).toBe('arn:aws:sqs:eu-west-1:123456789012:chandler-shop');
  expect(of('events:PutRule')?.Resource).toBe('arn:aws:events:eu-west-1:123456789012:rule/chandler-shop-*');
  expect(of('iam:PassRole')).toMatchObject({
    Resource: 'arn:aws:iam::123456789012:role/chandler-shop',
    Condition: { StringEquals: { 'iam:PassedToService': 'pods.eks.amazonaws.com' } },
  });
  expect(of('iam:AttachRolePolicy')).toMatchObject({
    Resource: 'arn:aws:iam::123456789012:role/KarpenterNodeRole-shop',
    Condition: { ArnEquals: { 'iam:PolicyARN': expect.any(Array) } },
  });
});

describe('the policies of the role that configure creates', () => {
  const policies = (place: Partial<ControllerPlace> = {}) =>
    controllerPolicies({
      ...PLACE,
      nodeRoleArn: 'arn:aws:iam::123456789012:role/nodes',
      queueArn: 'arn:aws:sqs:eu-west-1:123456789012:shop',
      ...place,
    });

  test('have the statements and actions of the table, and nothing else', () => {
    const statements = [...policies().values()].flatMap(({ Statement }) => Statement);
    expect(statements.map(({ Sid, Action }) => [Sid, [Action].flat()])).toEqual(
      IAM_STATEMENTS.filter(({ policy }) => policy !== 'account').map(({ sid, actions }) => [sid, actions]),
    );
  });

  test('add to those of Karpenter what docs/iam.md says', () => {
    const [own] = policies().get('Chandler')!.Statement;
    const [documented] = ownPolicy(PLACE).Statement;
    expect({ ...own, Resource: [own!.Resource].flat() }).toEqual({
      ...documented,
      Resource: [documented!.Resource].flat(),
    });
  });

  test('fit into a role, with the longest name of a cluster', () => {
    const name = 'a'.repeat(100);
    const size = JSON.stringify([
      ...policies({ clusterName: name, region: 'us-gov-west-1' }).values(),
    ]).length;
    expect(size).toBeLessThan(10_240);
  });

  test('in China, name its partition and both services of EC2', () => {
    const china = policies({ partition: 'aws-cn', region: 'cn-north-1' });
    const text = JSON.stringify([...china.values()]);
    expect(text).not.toContain('arn:aws:ec2');
    expect(text).toContain('["ec2.amazonaws.com","ec2.amazonaws.com.cn"]');
  });
});

test('docs/iam.md is made from the tables, and names every action', () => {
  expect(PAGE).toBe(renderIamDoc());
  const actions = [PERMISSION_USES, CHECK_PERMISSIONS, CONFIGURE_PERMISSIONS].flatMap((table) =>
    Object.keys(table),
  );
  for (const action of actions) expect(PAGE).toContain(`\`${action}\``);
  const sids = IAM_STATEMENTS.filter(({ policy }) => policy !== 'account').map(({ sid }) => sid);
  for (const sid of sids) expect(PAGE).toContain(sid);
});
