/** Interruptions of instances, from the queue of a simulated AWS to the claim. */
import { afterEach, expect, test } from 'vitest';
import { type ClaimsOptions, type ClaimsStage, claimsStage, type StageSettings } from './claims.fixture.ts';

let stage: ClaimsStage;

afterEach(() => stage.end());

async function setUp(options: ClaimsOptions = {}): Promise<void> {
  stage = await claimsStage(options);
}

const start = (settings: Partial<StageSettings> = {}) => stage.start({ only: ['interruption'], ...settings });
const metric = (name: string) => stage.world.values.get(`karpenter_interruption_${name}`);
const isDeleting = async (name: string) =>
  (await stage.claim(name))?.metadata.deletionTimestamp !== undefined;
const warnings = () =>
  stage.world.lines
    .filter(({ level }) => level === 'warn' || level === 'error')
    .map(({ message, fields }) => `${message}: ${String(fields['error'])}`);

test('a spot interruption deletes its claim within seconds, marks the offering, and is reported', async () => {
  await setUp();
  const id = await stage.launch('a');
  await stage.launch('b');
  await start();
  stage.aws.server.instances.interruptSpot(id);
  await stage.advance(5_000);
  expect(await isDeleting('a')).toBe(true);
  expect(await isDeleting('b')).toBe(false);
  const spot = { instanceType: 'm5.large', zone: 'us-west-2a', capacityType: 'spot' };
  expect(stage.unavailable.isUnavailable(spot)).toBe(true);
  expect(stage.unavailable.isUnavailable({ ...spot, capacityType: 'on-demand' })).toBe(false);
  expect(await stage.eventsOf('a')).toEqual(['SpotInterrupted', 'TerminatingOnInterruption']);
  expect(stage.disrupted).toEqual(['a spot_interrupted']);
  expect(stage.aws.server.queue.size).toBe(0);
  expect(metric('received_messages_total{message_type="spot_interrupted"}')).toBe(1);
  expect(metric('deleted_messages_total')).toBe(1);
  expect(metric('message_queue_duration_seconds')).toBeLessThan(5);
});

test('each kind of message leads to what Karpenter does, under its names', async () => {
  await setUp();
  const ids = new Map<string, string>();
  for (const name of ['rebalanced', 'stopped', 'retired']) ids.set(name, await stage.launch(name));
  await start();
  const { instances } = stage.aws.server;
  instances.recommendRebalance(ids.get('rebalanced')!);
  instances.terminate(ids.get('stopped')!);
  instances.scheduleRetirement(ids.get('retired')!);
  await stage.advance(5_000);
  expect(await stage.eventsOf('rebalanced')).toEqual(['SpotRebalanceRecommendation']);
  expect(await isDeleting('rebalanced')).toBe(false);
  expect(await stage.eventsOf('stopped')).toEqual(['InstanceTerminating', 'TerminatingOnInterruption']);
  expect(await stage.eventsOf('retired')).toEqual(['InstanceUnhealthy', 'TerminatingOnInterruption']);
  expect([...stage.disrupted].sort()).toEqual(['retired scheduled_change', 'stopped instance_terminated']);
  expect(stage.aws.server.queue.size).toBe(0);
});

test('a rebalance recommendation marks the claim for a replacement where the option asks for it', async () => {
  await setUp();
  const id = await stage.launch('a');
  await start({ replaceOnRebalance: true });
  stage.aws.server.instances.recommendRebalance(id);
  await stage.advance(5_000);
  const claim = await stage.claim('a');
  expect(claim?.metadata.deletionTimestamp).toBeUndefined();
  expect(claim?.metadata.annotations?.['chandler.sh/rebalance-recommended-at']).toMatch(/^2026-/);
  expect(stage.aws.server.queue.size).toBe(0);
});

test('messages about instances of others, of no known kind and without sense are deleted; their text is not logged', async () => {
  await setUp();
  await start();
  const { queue } = stage.aws.server;
  queue.send('{"password": "hunter2hunter2"');
  queue.send('hunter2hunter2');
  queue.send(JSON.stringify({ version: '0', source: 'aws.s3', 'detail-type': 'Object Created', detail: {} }));
  queue.send(
    JSON.stringify({
      version: '0',
      source: 'aws.ec2',
      'detail-type': 'EC2 Spot Instance Interruption Warning',
      detail: { 'instance-id': 'i-0f0e0e0', 'instance-action': 'terminate' },
    }),
  );
  await stage.advance(5_000);
  expect(queue.size).toBe(0);
  expect(stage.world.values.get('chandler_interruption_unreadable_messages_total')).toBe(2);
  expect(metric('received_messages_total{message_type="no_op"}')).toBe(1);
  expect(JSON.stringify(stage.world.lines)).not.toContain('hunter2');
});

test('a message is deleted only after the claim is: the API server fails first, and the queue delivers it again', async () => {
  await setUp();
  const id = await stage.launch('a');
  await start();
  stage.refuse = ({ method, path }) =>
    method === 'DELETE' && path.includes('nodeclaims') ? new Error('connection reset') : undefined;
  stage.aws.server.instances.interruptSpot(id);
  await stage.advance(10_000);
  expect(await isDeleting('a')).toBe(false);
  expect(stage.aws.server.queue.size).toBe(1);
  expect(metric('deleted_messages_total')).toBeUndefined();
  stage.refuse = () => undefined;
  await stage.advance(25_000);
  expect(await isDeleting('a')).toBe(true);
  expect(stage.aws.server.queue.size).toBe(0);
  expect(stage.disrupted).toEqual(['a spot_interrupted']);
});

