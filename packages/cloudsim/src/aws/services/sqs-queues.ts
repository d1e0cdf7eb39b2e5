/**
 * SQS: queues that callers create, change, tag and delete. A name is free again only some time after its queue was deleted.
 * Attributes that the simulated queue does not have are refused, so that nobody relies on them.
 */
import { type AwsContext, queueArn } from '../context.ts';
import type { PolicyDocument } from '../iam/policy.ts';
import { parsePolicy } from '../iam/policy-text.ts';
import { requestTags } from '../iam/rights.ts';
import { newQueue } from '../store/furnish.ts';
import type { Queue } from '../store/queue.ts';
import type { Operation } from '../wire/aws-request.ts';
import { AwsError, awsError } from '../wire/errors.ts';
import { attributesOf, onQueue } from './sqs.ts';

export function queueChanges(context: AwsContext): readonly Operation[] {
  const { account, world } = context;
  return [
    createQueue(context),
    onQueue(context, 'SetQueueAttributes', (queue, { params }) => {
      change(queue, (params['Attributes'] ?? {}) as Attributes);
      return {};
    }),
    onQueue(context, 'DeleteQueue', (queue) => {
      account.queues.delete(queue.settings.name);
      account.deletedQueues.set(queue.settings.name, world.clock.now());
      return {};
    }),
    onQueue(context, 'TagQueue', (queue, { params }) => {
      queue.tags = { ...queue.tags, ...((params['Tags'] ?? {}) as Attributes) };
      return {};
    }),
    onQueue(context, 'UntagQueue', (queue, { params }) => {
      const keys = (params['TagKeys'] ?? []) as readonly string[];
      queue.tags = Object.fromEntries(Object.entries(queue.tags).filter(([key]) => !keys.includes(key)));
      return {};
    }),
    onQueue(context, 'ListQueueTags', ({ tags }) => ({ Tags: tags })),
  ];
}

// ---------------------------------------------------------------------------------------------------

type Attributes = Readonly<Record<string, string>>;

function createQueue(context: AwsContext): Operation {
  const { account, settings, world, latencies } = context;
  return {
    service: 'sqs',
    action: 'CreateQueue',
    rights: ({ params }) => [
      {
        action: 'sqs:CreateQueue',
        resource: queueArn(settings, String(params['QueueName'])),
        context: requestTags(
          Object.entries((params['tags'] ?? {}) as Attributes).map(([Key, Value]) => ({ Key, Value })),
        ),
      },
    ],
    subject: ({ params }) => ({ name: String(params['QueueName']) }),
    handle({ params }) {
      const name = String(params['QueueName'] ?? '');
      if (!/^[\w-]{1,80}$/.test(name))
        throw awsError(
          'InvalidParameterValueException',
          'Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length',
        );
      const attributes = (params['Attributes'] ?? {}) as Attributes;
      const existing = account.queues.get(name);
      if (existing !== undefined) {
        requireSame(existing, attributes);
        return { QueueUrl: existing.settings.url };
      }
      const deletedMs = account.deletedQueues.get(name);
      if (deletedMs !== undefined && world.clock.now() < deletedMs + latencies.queueNameMs)
        throw awsError(
          'QueueDeletedRecently',
          'You must wait 60 seconds after deleting a queue before you can create another with the same name.',
        );
      const wanted = readAttributes(attributes);
      const queue = newQueue(context, name);
      for (const apply of wanted) apply(queue);
      queue.tags = (params['tags'] ?? {}) as Attributes;
      return { QueueUrl: queue.settings.url };
    },
  };
}

function change(queue: Queue, attributes: Attributes): void {
  for (const apply of readAttributes(attributes)) apply(queue);
}

/** All are read before one is applied. */
function readAttributes(attributes: Attributes): readonly ((queue: Queue) => void)[] {
  return Object.entries(attributes).map(([name, value]) => {
    const read = Object.hasOwn(ATTRIBUTES, name) ? ATTRIBUTES[name] : undefined;
    if (read === undefined)
      throw awsError('InvalidAttributeName', `Unknown Attribute ${name}, or the simulator does not have it.`);
    return read(value, name);
  });
}

const ATTRIBUTES: Readonly<Record<string, (value: string, name: string) => (queue: Queue) => void>> = {
  MessageRetentionPeriod: (value, name) => {
    const retentionMs = seconds(value, name, 60, 1_209_600) * 1000;
    return ({ settings }) => {
      settings.retentionMs = retentionMs;
    };
  },
  VisibilityTimeout: (value, name) => {
    const visibilityTimeoutMs = seconds(value, name, 0, 43_200) * 1000;
    return ({ settings }) => {
      settings.visibilityTimeoutMs = visibilityTimeoutMs;
    };
  },
  SqsManagedSseEnabled: (value, name) => {
    if (value !== 'true' && value !== 'false') throw invalidValue(name);
    return (queue) => {
      queue.managedEncryption = value === 'true';
      if (queue.managedEncryption) queue.kmsKeyId = undefined;
    };
  },
  KmsMasterKeyId: (value) => (queue) => {
    queue.kmsKeyId = value === '' ? undefined : value;
  },
  Policy: (value, name) => {
    const policy = value === '' ? undefined : policyIn(value, name);
    return (queue) => {
      queue.policy = policy;
    };
  },
};

function policyIn(text: string, name: string): PolicyDocument {
  try {
    return parsePolicy(text, 'resource');
  } catch (error) {
    if (error instanceof AwsError) throw invalidValue(name);
    throw error;
  }
}

/** CreateQueue with the attributes that a queue has returns it; with others it is refused. */
function requireSame(queue: Queue, attributes: Attributes): void {
  const has = attributesOf(queue);
  for (const [name, wanted] of Object.entries(attributes))
    if (normal(name, has[name] ?? '') !== normal(name, wanted))
      throw awsError(
        'QueueNameExists',
        `A queue already exists with the same name and a different value for attribute ${name}`,
      );
}

/** Policies are the same whatever their white space is. */
function normal(name: string, value: string): string {
  return name === 'Policy' && value !== '' ? JSON.stringify(policyIn(value, name)) : value;
}

function seconds(value: string, name: string, min: number, max: number): number {
  const given = Number(value);
  if (Number.isInteger(given) && given >= min && given <= max) return given;
  throw invalidValue(name);
}

function invalidValue(name: string): AwsError {
  return awsError('InvalidAttributeValue', `Invalid value for the parameter ${name}.`);
}
