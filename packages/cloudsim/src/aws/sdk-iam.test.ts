/** Roles, policies and trusted issuers through the official client, over HTTP, in an account where nothing is configured yet. */
import { DescribeSubnetsCommand } from '@aws-sdk/client-ec2';
import {
  AddClientIDToOpenIDConnectProviderCommand,
  AttachRolePolicyCommand,
  CreateOpenIDConnectProviderCommand,
  CreatePolicyCommand,
  CreatePolicyVersionCommand,
  CreateRoleCommand,
  DeleteOpenIDConnectProviderCommand,
  DeletePolicyCommand,
  DeletePolicyVersionCommand,
  DeleteRoleCommand,
  DeleteRolePolicyCommand,
  DetachRolePolicyCommand,
  GetOpenIDConnectProviderCommand,
  GetPolicyCommand,
  GetPolicyVersionCommand,
  GetRoleCommand,
  GetRolePolicyCommand,
  ListAttachedRolePoliciesCommand,
  ListEntitiesForPolicyCommand,
  ListOpenIDConnectProvidersCommand,
  ListPolicyVersionsCommand,
  ListRolePoliciesCommand,
  PutRolePolicyCommand,
  SetDefaultPolicyVersionCommand,
  TagRoleCommand,
  UntagRoleCommand,
  UpdateAssumeRolePolicyCommand,
} from '@aws-sdk/client-iam';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { refusal, type SdkAws, sdkAws, sdkClients } from './sdk.fixture.ts';

const ACCOUNT = '111122223333';
const TRUST = policy({ Principal: { Service: 'pods.eks.amazonaws.com' }, Action: 'sts:AssumeRole' });
const SUBNETS = policy({ Action: 'ec2:DescribeSubnets', Resource: '*' });

let aws: SdkAws;
/** Of the role of this test. */
let RoleName = '';
let count = 0;

beforeAll(async () => {
  aws = await sdkAws({ configured: false });
});

beforeEach(() => {
  count += 1;
  RoleName = `role-${count}`;
});

afterAll(() => aws.close());

const create = (more: object = {}) =>
  aws.iam.send(new CreateRoleCommand({ RoleName, AssumeRolePolicyDocument: TRUST, ...more }));

function policy(...statements: readonly object[]): string {
  const Statement = statements.map((statement) => ({ Effect: 'Allow', ...statement }));
  return JSON.stringify({ Version: '2012-10-17', Statement });
}

async function subnetsAsRole(): Promise<string> {
  const clients = sdkClients(aws.server, aws.server.assume(RoleName));
  try {
    return String((await clients.ec2.send(new DescribeSubnetsCommand({}))).Subnets!.length);
  } catch (error) {
    return (error as Error).name;
  } finally {
    clients.destroy();
  }
}

test('a role is created with path, trust and tags, read, changed and deleted', async () => {
  const { Role } = await create({
    Path: '/nodes/',
    Tags: [{ Key: 'a', Value: '1' }],
    Description: 'for nodes',
  });
  expect(Role).toMatchObject({
    Arn: `arn:aws:iam::${ACCOUNT}:role/nodes/${RoleName}`,
    Description: 'for nodes',
  });
  expect((await refusal(create())).name).toBe('EntityAlreadyExistsException');
  const other = policy({ Principal: { Service: 'ec2.amazonaws.com' }, Action: 'sts:AssumeRole' });
  await aws.iam.send(new UpdateAssumeRolePolicyCommand({ RoleName, PolicyDocument: other }));
  await aws.iam.send(new TagRoleCommand({ RoleName, Tags: [{ Key: 'b', Value: '2' }] }));
  await aws.iam.send(new UntagRoleCommand({ RoleName, TagKeys: ['a'] }));
  const read = await aws.iam.send(new GetRoleCommand({ RoleName }));
  expect(read.Role!.Tags).toEqual([{ Key: 'b', Value: '2' }]);
  expect(decodeURIComponent(read.Role!.AssumeRolePolicyDocument!)).toBe(other);
  await aws.iam.send(new DeleteRoleCommand({ RoleName }));
  expect((await refusal(aws.iam.send(new DeleteRoleCommand({ RoleName })))).name).toBe(
    'NoSuchEntityException',
  );
});

