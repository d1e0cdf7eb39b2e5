import { afterEach, expect, test } from 'vitest';
import { type TestAws, testAws } from '../aws.fixture.ts';

let aws: TestAws;

afterEach(() => aws.close());

const FILTER = { Filters: [{ Name: 'state', Values: ['available'] }] };

async function refused(
  count: number,
  call: () => Promise<{ readonly code: string | undefined }>,
): Promise<number> {
  let refusals = 0;
  for (let made = 0; made < count; made++) if ((await call()).code === 'RequestLimitExceeded') refusals += 1;
  return refusals;
}

test('each action has its own bucket, and it fills again', async () => {
  aws = await testAws({ throttle: true });
  expect(await refused(110, () => aws.ec2('DescribeSubnets', FILTER))).toBe(10);
  expect(await refused(1, () => aws.ec2('DescribeVpcs', FILTER))).toBe(0);
  await aws.world.clock.advance(1000);
  expect(await refused(25, () => aws.ec2('DescribeSubnets', FILTER))).toBe(5);
});

test('some lists have a smaller bucket for calls without filters and pages', async () => {
  aws = await testAws({ throttle: true });
  expect(await refused(60, () => aws.ec2('DescribeInstances'))).toBe(10);
  expect(await refused(60, () => aws.ec2('DescribeVpcs'))).toBe(0);
});

test('a throttled call answers 503 RequestLimitExceeded', async () => {
  aws = await testAws({ throttle: { nonMutating: { burst: 0, perSecond: 1 } } });
  expect(await aws.ec2('DescribeSubnets', FILTER)).toMatchObject({
    status: 503,
    code: 'RequestLimitExceeded',
    message: 'Request limit exceeded.',
  });
});

test('TerminateInstances takes a token for each instance', async () => {
  aws = await testAws({ throttle: { resources: { TerminateInstances: { burst: 3, perSecond: 20 } } } });
  const InstanceIds = [
    'i-0123456789abcdef0',
    'i-0123456789abcdef1',
    'i-0123456789abcdef2',
    'i-0123456789abcdef3',
  ];
  expect((await aws.ec2('TerminateInstances', { InstanceIds })).code).toBe('RequestLimitExceeded');
  expect((await aws.ec2('TerminateInstances', { InstanceIds: InstanceIds.slice(0, 3) })).code).toBe(
    'InvalidInstanceID.NotFound',
  );
});

test('Parameter Store throttles in its own words', async () => {
  aws = await testAws({ throttle: true });
  const codes = new Set<string | undefined>();
  for (let made = 0; made < 41; made++)
    codes.add((await aws.json('ssm', 'GetParameter', { Name: '/a' })).code);
  expect(codes).toContain('ThrottlingException');
});

test('IAM throttles reads and writes apart, in its own words', async () => {
  aws = await testAws({ throttle: true });
  const throttled = async (action: string) => {
    let count = 0;
    for (let made = 0; made < 25; made++) {
      const { code, status } = await aws.query('iam', action, { InstanceProfileName: 'p' });
      if (code === 'Throttling') count += status === 400 ? 1 : 100;
    }
    return count;
  };
  expect(await throttled('CreateInstanceProfile')).toBe(15);
  expect(await throttled('GetInstanceProfile')).toBe(5);
});
