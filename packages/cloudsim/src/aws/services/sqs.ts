/** SQS over its JSON protocol: messages, and what can be read of a queue. Queues are created and changed in sqs-queues.ts. */
import { type AwsContext, queueArn } from '../context.ts';
import type { Message, Queue } from '../store/queue.ts';
import type { AwsRequest, Operation } from '../wire/aws-request.ts';
import { awsError } from '../wire/errors.ts';

export function queueOperations(context: AwsContext): readonly Operation[] {
  const { settings } = context;
  const on = (action: string, handle: QueueHandler) => onQueue(context, action, handle);
  return [
    {
      service: 'sqs',
      action: 'GetQueueUrl',
      rights: ({ params }) => [
        { action: 'sqs:GetQueueUrl', resource: queueArn(settings, String(params['QueueName'])) },
      ],
      handle({ params }) {
        const name = String(params['QueueName'] ?? '');
        const owner = params['QueueOwnerAWSAccountId'];
        const queue = context.account.queues.get(name);
        if (queue === undefined || (owner !== undefined && owner !== settings.accountId)) throw noQueue();
        return { QueueUrl: queue.settings.url };
      },
    },
    on('GetQueueAttributes', (queue, { params }) => ({
      Attributes: attributes(queue, params['AttributeNames']),
    })),
    on('SendMessage', (queue, { params }) => {
      const body = params['MessageBody'];
      if (typeof body !== 'string' || body === '')
        throw awsError(
          'MissingRequiredParameterException',
          'The request must contain the parameter MessageBody.',
        );
      if (Buffer.byteLength(body) > 1_048_576)
        throw awsError(
          'InvalidParameterValueException',
          'One or more parameters are invalid. Reason: Message must be shorter than 1048576 bytes.',
        );
      const message = queue.send(body, Number(params['DelaySeconds'] ?? 0) * 1000);
      return { MessageId: message.id, MD5OfMessageBody: message.md5 };
    }),
    on('ReceiveMessage', async (queue, { params, signal }) => {
      const max = number(params['MaxNumberOfMessages'] ?? 1, 1, 10, 'MaxNumberOfMessages');
      const waitMs = number(params['WaitTimeSeconds'] ?? 0, 0, 20, 'WaitTimeSeconds') * 1000;
      const visibility = params['VisibilityTimeout'];
      const visibilityMs =
        visibility === undefined ? undefined : number(visibility, 0, 43_200, 'VisibilityTimeout') * 1000;
      const messages = await queue.receive(max, { waitMs, visibilityMs, signal });
      const names = [params['MessageSystemAttributeNames'], params['AttributeNames']].flat();
      return messages.length === 0 ? {} : { Messages: messages.map((message) => shown(message, names)) };
    }),
    on('DeleteMessage', (queue, { params }) => {
      const receipt = String(params['ReceiptHandle'] ?? '');
      if (!queue.delete(receipt))
        throw awsError(
          'ReceiptHandleIsInvalid',
          `The input receipt handle "${receipt}" is not a valid receipt handle.`,
          404,
        );
      return {};
    }),
  ];
}

export type QueueHandler = (queue: Queue, request: AwsRequest) => unknown;

/** An operation on the queue with the URL of the request. */
export function onQueue(context: AwsContext, action: string, handle: QueueHandler): Operation {
  return {
    service: 'sqs',
    action,
    rights: ({ params }) => [
      { action: `sqs:${action}`, resource: queueArn(context.settings, nameIn(params['QueueUrl'])) },
    ],
    subject: ({ params }) => ({ name: nameIn(params['QueueUrl']) }),
    handle: (request) => handle(queueAt(context, request), request),
  };
}

/** By name, as far as they are asked for; those that count messages are about now. */
export function attributesOf(queue: Queue): Readonly<Record<string, string>> {
  const { settings } = queue;
  const { visible, inFlight } = queue.counts();
  return {
    QueueArn: settings.arn,
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    ApproximateNumberOfMessagesDelayed: '0',
    CreatedTimestamp: String(Math.floor(settings.createdMs / 1000)),
    LastModifiedTimestamp: String(Math.floor(settings.createdMs / 1000)),
    VisibilityTimeout: String(settings.visibilityTimeoutMs / 1000),
    MessageRetentionPeriod: String(settings.retentionMs / 1000),
    ReceiveMessageWaitTimeSeconds: '0',
    DelaySeconds: '0',
    MaximumMessageSize: '1048576',
    SqsManagedSseEnabled: String(queue.managedEncryption && queue.kmsKeyId === undefined),
    ...(queue.policy === undefined ? {} : { Policy: JSON.stringify(queue.policy) }),
    ...(queue.kmsKeyId === undefined ? {} : { KmsMasterKeyId: queue.kmsKeyId }),
  };
}

// ---------------------------------------------------------------------------------------------------

function shown(message: Message, names: readonly unknown[]) {
  const system: Readonly<Record<string, string>> = {
    SentTimestamp: String(message.sentMs),
    ApproximateReceiveCount: String(message.receives),
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedMs),
  };
  const wanted = Object.entries(system).filter(([name]) => names.includes('All') || names.includes(name));
  return {
    MessageId: message.id,
    ReceiptHandle: message.receipt,
    MD5OfBody: message.md5,
    Body: message.body,
    ...(wanted.length === 0 ? {} : { Attributes: Object.fromEntries(wanted) }),
  };
}

/** Attributes that a queue may lack. */
const OPTIONAL: ReadonlySet<string> = new Set(['KmsMasterKeyId', 'Policy', 'RedrivePolicy']);

function attributes(queue: Queue, names: unknown): Readonly<Record<string, string>> {
  const all = attributesOf(queue);
  const wanted = Array.isArray(names) ? (names as readonly string[]) : [];
  for (const name of wanted)
    if (name !== 'All' && !(name in all) && !OPTIONAL.has(name))
      throw awsError('InvalidAttributeName', `Unknown Attribute ${name}.`);
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => wanted.includes('All') || wanted.includes(name)),
  );
}

function queueAt({ account, settings }: AwsContext, { params }: AwsRequest): Queue {
  const url = String(params['QueueUrl'] ?? '');
  const [, owner, name] = /\/(\d{12})\/([\w.-]+)$/.exec(url) ?? [];
  const queue = name === undefined ? undefined : account.queues.get(name);
  if (queue === undefined || owner !== settings.accountId) throw noQueue();
  return queue;
}

function nameIn(url: unknown): string {
  return (
    String(url ?? '')
      .split('/')
      .at(-1) ?? ''
  );
}

function number(value: unknown, min: number, max: number, name: string): number {
  const given = Number(value);
  if (Number.isInteger(given) && given >= min && given <= max) return given;
  throw awsError(
    'InvalidParameterValueException',
    `Value ${String(value)} for parameter ${name} is invalid. Reason: Must be between ${min} and ${max}, if provided.`,
  );
}

function noQueue() {
  return awsError('QueueDoesNotExist', 'The specified queue does not exist.');
}