test('an inline policy allows what it says until it is deleted, and the role is deleted only without it', async () => {
  await create();
  expect(await subnetsAsRole()).toBe('UnauthorizedOperation');
  await aws.iam.send(new PutRolePolicyCommand({ RoleName, PolicyName: 'subnets', PolicyDocument: SUBNETS }));
  expect(await subnetsAsRole()).toBe('3');
  const read = await aws.iam.send(new GetRolePolicyCommand({ RoleName, PolicyName: 'subnets' }));
  expect(decodeURIComponent(read.PolicyDocument!)).toBe(SUBNETS);
  expect((await aws.iam.send(new ListRolePoliciesCommand({ RoleName }))).PolicyNames).toEqual(['subnets']);
  expect((await refusal(aws.iam.send(new DeleteRoleCommand({ RoleName })))).name).toBe(
    'DeleteConflictException',
  );
  await aws.iam.send(new DeleteRolePolicyCommand({ RoleName, PolicyName: 'subnets' }));
  expect(await subnetsAsRole()).toBe('UnauthorizedOperation');
  await aws.iam.send(new DeleteRoleCommand({ RoleName }));
});

test('a managed policy allows what its default version says, to the roles that have it', async () => {
  await create();
  const PolicyName = `Discovery-${count}`;
  const none = policy({ Action: 'sqs:GetQueueUrl', Resource: '*' });
  const made = await aws.iam.send(new CreatePolicyCommand({ PolicyName, PolicyDocument: none }));
  const PolicyArn = made.Policy!.Arn!;
  expect(
    (await refusal(aws.iam.send(new CreatePolicyCommand({ PolicyName, PolicyDocument: none })))).name,
  ).toBe('EntityAlreadyExistsException');
  await aws.iam.send(new AttachRolePolicyCommand({ RoleName, PolicyArn }));
  await aws.iam.send(new AttachRolePolicyCommand({ RoleName, PolicyArn }));
  const attached = await aws.iam.send(new ListAttachedRolePoliciesCommand({ RoleName }));
  expect(attached.AttachedPolicies).toEqual([{ PolicyName, PolicyArn }]);
  const entities = await aws.iam.send(new ListEntitiesForPolicyCommand({ PolicyArn }));
  expect(entities.PolicyRoles!.map((each) => each.RoleName)).toEqual([RoleName]);
  expect(await subnetsAsRole()).toBe('UnauthorizedOperation');
  await aws.iam.send(
    new CreatePolicyVersionCommand({ PolicyArn, PolicyDocument: SUBNETS, SetAsDefault: true }),
  );
  expect(await subnetsAsRole()).toBe('3');
  const { Policy } = await aws.iam.send(new GetPolicyCommand({ PolicyArn }));
  expect(Policy).toMatchObject({ DefaultVersionId: 'v2', AttachmentCount: 1 });
  const version = await aws.iam.send(new GetPolicyVersionCommand({ PolicyArn, VersionId: 'v2' }));
  expect(decodeURIComponent(version.PolicyVersion!.Document!)).toBe(SUBNETS);
  await aws.iam.send(new SetDefaultPolicyVersionCommand({ PolicyArn, VersionId: 'v1' }));
  expect(await subnetsAsRole()).toBe('UnauthorizedOperation');
  const remove = () => aws.iam.send(new DeletePolicyCommand({ PolicyArn }));
  expect((await refusal(remove())).name, 'attached').toBe('DeleteConflictException');
  await aws.iam.send(new DetachRolePolicyCommand({ RoleName, PolicyArn }));
  expect((await refusal(remove())).name, 'two versions').toBe('DeleteConflictException');
  await aws.iam.send(new DeletePolicyVersionCommand({ PolicyArn, VersionId: 'v2' }));
  const versions = await aws.iam.send(new ListPolicyVersionsCommand({ PolicyArn }));
  expect(versions.Versions!.map(({ VersionId }) => VersionId)).toEqual(['v1']);
  await remove();
  expect((await refusal(aws.iam.send(new GetPolicyCommand({ PolicyArn })))).name).toBe(
    'NoSuchEntityException',
  );
});

