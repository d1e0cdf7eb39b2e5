/** The queue of interruptions and the rules that send to it, through the official clients, over HTTP. */
import {
  DeleteRuleCommand,
  DescribeRuleCommand,
  ListRuleNamesByTargetCommand,
  ListRulesCommand,
  ListTagsForResourceCommand,
  ListTargetsByRuleCommand,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
  TagResourceCommand,
} from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ListQueueTagsCommand,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
  TagQueueCommand,
  UntagQueueCommand,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { refusal, type SdkAws, sdkAws } from './sdk.fixture.ts';
import type { InstanceRecord } from './store/records.ts';

const SPOT = 'EC2 Spot Instance Interruption Warning';

let aws: SdkAws;
/** Of the queue or rule of this test. */
let name = '';
let count = 0;

beforeAll(async () => {
  const latencies = { consistencyMs: 0, pendingMs: 0, shuttingDownMs: 0, eventMs: 0, queueNameMs: 60_000 };
  aws = await sdkAws({ configured: false, latencies });
});

beforeEach(() => {
  count += 1;
  name = `karpenter-${count}`;
});

afterAll(() => aws.close());

const createQueue = (Attributes: Record<string, string> = {}) =>
  aws.sqs.send(new CreateQueueCommand({ QueueName: name, Attributes, tags: { team: 'a' } }));
const arnOf = (queue: string) => `arn:aws:sqs:us-west-2:111122223333:${queue}`;

function admitting(service: string, condition: object = {}): string {
  return JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Service: service },
        Action: 'sqs:SendMessage',
        Resource: arnOf(name),
        ...condition,
      },
    ],
  });
}

describe('a queue', () => {
  test('has the attributes and tags that it was created with, and those that were set', async () => {
    const { QueueUrl } = await createQueue({ MessageRetentionPeriod: '300', SqsManagedSseEnabled: 'true' });
    expect((await aws.sqs.send(new GetQueueUrlCommand({ QueueName: name }))).QueueUrl).toBe(QueueUrl);
    const read = async () =>
      (await aws.sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }))).Attributes!;
    expect(await read()).toMatchObject({ MessageRetentionPeriod: '300', SqsManagedSseEnabled: 'true' });
    expect(await read()).not.toHaveProperty('Policy');
    const Policy = admitting('events.amazonaws.com');
    await aws.sqs.send(
      new SetQueueAttributesCommand({ QueueUrl, Attributes: { Policy, MessageRetentionPeriod: '600' } }),
    );
    expect(await read()).toMatchObject({ Policy, MessageRetentionPeriod: '600' });
    await aws.sqs.send(new TagQueueCommand({ QueueUrl, Tags: { b: '1' } }));
    await aws.sqs.send(new UntagQueueCommand({ QueueUrl, TagKeys: ['team'] }));
    expect((await aws.sqs.send(new ListQueueTagsCommand({ QueueUrl }))).Tags).toEqual({ b: '1' });
  });

  test('is created again only with the same attributes, and not soon after it was deleted', async () => {
    const { QueueUrl } = await createQueue({ MessageRetentionPeriod: '300' });
    expect((await createQueue({ MessageRetentionPeriod: '300' })).QueueUrl).toBe(QueueUrl);
    expect(await refusal(createQueue({ MessageRetentionPeriod: '600' }))).toEqual({
      name: 'QueueNameExists',
      message:
        'A queue already exists with the same name and a different value for attribute MessageRetentionPeriod',
    });
    await aws.sqs.send(new DeleteQueueCommand({ QueueUrl }));
    expect((await refusal(aws.sqs.send(new GetQueueUrlCommand({ QueueName: name })))).name).toBe(
      'QueueDoesNotExist',
    );
    expect((await refusal(createQueue())).name).toBe('QueueDeletedRecently');
  });

  test.each([
    ['MessageRetentionPeriod', '5', 'InvalidAttributeValue'],
    ['Policy', '{"Statement":[]}', 'InvalidAttributeValue'],
    ['FifoQueue', 'true', 'InvalidAttributeName'],
  ])('is refused with %s=%s', async (attribute, value, code) => {
    expect((await refusal(createQueue({ [attribute]: value }))).name).toBe(code);
    expect(aws.server.account.queues.has(name)).toBe(false);
  });
});

const putRule = (pattern: object = { source: ['aws.ec2'], 'detail-type': [SPOT] }, more: object = {}) =>
  aws.events.send(new PutRuleCommand({ Name: name, EventPattern: JSON.stringify(pattern), ...more }));
const target = (Arn = arnOf(name)) =>
  aws.events.send(new PutTargetsCommand({ Rule: name, Targets: [{ Id: 'queue', Arn }] }));

