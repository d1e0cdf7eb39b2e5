/** The policy of a controller, enforced statement by statement. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fleetParams, ownedTags, type TestAws, templateParams, testAws } from '../aws.fixture.ts';
import { CONTROLLER_ROLE } from '../aws-server.ts';
import { subnetIdOf } from '../store/furnish.ts';
import { controllerPolicy, withoutAction } from './controller-policy.ts';
import { evaluate, type PolicyDocument } from './policy.ts';

let aws: TestAws;
let policy: PolicyDocument;

beforeEach(async () => {
  aws = await testAws({ latencies: { consistencyMs: 0 } });
  const { settings, account, queue } = aws.server;
  policy = controllerPolicy({
    ...settings,
    nodeRoleArn: account.roles.get(settings.nodeRoleName)!.arn,
    queueArn: queue.settings.arn,
  });
  attach(policy);
});

afterEach(() => aws.close());

function attach(document: PolicyDocument, boundary?: PolicyDocument): void {
  const { arn } = aws.server.account.roles.get(CONTROLLER_ROLE)!;
  aws.server.context.access.attach(arn, { policies: [document], boundary });
}

async function launched(): Promise<string> {
  await aws.ec2('CreateLaunchTemplate', templateParams(aws.server));
  const { text } = await aws.ec2('CreateFleet', fleetParams(aws.server));
  const [id] = [...text.matchAll(/<item>(i-[0-9a-f]+)<\/item>/g)].map((match) => match[1]!);
  return id!;
}

test('with the whole policy a controller launches, tags and terminates its instances', async () => {
  const id = await launched();
  expect(id).toMatch(/^i-/);
  const tags = [{ Key: 'Name', Value: 'node' }];
  expect((await aws.ec2('CreateTags', { Resources: [id], Tags: tags })).code).toBeUndefined();
  expect((await aws.ec2('TerminateInstances', { InstanceIds: [id] })).code).toBeUndefined();
});

test('a missing action is named with principal and resource', async () => {
  attach(withoutAction(policy, 'ec2:DescribeSubnets'));
  expect(await aws.ec2('DescribeSubnets')).toMatchObject({
    status: 403,
    code: 'UnauthorizedOperation',
    message:
      'You are not authorized to perform this operation. User: arn:aws:sts::111122223333:assumed-role/KarpenterControllerRole/controller ' +
      'is not authorized to perform: ec2:DescribeSubnets because no identity-based policy allows the ec2:DescribeSubnets action',
  });
});

describe('one missing action at a time', () => {
  const calls: readonly (readonly [
    action: string,
    call: () => Promise<{ code: string | undefined; text: string }>,
  ])[] = [
    [
      'ec2:CreateLaunchTemplate',
      () => aws.ec2('CreateLaunchTemplate', templateParams(aws.server, {}, 'other')),
    ],
    ['ec2:CreateFleet', () => aws.ec2('CreateFleet', fleetParams(aws.server))],
    ['ec2:RunInstances', () => aws.ec2('CreateFleet', fleetParams(aws.server))],
    [
      'ec2:DeleteLaunchTemplate',
      () => aws.ec2('DeleteLaunchTemplate', { LaunchTemplateName: 'karpenter.k8s.aws/1' }),
    ],
    ['ec2:DescribeInstances', () => aws.ec2('DescribeInstances')],
    ['ec2:DescribeInstanceStatus', () => aws.ec2('DescribeInstanceStatus')],
    ['ssm:GetParameter', () => aws.json('ssm', 'GetParameter', { Name: '/aws/service/a' })],
    ['pricing:GetProducts', () => aws.json('pricing', 'GetProducts', { ServiceCode: 'AmazonEC2' })],
    ['sqs:GetQueueUrl', () => aws.json('sqs', 'GetQueueUrl', { QueueName: 'playground' })],
    ['iam:ListInstanceProfiles', () => aws.query('iam', 'ListInstanceProfiles', {})],
    ['iam:GetInstanceProfile', () => aws.query('iam', 'GetInstanceProfile', { InstanceProfileName: 'a' })],
    ['eks:DescribeCluster', () => aws.call('eks', { method: 'GET', path: '/clusters/playground' })],
  ];

  test.each(calls)('%s', async (action, call) => {
    await aws.ec2('CreateLaunchTemplate', templateParams(aws.server));
    expect((await call()).text).not.toContain('not authorized');
    if (action === 'ec2:DeleteLaunchTemplate')
      await aws.ec2('CreateLaunchTemplate', templateParams(aws.server));
    attach(withoutAction(policy, action));
    expect((await call()).text).toContain(`is not authorized to perform: ${action}`);
  });
});

describe('one missing action of those that change resources', () => {
  const profile = { InstanceProfileName: 'p' };
  const profileTags = {
    'kubernetes.io/cluster/playground': 'owned',
    'eks:eks-cluster-name': 'playground',
    'topology.kubernetes.io/region': 'us-west-2',
    'karpenter.k8s.aws/ec2nodeclass': 'default',
  };
  const tagParams = Object.fromEntries(
    Object.entries(profileTags).flatMap(([key, value], at) => [
      [`Tags.member.${at + 1}.Key`, key],
      [`Tags.member.${at + 1}.Value`, value],
    ]),
  );
  const RoleName = 'KarpenterNodeRole-playground';
  const queue = () => ({ QueueUrl: aws.server.queue.settings.url });
  const calls: readonly (readonly [
    action: string,
    call: (id: string) => Promise<{ readonly text: string }>,
  ])[] = [
    ['ec2:TerminateInstances', (id) => aws.ec2('TerminateInstances', { InstanceIds: [id] })],
    [
      'ec2:CreateTags',
      (id) => aws.ec2('CreateTags', { Resources: [id], Tags: [{ Key: 'Name', Value: 'n' }] }),
    ],
    [
      'iam:CreateInstanceProfile',
      () => aws.query('iam', 'CreateInstanceProfile', { InstanceProfileName: 'q', ...tagParams }),
    ],
    ['iam:TagInstanceProfile', () => aws.query('iam', 'TagInstanceProfile', { ...profile, ...tagParams })],
    [
      'iam:AddRoleToInstanceProfile',
      () => aws.query('iam', 'AddRoleToInstanceProfile', { ...profile, RoleName }),
    ],
    ['iam:PassRole', () => aws.query('iam', 'AddRoleToInstanceProfile', { ...profile, RoleName })],
    [
      'iam:RemoveRoleFromInstanceProfile',
      () => aws.query('iam', 'RemoveRoleFromInstanceProfile', { ...profile, RoleName }),
    ],
    ['iam:DeleteInstanceProfile', () => aws.query('iam', 'DeleteInstanceProfile', profile)],
    ['sqs:ReceiveMessage', () => aws.json('sqs', 'ReceiveMessage', queue())],
    ['sqs:DeleteMessage', () => aws.json('sqs', 'DeleteMessage', { ...queue(), ReceiptHandle: 'x' })],
  ];

  test.each(calls)('%s', async (action, call) => {
    const id = await launched();
    expect(
      (await aws.query('iam', 'CreateInstanceProfile', { ...profile, ...tagParams })).code,
    ).toBeUndefined();
    attach(withoutAction(policy, action));
    expect((await call(id)).text).toContain(`is not authorized to perform: ${action}`);
    attach(policy);
    expect((await call(id)).text).not.toContain('not authorized');
  });

  test('a profile without the tags of the cluster', async () => {
    const untagged = await aws.query('iam', 'CreateInstanceProfile', profile);
    expect(untagged).toMatchObject({ status: 403, code: 'AccessDenied' });
  });
});

test('the cluster behind a zonal shift is the only one that may be read', async () => {
  const path = (name: string) =>
    `/managedresources/${encodeURIComponent(`arn:aws:eks:us-west-2:111122223333:cluster/${name}`)}`;
  expect(
    (await aws.call('arc-zonal-shift', { method: 'GET', path: path('playground') })).code,
  ).toBeUndefined();
  const other = await aws.call('arc-zonal-shift', { method: 'GET', path: path('other') });
  expect(other).toMatchObject({ status: 403, code: 'AccessDeniedException' });
});

test('resources of another owner cannot be tagged or terminated', async () => {
  const id = await launched();
  const instance = aws.server.instances.get(id)!;
  instance.tags = [{ Key: 'Name', Value: 'database' }];
  const refusal = await aws.ec2('TerminateInstances', { InstanceIds: [id] });
  expect(refusal).toMatchObject({ code: 'UnauthorizedOperation' });
  expect(refusal.message).toContain(`on resource: arn:aws:ec2:us-west-2:111122223333:instance/${id}`);
  expect(refusal.message).toContain('Encoded authorization failure message: ');
});

test('tags that the policy does not list cannot be added later', async () => {
  const id = await launched();
  const tags = [{ Key: 'karpenter.sh/nodepool', Value: 'other' }];
  expect((await aws.ec2('CreateTags', { Resources: [id], Tags: tags })).code).toBe('UnauthorizedOperation');
});

test('a fleet without the tags of the cluster is refused', async () => {
  await aws.ec2('CreateLaunchTemplate', templateParams(aws.server));
  const fleet = { ...fleetParams(aws.server), TagSpecifications: [] };
  expect(await aws.ec2('CreateFleet', fleet)).toMatchObject({ status: 403, code: 'UnauthorizedOperation' });
  const others = ownedTags('other');
  const wrong = { ...fleetParams(aws.server), TagSpecifications: [{ ResourceType: 'fleet', Tags: others }] };
  expect((await aws.ec2('CreateFleet', wrong)).code).toBe('UnauthorizedOperation');
});

describe('an instance that is run from a launch template', () => {
  const run = (own: object = {}) =>
    aws.ec2('RunInstances', {
      MinCount: 1,
      MaxCount: 1,
      DryRun: true,
      InstanceType: 'm5.large',
      LaunchTemplate: { LaunchTemplateName: 'karpenter.k8s.aws/1', Version: '$Latest' },
      NetworkInterfaces: [{ DeviceIndex: 0, SubnetId: subnetIdOf(0) }],
      ...own,
    });
  const tagged = (...types: readonly string[]) =>
    types.map((ResourceType) => ({ ResourceType, Tags: [...ownedTags('playground')] }));
  const template = (own: Readonly<Record<string, unknown>>) =>
    aws.ec2('CreateLaunchTemplate', templateParams(aws.server, own));

  test('has the tags of the request instead of all tags of the template', async () => {
    const all = tagged('instance', 'volume', 'network-interface');
    await template({ TagSpecifications: all });
    expect((await run()).code).toBe('DryRunOperation');
    expect((await run({ TagSpecifications: all })).code).toBe('DryRunOperation');
    const refusal = await run({ TagSpecifications: all.slice(0, 2) });
    expect(refusal.code).toBe('UnauthorizedOperation');
    expect(refusal.message).toContain(':network-interface/*');
  });

  test.each([
    ['ec2:MetadataHttpTokens', 'required', { MetadataOptions: { HttpTokens: 'required' } }],
    ['ec2:InstanceType', 'm5.xlarge', { InstanceType: 'm5.xlarge' }],
    ['ec2:Tenancy', 'dedicated', { Placement: { Tenancy: 'dedicated' } }],
  ])(
    'is judged by service control policies about %s, that of the metadata by the request alone',
    async (key, value, own) => {
      await template({
        TagSpecifications: tagged('instance', 'volume', 'network-interface'),
        MetadataOptions: { HttpTokens: 'required' },
      });
      aws.server.context.access.scps = [
        {
          Statement: [
            { Effect: 'Allow', Action: '*', Resource: '*' },
            {
              Effect: 'Deny',
              Action: 'ec2:RunInstances',
              Resource: 'arn:aws:ec2:*:*:instance/*',
              Condition: { StringNotEquals: { [key]: value } },
            },
          ],
        },
      ];
      expect((await run()).message).toContain('with an explicit deny in a service control policy');
      expect((await run(own)).code).toBe('DryRunOperation');
    },
  );
});

test('service control policies and boundaries are named as such', async () => {
  const { access } = aws.server.context;
  access.scps = [
    {
      Statement: [
        { Effect: 'Allow', Action: '*', Resource: '*' },
        { Effect: 'Deny', Action: 'ec2:DescribeVpcs', Resource: '*' },
      ],
    },
  ];
  expect((await aws.ec2('DescribeVpcs')).message).toContain(
    'with an explicit deny in a service control policy',
  );
  access.scps = [];
  const boundary: PolicyDocument = { Statement: [{ Effect: 'Allow', Action: 'ssm:*', Resource: '*' }] };
  attach(policy, boundary);
  expect((await aws.ec2('DescribeSubnets')).message).toContain(
    'because no permissions boundary allows the ec2:DescribeSubnets action',
  );
});

test('passing a role that the policy does not name is refused', async () => {
  const { account } = aws.server;
  const profile = account.instanceProfiles;
  const arn = 'arn:aws:iam::111122223333:instance-profile/p';
  account.roles.set('admin', {
    ...account.roles.get(CONTROLLER_ROLE)!,
    name: 'admin',
    arn: 'arn:aws:iam::111122223333:role/admin',
  });
  profile.set('p', {
    name: 'p',
    path: '/',
    arn,
    id: 'AIPA',
    createdMs: 0,
    roleName: 'admin',
    usableMs: 0,
    tags: [],
  });
  await aws.ec2('CreateLaunchTemplate', templateParams(aws.server, { IamInstanceProfile: { Name: 'p' } }));
  const { text } = await aws.ec2('CreateFleet', fleetParams(aws.server));
  expect(text).toContain(
    'is not authorized to perform: iam:PassRole on resource: arn:aws:iam::111122223333:role/admin',
  );
  expect(aws.server.instances.list()).toEqual([]);
});

describe('conditions', () => {
  const decision = (
    Condition: NonNullable<PolicyDocument['Statement'][number]['Condition']>,
    context: object,
  ) =>
    evaluate([{ Statement: [{ Effect: 'Allow', Action: 'ec2:*', Resource: '*', Condition }] }], {
      action: 'ec2:RunInstances',
      resource: '*',
      context: context as Record<string, string>,
    });

  test('StringEquals needs the key, StringEqualsIfExists does not', () => {
    expect(decision({ StringEquals: { 'aws:RequestTag/a': '1' } }, {})).toBe('not-allowed');
    expect(decision({ StringEqualsIfExists: { 'aws:RequestTag/a': '1' } }, {})).toBe('allowed');
    expect(decision({ StringEqualsIfExists: { 'aws:RequestTag/a': '1' } }, { 'aws:RequestTag/a': '2' })).toBe(
      'not-allowed',
    );
  });

  test('StringLike knows wildcards, StringEquals does not', () => {
    expect(decision({ StringLike: { 'aws:RequestTag/a': 'x*' } }, { 'aws:RequestTag/a': 'xyz' })).toBe(
      'allowed',
    );
    expect(decision({ StringEquals: { 'aws:RequestTag/a': 'x*' } }, { 'aws:RequestTag/a': 'xyz' })).toBe(
      'not-allowed',
    );
    expect(decision({ StringNotLike: { 'aws:RequestTag/a': 'x*' } }, { 'aws:RequestTag/a': 'abc' })).toBe(
      'allowed',
    );
  });

  test('ForAllValues holds when every value is listed, and when there is none', () => {
    const keys = { 'ForAllValues:StringEquals': { 'aws:TagKeys': ['Name'] } };
    expect(decision(keys, { 'aws:TagKeys': ['Name'] })).toBe('allowed');
    expect(decision(keys, { 'aws:TagKeys': ['Name', 'other'] })).toBe('not-allowed');
    expect(decision(keys, {})).toBe('allowed');
  });

  test('the keys of tags keep their case', () => {
    expect(decision({ StringEquals: { 'aws:RequestTag/A': '1' } }, { 'aws:RequestTag/a': '1' })).toBe(
      'not-allowed',
    );
  });
});
