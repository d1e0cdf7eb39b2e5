/** How fast AWS is called: against the clock of a World, and against the throttling of a simulated AWS. */
import { testAws } from '@chandler/cloudsim/aws/testing';
import { settle, virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { awsCallsOf } from '../aws-calls.fixture.ts';
import { HELD_BACK } from '../errors/index.ts';
import { bucketOf, type RatedCall, rateNames } from './rate-buckets.ts';
import { AwsRateLimiter } from './rate-limiter.ts';
import { MAX_CLOSE_MS } from './rate-queue.ts';
import { RATES } from './rates.table.ts';

const signal = new AbortController().signal;
const FLEET: RatedCall = { service: 'ec2', action: 'CreateFleet', input: {} };
const overrides = { 'ec2:CreateFleet': { perSecond: 2, burst: 3 } };

function terminate(count: number): RatedCall {
  const InstanceIds = Array.from({ length: count }, (_, index) => `i-${index}`);
  return { service: 'ec2', action: 'TerminateInstances', input: { InstanceIds } };
}

describe('buckets', () => {
  test.each<[string, RatedCall, string]>([
    [
      'a list by filter',
      { service: 'ec2', action: 'DescribeInstances', input: { Filters: [] } },
      'ec2:DescribeInstances ec2:reads',
    ],
    [
      'a list of everything',
      { service: 'ec2', action: 'DescribeInstances', input: {} },
      'ec2:DescribeInstances ec2:unfiltered',
    ],
    [
      'a list of everything, of a kind without that bucket',
      { service: 'ec2', action: 'DescribeSubnets', input: {} },
      'ec2:DescribeSubnets ec2:reads',
    ],
    ['a fleet', FLEET, 'ec2:CreateFleet ec2:writes'],
    ['tags', { service: 'ec2', action: 'CreateTags', input: {} }, 'ec2:CreateTags'],
    ['a parameter', { service: 'ssm', action: 'GetParameter', input: {} }, 'ssm:reads'],
  ])('of %s', (_, call, name) => {
    expect(bucketOf(call).name).toBe(name);
  });

  test('of every action are known', () => {
    const actions = rateNames().filter((name) => /:[A-Z]\w+$/.test(name));
    for (const name of actions) {
      const [service, action] = name.split(':') as [RatedCall['service'], string];
      expect(bucketOf({ service, action, input: {} }).requests.perSecond, name).toBeGreaterThan(0);
    }
  });

  test('shrink by the share of the limits that the controller may use', () => {
    expect(bucketOf(FLEET, { percent: 40 }).requests).toEqual({ perSecond: 2, burst: 20 });
    expect(bucketOf(FLEET, { percent: 1 }).requests).toEqual({ perSecond: 0.05, burst: 1 });
  });
});

describe('calls', () => {
  test('go at once up to the burst, then in turn, and never faster than the rate', async () => {
    const world = virtualWorld();
    const limiter = new AwsRateLimiter(world, { overrides, longestWaitMs: 60_000 });
    const went: string[] = [];
    for (let call = 0; call < 7; call++)
      void limiter.pass(FLEET, signal).then(() => went.push(`${call} at ${world.clock.monotonic()}`));
    await settle();
    await world.clock.advance(10_000);
    const expected = [0, 0, 0, 500, 1000, 1500, 2000].map((atMs, call) => `${call} at ${atMs}`);
    expect(went).toEqual(expected);
  });

  test('that would wait too long are refused, each with a time of its own to come back', async () => {
    const world = virtualWorld();
    const limiter = new AwsRateLimiter(world, { overrides, longestWaitMs: 1_000 });
    const outcomes: string[] = [];
    for (let call = 0; call < 8; call++)
      void limiter.pass(FLEET, signal).then(
        () => outcomes.push('went'),
        (error: { code: string; retryAfterMs: number }) =>
          outcomes.push(`${error.code} ${error.retryAfterMs}`),
      );
    await world.clock.advance(5_000);
    const held = ['HeldBack 1500', 'HeldBack 2000', 'HeldBack 2500'];
    expect(outcomes.sort()).toEqual([...held, 'went', 'went', 'went', 'went', 'went']);
  });

  test('for instances wait for the tokens of the instances, too', async () => {
    const world = virtualWorld();
    const limiter = new AwsRateLimiter(world, { longestWaitMs: 10_000 });
    await limiter.pass(terminate(1000), signal);
    let atMs = -1;
    void limiter.pass(terminate(40), signal).then(() => {
      atMs = world.clock.monotonic();
    });
    await world.clock.advance(5_000);
    expect(atMs, '20 instances per second').toBe(2_000);
  });

  test('for more instances than the bucket holds are sent when it is full: AWS decides', async () => {
    const limiter = new AwsRateLimiter(virtualWorld(), { longestWaitMs: 0 });
    await limiter.pass(terminate(1500), signal);
  });

  test('that are aborted while they wait leave the queue, and others move up', async () => {
    const world = virtualWorld();
    const limiter = new AwsRateLimiter(world, { overrides, longestWaitMs: 60_000 });
    for (let call = 0; call < 3; call++) await limiter.pass(FLEET, signal);
    const stop = new AbortController();
    const aborted = limiter.pass(FLEET, stop.signal).catch((reason: unknown) => reason);
    let atMs = -1;
    void limiter.pass(FLEET, signal).then(() => {
      atMs = world.clock.monotonic();
    });
    const reason = new Error('stopped');
    stop.abort(reason);
    expect(await aborted).toBe(reason);
    await world.clock.advance(2_000);
    expect(atMs).toBe(500);
  });
});

describe('an answer that throttles', () => {
  test('closes the bucket of that action alone, longer each time, up to a limit', async () => {
    const world = virtualWorld();
    const limiter = new AwsRateLimiter(world, { longestWaitMs: 0 });
    const closedMs: number[] = [];
    for (let round = 0; round < 10; round++) {
      (await limiter.pass(FLEET, signal)).throttled(undefined);
      const { code, retryAfterMs } = await limiter.pass(FLEET, signal).then(
        () => ({ code: 'went', retryAfterMs: 0 }),
        (error: { code: string; retryAfterMs: number }) => error,
      );
      expect(code).toBe(HELD_BACK);
      await limiter.pass({ service: 'ec2', action: 'DescribeSubnets', input: {} }, signal);
      closedMs.push(retryAfterMs);
      await world.clock.advance(retryAfterMs + 200);
    }
    for (const [round, ms] of closedMs.entries()) {
      const fullMs = Math.min(MAX_CLOSE_MS, 1000 * 2 ** round);
      expect(ms).toBeGreaterThanOrEqual(fullMs / 2);
      expect(ms).toBeLessThanOrEqual(fullMs + 1);
    }
    expect(new Set(closedMs.map((ms) => ms % 1000)).size, 'jitter').toBeGreaterThan(5);
    (await limiter.pass(FLEET, signal)).answered();
    (await limiter.pass(FLEET, signal)).throttled(undefined);
    await expect(limiter.pass(FLEET, signal)).rejects.toMatchObject({
      retryAfterMs: expect.closeTo(750, -3),
    });
  });

  test('counts once for the calls that were in flight together', async () => {
    const world = virtualWorld();
    const limiter = new AwsRateLimiter(world, { longestWaitMs: 0 });
    const turns = await Promise.all(Array.from({ length: 20 }, () => limiter.pass(FLEET, signal)));
    for (const turn of turns) turn.throttled(undefined);
    await world.clock.advance(1_200);
    await limiter.pass(FLEET, signal);
  });

  test('sends away the calls whose turn is now too late', async () => {
    const world = virtualWorld();
    const limiter = new AwsRateLimiter(world, { overrides, longestWaitMs: 2_000 });
    const turns = [];
    for (let call = 0; call < 3; call++) turns.push(await limiter.pass(FLEET, signal));
    const waiting = limiter.pass(FLEET, signal).catch((error: unknown) => error);
    turns[0]!.throttled(30_000);
    expect(await waiting).toMatchObject({ code: HELD_BACK, retryAfterMs: 30_000 });
  });
});

test('a burst of calls is within the limits of AWS', async () => {
  const aws = await testAws({ throttle: true });
  const calls = awsCallsOf(aws, { longestWaitMs: 120_000 });
  const options = { signal };
  const all = Promise.all([
    ...Array.from({ length: 200 }, () => calls.ec2.describeSecurityGroups({}, options)),
    ...Array.from({ length: 200 }, () => calls.ec2.describeSubnets({ MaxResults: 100 }, options)),
    ...Array.from({ length: 100 }, () => calls.sts.getCallerIdentity({}, options)),
  ]);
  await aws.world.clock.advance(60_000);
  await all;
  expect(aws.server.calls().filter(({ code }) => code !== undefined)).toEqual([]);
  await aws.close();
});

test('a call that AWS throttled is followed by silence', async () => {
  const aws = await testAws();
  const calls = awsCallsOf(aws, { longestWaitMs: 0 });
  aws.server.faults.add('throttle@operation=DescribeSubnets,count=1');
  await expect(calls.ec2.describeSubnets({}, { signal })).rejects.toMatchObject({
    code: 'RequestLimitExceeded',
  });
  await expect(calls.ec2.describeSubnets({}, { signal })).rejects.toMatchObject({ code: HELD_BACK });
  await aws.world.clock.advance(1_200);
  await calls.ec2.describeSubnets({}, { signal });
  expect(aws.server.totalCalls).toBe(2);
  await aws.close();
});

test('every documented rate says so', () => {
  const bases = Object.entries(RATES).map(([name, { basis }]) => `${name.split(':')[0]} ${basis}`);
  expect([...new Set(bases)].sort()).toEqual([
    'arc-zonal-shift assumed',
    'ec2 documented',
    'eks assumed',
    'events assumed',
    'iam assumed',
    'kms assumed',
    'pricing assumed',
    'servicequotas assumed',
    'sqs assumed',
    'ssm from memory',
    'sts from memory',
  ]);
});
