import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fleetParams, TestAws, templateParams, testAws } from '../aws.fixture.ts';
import { FAULTS } from './catalogue.table.ts';
import { parseFault } from './parse-fault.ts';

let aws: TestAws;

beforeEach(async () => {
  aws = await testAws({ latencies: { consistencyMs: 0 } });
});

afterEach(() => aws.close());

describe('of requests', () => {
  const rows: readonly (readonly [fault: string, status: number, code: string])[] = [
    ['500', 500, 'InternalError'],
    ['503', 503, 'Unavailable'],
    ['throttle', 503, 'RequestLimitExceeded'],
    ['expired-token', 400, 'RequestExpired'],
    ['forbidden', 403, 'UnauthorizedOperation'],
  ];

  test.each(rows)('%s', async (fault, status, code) => {
    aws.server.faults.add(`${fault}@count=1,operation=CreateLaunchTemplate`);
    expect((await aws.ec2('DescribeVpcs')).status).toBe(200);
    expect(await aws.ec2('CreateLaunchTemplate', templateParams(aws.server))).toMatchObject({ status, code });
    expect(aws.server.account.launchTemplates.size).toBe(0);
    expect((await aws.ec2('CreateLaunchTemplate', templateParams(aws.server))).status).toBe(200);
  });

  test('a lost request is not executed, and the connection is reset', async () => {
    aws.server.faults.add('lost-request@count=1');
    await expect(aws.ec2('CreateLaunchTemplate', templateParams(aws.server))).rejects.toThrow('fetch failed');
    expect(aws.server.account.launchTemplates.size).toBe(0);
  });

  test('a slow request is executed later', async () => {
    aws.server.faults.add('slow=5000@count=1');
    const call = aws.ec2('CreateLaunchTemplate', templateParams(aws.server));
    await aws.world.clock.advance(4000);
    expect(aws.server.account.launchTemplates.size).toBe(0);
    await aws.world.clock.advance(1000);
    expect((await call).status).toBe(200);
  });

  test('other services throttle in their own words', async () => {
    aws.server.faults.add('throttle@count=2');
    expect((await aws.json('ssm', 'GetParameter', { Name: '/a' })).code).toBe('ThrottlingException');
    expect((await aws.query('iam', 'GetRole', { RoleName: 'a' })).code).toBe('Throttling');
  });
});

describe('of answers', () => {
  beforeEach(() => aws.ec2('CreateLaunchTemplate', templateParams(aws.server)));

  test('a lost answer leaves the effect, and the same token finds it again', async () => {
    aws.server.faults.add('lost-response@count=1,operation=ec2:CreateFleet');
    const params = fleetParams(aws.server, { token: 'claim-1' });
    await expect(aws.ec2('CreateFleet', params)).rejects.toThrow('fetch failed');
    expect(aws.server.instances.list()).toHaveLength(1);
    const again = await aws.ec2('CreateFleet', params);
    expect(again.text).toContain(aws.server.instances.list()[0]!.id);
    expect(aws.server.instances.list()).toHaveLength(1);
  });

  test('a late error leaves the effect', async () => {
    aws.server.faults.add('late-500@count=1');
    expect((await aws.ec2('CreateFleet', fleetParams(aws.server))).code).toBe('InternalError');
    expect(aws.server.instances.list()).toHaveLength(1);
  });

  test('an answer is cut, or is a page of HTML', async () => {
    const whole = (await aws.ec2('DescribeVpcs')).text;
    aws.server.faults.add('truncated@count=1');
    expect((await aws.ec2('DescribeVpcs')).text.length).toBeLessThan(whole.length);
    aws.server.faults.add('wrong-content@count=1');
    expect((await aws.ec2('DescribeVpcs')).text).toContain('<html>');
  });

  test('a partial list leaves out some instances, and says nothing', async () => {
    await aws.ec2('CreateFleet', fleetParams(aws.server, { count: 20 }));
    aws.server.faults.add('partial=50@count=1,operation=DescribeInstances');
    const ids = async () => TestAws.values((await aws.ec2('DescribeInstances')).text, 'instanceId').length;
    const some = await ids();
    expect(some).toBeGreaterThan(0);
    expect(some).toBeLessThan(20);
    expect(await ids()).toBe(20);
  });

  test('short pages have a token, and the pages together are whole', async () => {
    await aws.ec2('CreateFleet', fleetParams(aws.server, { count: 20 }));
    aws.server.faults.add('short-pages@count=3');
    const seen: string[] = [];
    let NextToken: string | undefined;
    do {
      const { text } = await aws.ec2('DescribeInstances', {
        MaxResults: 10,
        ...(NextToken && { NextToken }),
      });
      seen.push(...TestAws.values(text, 'instanceId'));
      NextToken = TestAws.values(text, 'nextToken')[0];
    } while (NextToken !== undefined);
    expect(new Set(seen).size).toBe(20);
  });
});