test('a managed policy has five versions at most', async () => {
  const made = await aws.iam.send(
    new CreatePolicyCommand({ PolicyName: `P-${count}`, PolicyDocument: SUBNETS }),
  );
  const add = () =>
    aws.iam.send(new CreatePolicyVersionCommand({ PolicyArn: made.Policy!.Arn, PolicyDocument: SUBNETS }));
  for (let version = 2; version <= 5; version += 1) await add();
  expect((await refusal(add())).name).toBe('LimitExceededException');
});

test.each([
  ['no JSON', '{'],
  ['no statement', '{"Version":"2012-10-17"}'],
  ['no resource', policy({ Action: 'ec2:DescribeSubnets' })],
  ['a principal', policy({ Action: 'ec2:DescribeSubnets', Resource: '*', Principal: '*' })],
  ['an action without a service', policy({ Action: 'DescribeSubnets', Resource: '*' })],
  ['an unknown condition', policy({ Action: '*', Resource: '*', Condition: { Matches: { a: 'b' } } })],
])('a policy with %s is malformed', async (_what, PolicyDocument) => {
  const made = aws.iam.send(new CreatePolicyCommand({ PolicyName: `M-${count}`, PolicyDocument }));
  expect((await refusal(made)).name).toBe('MalformedPolicyDocumentException');
});

test('policies and trust have the sizes that IAM allows', async () => {
  const long = policy({
    Action: Array.from({ length: 400 }, (_, at) => `ec2:Describe${at}x`),
    Resource: '*',
  });
  const made = aws.iam.send(new CreatePolicyCommand({ PolicyName: 'long', PolicyDocument: long }));
  expect((await refusal(made)).message).toBe('Cannot exceed quota for PolicySize: 6144');
  const services = Array.from({ length: 120 }, (_, at) => `service-${at}.amazonaws.com`);
  const trust = policy({ Principal: { Service: services }, Action: 'sts:AssumeRole' });
  expect((await refusal(create({ AssumeRolePolicyDocument: trust }))).message).toBe(
    'Cannot exceed quota for ACLSizePerRole: 2048',
  );
});

test('an issuer is trusted for its audiences until it is deleted', async () => {
  const Url = 'https://oidc.eks.us-west-2.amazonaws.com/id/ABCDEF';
  const list = async () =>
    (await aws.iam.send(new ListOpenIDConnectProvidersCommand({}))).OpenIDConnectProviderList ?? [];
  expect(await list()).toEqual([]);
  const make = () => aws.iam.send(new CreateOpenIDConnectProviderCommand({ Url, ClientIDList: ['one'] }));
  const { OpenIDConnectProviderArn } = await make();
  expect((await refusal(make())).name).toBe('EntityAlreadyExistsException');
  expect(await list()).toEqual([{ Arn: OpenIDConnectProviderArn }]);
  await aws.iam.send(
    new AddClientIDToOpenIDConnectProviderCommand({ OpenIDConnectProviderArn, ClientID: 'two' }),
  );
  const read = await aws.iam.send(new GetOpenIDConnectProviderCommand({ OpenIDConnectProviderArn }));
  expect(read).toMatchObject({ Url: Url.replace('https://', ''), ClientIDList: ['one', 'two'] });
  const remove = () => aws.iam.send(new DeleteOpenIDConnectProviderCommand({ OpenIDConnectProviderArn }));
  await remove();
  expect((await refusal(remove())).name).toBe('NoSuchEntityException');
});

test('a denial names the action that the operator lacks, and ends when the action is allowed again', async () => {
  const giveBack = aws.server.withhold('iam:CreateRole');
  expect(await refusal(create())).toEqual({
    name: 'AccessDenied',
    message: `User: arn:aws:iam::${ACCOUNT}:user/operator is not authorized to perform: iam:CreateRole on resource: arn:aws:iam::${ACCOUNT}:role/${RoleName} because no identity-based policy allows the iam:CreateRole action`,
  });
  giveBack();
  expect((await create()).Role!.RoleName).toBe(RoleName);
});