describe('a rule', () => {
  test('is put, read, listed with its target, tagged and deleted', async () => {
    const { RuleArn } = await putRule({ source: ['aws.health'] }, { Tags: [{ Key: 'a', Value: '1' }] });
    expect(RuleArn).toBe(`arn:aws:events:us-west-2:111122223333:rule/${name}`);
    await putRule();
    const read = await aws.events.send(new DescribeRuleCommand({ Name: name }));
    expect(read).toMatchObject({ State: 'ENABLED', EventBusName: 'default' });
    expect(JSON.parse(read.EventPattern!)).toEqual({ source: ['aws.ec2'], 'detail-type': [SPOT] });
    expect(await target()).toMatchObject({ FailedEntryCount: 0 });
    const { Targets } = await aws.events.send(new ListTargetsByRuleCommand({ Rule: name }));
    expect(Targets).toEqual([{ Id: 'queue', Arn: arnOf(name) }]);
    const { Rules } = await aws.events.send(new ListRulesCommand({ NamePrefix: name }));
    expect(Rules!.map(({ Name }) => Name)).toEqual([name]);
    const byTarget = await aws.events.send(new ListRuleNamesByTargetCommand({ TargetArn: arnOf(name) }));
    expect(byTarget.RuleNames).toEqual([name]);
    await aws.events.send(new TagResourceCommand({ ResourceARN: RuleArn, Tags: [{ Key: 'b', Value: '2' }] }));
    const { Tags } = await aws.events.send(new ListTagsForResourceCommand({ ResourceARN: RuleArn }));
    expect(Tags!.map(({ Key }) => Key)).toEqual(['a', 'b']);
    const remove = () => aws.events.send(new DeleteRuleCommand({ Name: name }));
    expect(await refusal(remove())).toEqual({
      name: 'ValidationException',
      message: "Rule can't be deleted since it has targets.",
    });
    await aws.events.send(new RemoveTargetsCommand({ Rule: name, Ids: ['queue'] }));
    await remove();
    expect((await refusal(aws.events.send(new DescribeRuleCommand({ Name: name })))).name).toBe(
      'ResourceNotFoundException',
    );
    expect((await refusal(target())).name).toBe('ResourceNotFoundException');
  });

  test('is refused with a pattern that is none, and has five targets at most', async () => {
    expect((await refusal(putRule({ source: 'aws.ec2' }))).name).toBe('InvalidEventPatternException');
    expect((await refusal(putRule({ source: [{ numeric: ['>', 1] }] }))).name).toBe(
      'InvalidEventPatternException',
    );
    await putRule();
    const Targets = Array.from({ length: 6 }, (_, at) => ({ Id: `t${at}`, Arn: arnOf(name) }));
    expect(await aws.events.send(new PutTargetsCommand({ Rule: name, Targets }))).toMatchObject({
      FailedEntryCount: 1,
      FailedEntries: [{ TargetId: 't5', ErrorCode: 'LimitExceededException' }],
    });
  });
});

describe('an event', () => {
  const admitted = () => admitting('events.amazonaws.com');
  const byRule = (rule: string) => ({
    Condition: { ArnEquals: { 'aws:SourceArn': `arn:aws:events:us-west-2:111122223333:rule/${rule}` } },
  });
  /** Prepares a queue, and a rule of the same name. */
  const cases: Readonly<Record<string, () => Promise<unknown>>> = {
    'without-policy': async () => [await createQueue(), await putRule(), await target()],
    'lets-another-rule-send': async () => [
      await createQueue({ Policy: admitting('events.amazonaws.com', byRule('other')) }),
      await putRule(),
      await target(),
    ],
    'lets-another-service-send': async () => [
      await createQueue({ Policy: admitting('sns.amazonaws.com') }),
      await putRule(),
      await target(),
    ],
    'is-no-target': async () => [await createQueue({ Policy: admitted() }), await putRule()],
    'has-a-rule-for-other-events': async () => [
      await createQueue({ Policy: admitted() }),
      await putRule({ 'detail-type': ['EC2 Instance State-change Notification'] }),
      await target(),
    ],
    'has-a-disabled-rule': async () => [
      await createQueue({ Policy: admitted() }),
      await putRule(undefined, { State: 'DISABLED' }),
      await target(),
    ],
    'has-rule-and-policy': async () => [
      await createQueue({ Policy: admitting('events.amazonaws.com', byRule(name)) }),
      await putRule({ source: [{ prefix: 'aws.' }], detail: { 'instance-id': [{ exists: true }] } }),
      await target(),
    ],
  };

  test('reaches a queue that a rule has as its target and that lets the rule send, and no other', async () => {
    const queues = Object.keys(cases);
    for (const each of queues) {
      name = each;
      await cases[each]!();
    }
    aws.server.events.spotInterruption({ id: 'i-0123', zone: 'us-west-2a' } as InstanceRecord);
    // The last one is served last: when it has its message, the others have theirs, or none.
    const { QueueUrl } = await aws.sqs.send(new GetQueueUrlCommand({ QueueName: name }));
    const { Messages } = await aws.sqs.send(new ReceiveMessageCommand({ QueueUrl, WaitTimeSeconds: 20 }));
    expect(JSON.parse(Messages![0]!.Body!)['detail-type']).toBe(SPOT);
    const sizes = queues.map((each) => aws.server.account.queues.get(each)!.size);
    expect(Object.fromEntries(queues.map((each, at) => [each, sizes[at]]))).toEqual({
      ...Object.fromEntries(queues.map((each) => [each, 0])),
      'has-rule-and-policy': 1,
    });
  });
});