test('throttled and lost answers of the queue, and messages delivered twice, lose and repeat nothing', async () => {
  await setUp({
    aws: {
      faults: [
        'throttle@operation=sqs:ReceiveMessage,count=2',
        'lost-response@operation=sqs:ReceiveMessage,count=2',
        'lost-response@operation=sqs:DeleteMessage,count=1',
        'throttle@operation=sqs:DeleteMessage,count=1',
        'lost-request@operation=sqs:GetQueueUrl,count=1',
        'message-twice@count=2',
      ],
    },
  });
  const ids = [await stage.launch('a'), await stage.launch('b'), await stage.launch('c')];
  await start();
  for (const id of ids) stage.aws.server.instances.interruptSpot(id);
  await stage.advance(110_000);
  for (const name of ['a', 'b', 'c']) expect(await isDeleting(name)).toBe(true);
  expect([...stage.disrupted].sort()).toEqual([
    'a spot_interrupted',
    'b spot_interrupted',
    'c spot_interrupted',
  ]);
  await stage.advance(60_000);
  expect(stage.aws.server.queue.size).toBe(0);
});

test('a controller that dies between the deletion of the claim and of the message does nothing twice', async () => {
  await setUp({ aws: { faults: ['slow=600000@operation=sqs:DeleteMessage,count=1'] } });
  const id = await stage.launch('a');
  await start();
  stage.aws.server.instances.interruptSpot(id);
  await stage.advance(5_000);
  expect(await isDeleting('a')).toBe(true);
  expect(stage.aws.server.queue.size).toBe(1);
  await stage.stop();
  const { resourceVersion } = (await stage.claim('a'))!.metadata;
  await start();
  await stage.advance(30_000);
  expect(stage.aws.server.queue.size).toBe(0);
  expect((await stage.claim('a'))!.metadata.resourceVersion).toBe(resourceVersion);
  expect(stage.disrupted).toEqual(['a spot_interrupted']);
});

test('a warning about an instance that its claim does not know yet waits for the claim', async () => {
  await setUp();
  const id = await stage.launch('a', { known: false });
  await start();
  stage.aws.server.instances.interruptSpot(id);
  await stage.advance(10_000);
  expect(stage.aws.server.queue.size).toBe(1);
  await stage.know('a', id);
  await stage.advance(25_000);
  expect(await isDeleting('a')).toBe(true);
  expect(stage.aws.server.queue.size).toBe(0);
});

test('a queue that does not exist, or of another name, is an error that says what to do, after pauses', async () => {
  await setUp();
  await start({ queueName: 'elsewhere' });
  await stage.advance(10 * 60_000);
  expect(warnings()[0]).toMatch(
    /the interruption queue elsewhere does not exist in account 111122223333 in us-west-2: create it/,
  );
  const asked = stage.aws.server.calls().filter(({ action }) => action === 'GetQueueUrl').length;
  expect(asked).toBeGreaterThan(10);
  expect(asked).toBeLessThanOrEqual(26);
});

test('the ARN or URL of a queue is refused with its name as the cure, and nothing is sent', async () => {
  await setUp();
  await start({ queueName: 'arn:aws:sqs:us-west-2:111122223333:playground' });
  await stage.advance(60_000);
  expect(warnings()[0]).toContain('use playground');
  expect(stage.aws.server.calls().filter(({ service }) => service === 'sqs')).toEqual([]);
});

test('a missing right on the queue is named', async () => {
  await setUp({
    aws: {
      policies: [
        { Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] },
        { Statement: [{ Effect: 'Deny', Action: 'sqs:ReceiveMessage', Resource: '*' }] },
      ],
    },
  });
  await start();
  await stage.advance(60_000);
  expect(warnings()[0]).toMatch(/interruption queue playground: .*sqs:ReceiveMessage/);
});

test('an impaired instance is terminated without waiting for its drain, once EC2 has reported it for two minutes', async () => {
  await setUp();
  const ids = [await stage.launch('ill'), await stage.launch('well'), await stage.launch('maintained')];
  await start();
  stage.aws.server.instances.impair(ids[0]!, 'system');
  stage.aws.server.events.rules = new Set();
  stage.aws.server.instances.scheduleRetirement(ids[2]!);
  await stage.advance(60_000);
  expect(await isDeleting('ill')).toBe(false);
  await stage.advance(180_000);
  const ill = await stage.claim('ill');
  expect(ill?.metadata.deletionTimestamp).toBeDefined();
  const deadline = ill?.metadata.annotations?.['karpenter.sh/nodeclaim-termination-timestamp'];
  expect(Date.parse(deadline ?? '')).toBeLessThanOrEqual(stage.world.clock.now());
  expect(await isDeleting('well')).toBe(false);
  const maintained = await stage.claim('maintained');
  expect(maintained?.metadata.deletionTimestamp).toBeDefined();
  expect(maintained?.metadata.annotations ?? {}).not.toHaveProperty(
    'karpenter.sh/nodeclaim-termination-timestamp',
  );
  expect(metric('instance_status_unhealthy_total{category="SystemStatus"}')).toBe(1);
  expect([...stage.disrupted].sort()).toEqual(['ill system_status', 'maintained event_status']);
});

test('without the right to read statuses one line says so, and everything else goes on', async () => {
  await setUp({
    aws: {
      policies: [
        { Statement: [{ Effect: 'Allow', Action: '*', Resource: '*' }] },
        { Statement: [{ Effect: 'Deny', Action: 'ec2:DescribeInstanceStatus', Resource: '*' }] },
      ],
    },
  });
  const id = await stage.launch('a');
  await start();
  await stage.advance(10 * 60_000);
  expect(warnings().filter((line) => line.includes('DescribeInstanceStatus'))).toHaveLength(1);
  stage.aws.server.instances.interruptSpot(id);
  await stage.advance(5_000);
  expect(await isDeleting('a')).toBe(true);
});
