import { CONTROLLER_ROLE, type PolicyDocument } from '@chandler/cloudsim/aws';
import { type TestAws, testAws } from '@chandler/cloudsim/aws/testing';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DeniedCalls } from '../../index.ts';
import { awsCallsOf } from '../aws-calls.fixture.ts';
import type { AwsError } from '../errors/index.ts';
import type { AwsCalls } from './calls.ts';

const options = { signal: neverAborted() };

let aws: TestAws;
let denied: DeniedCalls<AwsError>;
let calls: AwsCalls;

beforeEach(async () => {
  aws = await testAws();
  denied = new DeniedCalls(aws.world.clock);
  calls = awsCallsOf(aws, { denied });
});
afterEach(() => aws.close());

function allow(...actions: readonly string[]): void {
  const policy: PolicyDocument = { Statement: [{ Effect: 'Allow', Action: actions, Resource: '*' }] };
  const { account, context } = aws.server;
  context.access.attach(account.roles.get(CONTROLLER_ROLE)!.arn, { policies: [policy] });
}

const names = () => denied.list().map(({ call }) => call);
const describeSubnets = () => calls.ec2.describeSubnets({}, options).catch(() => undefined);

test('a call is denied until it is allowed, whatever happens to others', async () => {
  allow('ec2:DescribeImages');
  await describeSubnets();
  await calls.ec2.describeImages({ Owners: ['amazon'] }, options);
  await calls.ssm.getParameter({ Name: '/aws/service/x' }, options).catch(() => undefined);
  expect([...names()].sort()).toEqual(['ec2:DescribeSubnets', 'ssm:GetParameter']);
  expect(denied.list()[0]!.error.message).toContain('is not authorized to perform');
  allow('ec2:DescribeSubnets');
  await describeSubnets();
  expect(names()).toEqual(['ssm:GetParameter']);
});

test('what AWS refuses for another reason, and what it does not answer, is not denied', async () => {
  await calls.ec2.describeSubnets({ SubnetIds: ['subnet-none'] }, options).catch(() => undefined);
  aws.server.faults.add('throttle@operation=DescribeSubnets');
  await describeSubnets();
  expect(names()).toEqual([]);
});

test('a dry run that would have succeeded was allowed', async () => {
  allow('ec2:DescribeImages');
  await describeSubnets();
  allow('ec2:DescribeSubnets');
  await expect(calls.ec2.describeSubnets({ DryRun: true }, options)).rejects.toMatchObject({
    code: 'DryRunOperation',
  });
  expect(names()).toEqual([]);
});

test('what nobody has called for a day is forgotten', async () => {
  allow('ec2:DescribeImages');
  await describeSubnets();
  await aws.world.clock.advance(23 * 3600_000);
  expect(names()).toEqual(['ec2:DescribeSubnets']);
  await aws.world.clock.advance(2 * 3600_000);
  expect(names()).toEqual([]);
});
