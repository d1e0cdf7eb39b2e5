/** Events of instances on the queue, as EventBridge delivers them. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fleetParams, TestAws, templateParams, testAws } from '../aws.fixture.ts';

let aws: TestAws;

beforeEach(async () => {
  aws = await testAws({ latencies: { consistencyMs: 0 } });
  await aws.ec2('CreateLaunchTemplate', templateParams(aws.server));
});

afterEach(() => aws.close());

async function launch(capacity: 'spot' | 'on-demand'): Promise<string> {
  const { text } = await aws.ec2('CreateFleet', fleetParams(aws.server, { capacity }));
  await aws.world.clock.advance(2000);
  aws.server.queue.purge();
  return /<item>(i-[0-9a-f]+)<\/item>/.exec(text)![1]!;
}

interface Event {
  readonly source: string;
  readonly 'detail-type': string;
  readonly version: string;
  readonly resources: readonly string[];
  readonly detail: Readonly<Record<string, unknown>>;
}

function events(): readonly Event[] {
  return aws.server.queue.list().map(({ body }) => JSON.parse(body) as Event);
}

test('a spot instance is warned two minutes before its end', async () => {
  const id = await launch('spot');
  aws.server.instances.interruptSpot(id);
  await aws.world.clock.advance(1000);
  expect(events()).toMatchObject([
    {
      version: '0',
      source: 'aws.ec2',
      'detail-type': 'EC2 Spot Instance Interruption Warning',
      account: '111122223333',
      region: 'us-west-2',
      resources: [`arn:aws:ec2:us-west-2:111122223333:instance/${id}`],
      detail: { 'instance-id': id, 'instance-action': 'terminate' },
    },
  ]);
  await aws.world.clock.advance(118_000);
  expect(aws.server.instances.get(id)!.state).toBe('running');
  await aws.world.clock.advance(3000);
  expect(aws.server.instances.get(id)).toMatchObject({
    state: 'terminated',
    stateReason: { Code: 'Server.SpotInstanceTermination' },
  });
  expect(events().map(({ detail }) => detail['state'])).toEqual([undefined, 'shutting-down', 'terminated']);
});

test('a stopped instance says so, runs no more, and can be terminated', async () => {
  const id = await launch('on-demand');
  aws.server.instances.stop(id);
  await aws.world.clock.advance(2000);
  expect(aws.server.instances.get(id)!.state).toBe('stopped');
  expect(events().map(({ detail }) => detail['state'])).toEqual(['stopping', 'stopped']);
  await aws.ec2('TerminateInstances', { InstanceIds: [id] });
  await aws.world.clock.advance(2000);
  expect(aws.server.instances.get(id)!.state).toBe('terminated');
});

test('events may come late, out of order and twice', async () => {
  const id = await launch('spot');
  aws.server.faults.add('message-late=60000@count=1');
  aws.server.instances.interruptSpot(id);
  aws.server.faults.add('message-doubled@count=1');
  aws.server.instances.recommendRebalance(id);
  const kinds = () => events().map((event) => event['detail-type'].split(' ').at(-1));
  await aws.world.clock.advance(200);
  expect(kinds()).toEqual(['Recommendation', 'Recommendation']);
  await aws.world.clock.advance(60_000);
  expect(kinds()).toEqual(['Recommendation', 'Recommendation', 'Warning']);
});

test('on-demand instances are not interrupted', async () => {
  const id = await launch('on-demand');
  aws.server.instances.interruptSpot(id);
  aws.server.instances.recommendRebalance(id);
  await aws.world.clock.advance(200_000);
  expect(events()).toEqual([]);
  expect(aws.server.instances.get(id)!.state).toBe('running');
});

test('a rebalance recommendation ends nothing', async () => {
  const id = await launch('spot');
  aws.server.instances.recommendRebalance(id);
  await aws.world.clock.advance(200_000);
  expect(events()).toMatchObject([
    { 'detail-type': 'EC2 Instance Rebalance Recommendation', detail: { 'instance-id': id } },
  ]);
  expect(aws.server.instances.get(id)!.state).toBe('running');
});

test('a retirement is announced by AWS Health and by the status of the instance', async () => {
  const id = await launch('on-demand');
  aws.server.instances.scheduleRetirement(id);
  await aws.world.clock.advance(1000);
  expect(events()).toMatchObject([
    {
      source: 'aws.health',
      'detail-type': 'AWS Health Event',
      detail: {
        service: 'EC2',
        eventTypeCategory: 'scheduledChange',
        affectedEntities: [{ entityValue: id }],
      },
    },
  ]);
  const { text } = await aws.ec2('DescribeInstanceStatus', {
    Filters: [{ Name: 'event.code', Values: ['instance-retirement'] }],
  });
  expect(TestAws.values(text, 'instanceId')).toEqual([id]);
});

test('without a rule there is no message', async () => {
  aws.server.events.rules = new Set();
  const id = await launch('spot');
  aws.server.instances.interruptSpot(id);
  await aws.world.clock.advance(1000);
  expect(events()).toEqual([]);
});

test('a long poll ends with the message, and what is not deleted comes again', async () => {
  const id = await launch('spot');
  const receive = () =>
    aws.json('sqs', 'ReceiveMessage', {
      QueueUrl: aws.server.queue.settings.url,
      WaitTimeSeconds: 20,
      VisibilityTimeout: 20,
    });
  const first = receive();
  await aws.world.clock.advance(5000);
  aws.server.instances.recommendRebalance(id);
  await aws.world.clock.advance(1000);
  expect((await first).text).toContain('Rebalance');
  const nothing = receive();
  await aws.world.clock.advance(10_000);
  const again = receive();
  await aws.world.clock.advance(20_000);
  const answers = [(await nothing).text, (await again).text];
  expect(answers.filter((text) => text.includes('Rebalance'))).toHaveLength(1);
  expect(answers).toContain('{}');
});

test('messages are forgotten after the retention of the queue', async () => {
  const id = await launch('spot');
  aws.server.instances.recommendRebalance(id);
  await aws.world.clock.advance(301_000);
  expect(events()).toEqual([]);
});
