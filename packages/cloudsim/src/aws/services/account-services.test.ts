/** What is read of EventBridge, KMS and Service Quotas, and of policies of IAM: answers and refusals, as their references document them. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestAws, testAws } from '../aws.fixture.ts';
import { addKey } from './kms.ts';

const KEY = '1234abcd-12ab-34cd-56ef-1234567890ab';
let aws: TestAws;

beforeEach(async () => {
  aws = await testAws({ quotas: { spot: { standard: 32 } } });
});

afterEach(() => aws.close());

test('rules are found by the queue that they send to, and show their pattern', async () => {
  const TargetArn = aws.server.queue.settings.arn;
  const list = await aws.json('events', 'ListRuleNamesByTarget', { TargetArn });
  const { RuleNames } = JSON.parse(list.text);
  expect(RuleNames).toHaveLength(5);
  const rule = await aws.json('events', 'DescribeRule', { Name: RuleNames[0] });
  expect(JSON.parse(JSON.parse(rule.text).EventPattern)).toHaveProperty('detail-type');
  aws.server.events.rules = new Set();
  expect(JSON.parse((await aws.json('events', 'ListRuleNamesByTarget', { TargetArn })).text)).toEqual({
    RuleNames: [],
  });
  expect(await aws.json('events', 'DescribeRule', { Name: RuleNames[0] })).toMatchObject({
    status: 400,
    code: 'ResourceNotFoundException',
  });
});

test('a key is found by its id and its ARN, with its policy', async () => {
  const key = addKey(aws.server.context, KEY);
  for (const KeyId of [KEY, key.arn]) {
    const { text } = await aws.json('kms', 'DescribeKey', { KeyId });
    expect(JSON.parse(text).KeyMetadata).toMatchObject({ Arn: key.arn, KeyState: 'Enabled' });
  }
  const policy = await aws.json('kms', 'GetKeyPolicy', { KeyId: KEY, PolicyName: 'default' });
  expect(JSON.parse(JSON.parse(policy.text).Policy)).toEqual(key.policy);
  expect(await aws.json('kms', 'DescribeKey', { KeyId: 'other' })).toMatchObject({
    status: 400,
    code: 'NotFoundException',
  });
});

test('quotas are those by which launches are measured', async () => {
  const quota = async (QuotaCode: string) =>
    JSON.parse((await aws.json('servicequotas', 'GetServiceQuota', { ServiceCode: 'ec2', QuotaCode })).text);
  expect((await quota('L-34B43A08')).Quota.Value).toBe(32);
  expect((await quota('L-1216C47A')).Quota.Value).toBeGreaterThan(1000);
  expect(
    await aws.json('servicequotas', 'GetServiceQuota', { ServiceCode: 'ec2', QuotaCode: 'L-0' }),
  ).toMatchObject({
    status: 400,
    code: 'NoSuchResourceException',
  });
});

test('policies of a role are listed, and show their documents', async () => {
  const role = aws.server.settings.nodeRoleName;
  const attached = await aws.query('iam', 'ListAttachedRolePolicies', { RoleName: role });
  const [first] = TestAws.values(attached.text, 'PolicyArn');
  expect(first).toBe('arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy');
  expect((await aws.query('iam', 'GetPolicy', { PolicyArn: first! })).text).toContain(
    '<DefaultVersionId>v1<',
  );
  expect(
    await aws.query('iam', 'GetPolicy', { PolicyArn: 'arn:aws:iam::111122223333:policy/none' }),
  ).toMatchObject({
    status: 404,
    code: 'NoSuchEntity',
  });
  expect(await aws.query('iam', 'ListRolePolicies', { RoleName: 'none' })).toMatchObject({
    code: 'NoSuchEntity',
  });
});

test('the role of spot instances is there as long as the account has it', async () => {
  const RoleName = 'AWSServiceRoleForEC2Spot';
  expect((await aws.query('iam', 'GetRole', { RoleName })).text).toContain(
    '/aws-service-role/spot.amazonaws.com/',
  );
  aws.server.account.spotServiceRole = false;
  expect(await aws.query('iam', 'GetRole', { RoleName })).toMatchObject({ code: 'NoSuchEntity' });
});