test('capacity faults strike by type, zone and capacity type', async () => {
  await aws.ec2('CreateLaunchTemplate', templateParams(aws.server));
  aws.server.faults.add('capacity@zone=us-west-2a,size=m5.*,capacity=spot');
  const spot = await aws.ec2('CreateFleet', fleetParams(aws.server, { capacity: 'spot', zones: [0, 1] }));
  expect(TestAws.values(spot.text, 'errorCode')).toEqual(['InsufficientInstanceCapacity']);
  expect(aws.server.instances.list().map(({ zone }) => zone)).toEqual(['us-west-2b']);
  aws.server.faults.add('launch-error=MaxFleetCountExceeded@capacity=on-demand');
  const onDemand = await aws.ec2('CreateFleet', fleetParams(aws.server));
  expect(TestAws.values(onDemand.text, 'errorCode')).toEqual(['MaxFleetCountExceeded']);
});

test('a deleted message comes again once', async () => {
  aws.server.faults.add('message-twice@count=1');
  aws.server.queue.send('hello');
  const receive = async () =>
    JSON.parse(
      (await aws.json('sqs', 'ReceiveMessage', { QueueUrl: aws.server.queue.settings.url })).text,
    ) as {
      Messages?: { ReceiptHandle: string }[];
    };
  for (const left of [1, 0]) {
    const [message] = (await receive()).Messages!;
    await aws.json('sqs', 'DeleteMessage', {
      QueueUrl: aws.server.queue.settings.url,
      ReceiptHandle: message!.ReceiptHandle,
    });
    expect(aws.server.queue.size).toBe(left);
  }
});

describe('as text', () => {
  test('every fault of the table can be written without conditions', () => {
    for (const { name } of FAULTS) expect(parseFault(name)).toEqual({ name });
  });

  const wrong: readonly (readonly [text: string, message: string])[] = [
    ['unicorn', "unknown fault 'unicorn'"],
    ['slow=soon', 'must be a number'],
    ['500=1', 'takes no value'],
    ['500@colour=red', "unknown condition 'colour'"],
    ['500@rate=2', 'a number from 0 to 1'],
    ['500@zone=2', 'the name of a zone'],
    ['500@rate', 'key=value'],
    ['500@rate=1,rate=1', 'set twice'],
  ];

  test.each(wrong)('%s is refused', (text, message) => {
    expect(() => parseFault(text)).toThrow(message);
  });
});

test('faults are listed, added and removed over HTTP with the secret of the run', async () => {
  const { server } = aws;
  const call = (method: string, path = '', body?: string, secret = server.faultSecret) =>
    server.fetch(`${server.url}/playground/faults${path}`, {
      method,
      headers: { authorization: `Bearer ${secret}` },
      ...(body === undefined ? {} : { body }),
    });
  expect((await call('GET', '', undefined, 'guess')).status).toBe(401);
  expect((await call('POST', '', 'capacity@zone=us-west-2a')).status).toBe(201);
  expect((await call('POST', '', 'unicorn')).status).toBe(400);
  expect(server.faults.list().map(({ name }) => name)).toEqual(['capacity']);
  expect((await call('DELETE', '/capacity')).status).toBe(204);
  expect((await call('DELETE', '/capacity')).status).toBe(404);
});
