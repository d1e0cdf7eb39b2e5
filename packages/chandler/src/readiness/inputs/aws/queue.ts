/** The interruption queue: whether it exists, who may send to it, and which rules of EventBridge do. */
import { parseArn } from '../../facts/arn.ts';
import { type Facts, knownValues } from '../../facts/facts.ts';
import type { AccountReading } from './account-reading.ts';

const AFTER = ['sqs:GetQueueAttributes', 'events:ListRuleNamesByTarget', 'events:DescribeRule'] as const;
const MAX_RULES = 8;

/** @returns keys that encrypt the queue. */
export async function readQueue(reading: AccountReading, facts: Facts): Promise<readonly string[]> {
  const given = knownValues([...facts.from('queueName', 'values'), ...facts.all('queueName')]);
  // An ARN or a URL is a mistake of its own (K-09); the queue is called by its last part.
  const names = [...new Set(given.map((text) => parseArn(text)?.resource ?? text.split('/').at(-1)!))];
  const keys: string[] = [];
  for (const name of names.slice(0, 1)) keys.push(...(await readOne(reading, name)));
  return keys;
}

// ---------------------------------------------------------------------------------------------------------------

async function readOne(reading: AccountReading, QueueName: string): Promise<readonly string[]> {
  const found = await reading.ask('sqs:GetQueueUrl', (aws, options) =>
    aws.sqs.getQueueUrl({ QueueName }, options),
  );
  if ('missing' in found) reading.addAbsent('sqs:GetQueueUrl', 'aws_sqs_queue', QueueName);
  if ('unread' in found) reading.skip(AFTER, found.unread);
  const QueueUrl = 'found' in found ? found.found.QueueUrl : undefined;
  if (QueueUrl === undefined) return [];
  const url = { name: QueueName, url: QueueUrl };
  const answer = await reading.ask('sqs:GetQueueAttributes', (aws, options) =>
    aws.sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] }, options),
  );
  if (!('found' in answer)) {
    if ('unread' in answer) reading.skip(AFTER.slice(1), answer.unread);
    reading.add('sqs:GetQueueUrl', 'aws_sqs_queue', QueueName, url, { owner: 'controller' });
    return [];
  }
  const { QueueArn, Policy, KmsMasterKeyId } = answer.found.Attributes ?? {};
  const values = { ...url, arn: QueueArn, policy: Policy, kms_master_key_id: KmsMasterKeyId };
  reading.add('sqs:GetQueueAttributes', 'aws_sqs_queue', QueueName, values, { owner: 'controller' });
  if (QueueArn !== undefined) await readRules(reading, QueueArn);
  // The key of AWS itself is none of the account.
  return KmsMasterKeyId === undefined || KmsMasterKeyId.startsWith('alias/aws/') ? [] : [KmsMasterKeyId];
}

async function readRules(reading: AccountReading, TargetArn: string): Promise<void> {
  const answer = await reading.list('events:ListRuleNamesByTarget', async (aws, options, token) => {
    const input = { TargetArn, ...(token === undefined ? {} : { NextToken: token }) };
    const page = await aws.events.listRuleNamesByTarget(input, options);
    return { items: page.RuleNames ?? [], next: page.NextToken };
  });
  if ('unread' in answer) reading.skip(['events:DescribeRule'], answer.unread);
  const names = 'found' in answer ? answer.found.slice(0, MAX_RULES) : [];
  await Promise.all(
    names.map(async (Name) => {
      const rule = await reading.ask('events:DescribeRule', (aws, options) =>
        aws.events.describeRule({ Name }, options),
      );
      if (!('found' in rule)) return;
      const { EventPattern, State } = rule.found;
      const values = { name: Name, event_pattern: EventPattern, state: State, target_arn: TargetArn };
      reading.add('events:DescribeRule', 'aws_cloudwatch_event_rule', Name, values);
    }),
  );
}
