/**
 * The interruption queue: messages are received by a long poll and deleted one by one. A received message is invisible for 20
 * seconds; if it is not deleted by then, it is received again. What the messages mean is decided elsewhere.
 */
import { CloudError } from '../../index.ts';
import { classify, isNotFound } from '../errors/index.ts';
import type { SqsCalls } from '../wire/index.ts';

export interface QueueReaderInput {
  readonly sqs: SqsCalls;
  /** Of the option `interruption-queue`: a name. */
  readonly queueName: string;
  /** Where the queue is searched, for the message of an error: `account 123456789012 in us-west-2`. */
  readonly place: () => string;
}

export interface QueueMessage {
  readonly id: string;
  readonly body: string | undefined;
  /** How often it has been received, this time included. */
  readonly receives: number;
  readonly sentAtMs: number | undefined;
  readonly receipt: string;
}

/** How long a poll waits for a message. */
export const POLL_SECONDS = 20;
/** How long a received message is invisible to others. */
export const VISIBILITY_SECONDS = 20;

export class QueueReader {
  readonly #input: QueueReaderInput;
  #url: string | undefined;

  constructor(input: QueueReaderInput) {
    this.#input = input;
  }

  get name(): string {
    return this.#input.queueName;
  }

  /**
   * Up to ten messages, as soon as there is one; none after 20 seconds.
   * @throws {CloudError} that says what to do.
   */
  async receive(signal: AbortSignal): Promise<readonly QueueMessage[]> {
    const { Messages: messages = [] } = await this.#call(signal, async (QueueUrl) =>
      this.#input.sqs.receiveMessage(
        {
          QueueUrl,
          MaxNumberOfMessages: 10,
          WaitTimeSeconds: POLL_SECONDS,
          VisibilityTimeout: VISIBILITY_SECONDS,
          MessageSystemAttributeNames: ['SentTimestamp', 'ApproximateReceiveCount'],
        },
        { signal },
      ),
    );
    return messages.flatMap(({ MessageId: id = '', Body: body, ReceiptHandle: receipt, Attributes }) =>
      receipt === undefined
        ? []
        : {
            id,
            body,
            receipt,
            receives: Number(Attributes?.ApproximateReceiveCount ?? 1),
            sentAtMs: timeOf(Attributes?.SentTimestamp),
          },
    );
  }

  /** A message that is gone already is no error. @throws {CloudError} */
  async delete({ receipt }: QueueMessage, signal: AbortSignal): Promise<void> {
    await this.#call(signal, (QueueUrl) =>
      this.#input.sqs.deleteMessage({ QueueUrl, ReceiptHandle: receipt }, { signal }),
    );
  }

  async #call<Answer>(signal: AbortSignal, call: (url: string) => Promise<Answer>): Promise<Answer> {
    try {
      return await call(await this.#queueUrl(signal));
    } catch (error) {
      signal.throwIfAborted();
      // It may have been deleted and created anew: its address is asked for again.
      if (!(error instanceof CloudError) && isNotFound(error)) this.#url = undefined;
      throw this.#explained(error);
    }
  }

  async #queueUrl(signal: AbortSignal): Promise<string> {
    const { sqs, queueName } = this.#input;
    if (!NAME.test(queueName)) throw badName(queueName);
    if (this.#url !== undefined) return this.#url;
    const { QueueUrl } = await sqs.getQueueUrl({ QueueName: queueName }, { signal });
    if (QueueUrl === undefined || QueueUrl === '')
      throw new CloudError('Unreachable', `SQS gives no URL for the interruption queue ${queueName}`, {
        reason: 'InterruptionQueueUnknown',
      });
    this.#url = QueueUrl;
    return QueueUrl;
  }

  /** @throws an error of the program, as it is. */
  #explained(error: unknown): CloudError {
    if (error instanceof CloudError) return error;
    const { queueName, place } = this.#input;
    if (isNotFound(error))
      return new CloudError(
        'NotFound',
        `the interruption queue ${queueName} does not exist in ${place()}: create it there, with the rules of EventBridge that ` +
          'send to it, or name another one with --interruption-queue; a queue of another account or region cannot be used',
        { reason: 'InterruptionQueueNotFound', cause: error },
      );
    const { error: classified, denial } = classify(error);
    if (denial === undefined) return classified;
    return new CloudError('Unauthorized', `interruption queue ${queueName}: ${classified.message}`, {
      reason: 'InterruptionQueueDenied',
      code: classified.code,
      cause: error,
    });
  }
}

// ---------------------------------------------------------------------------------------------------------------

const NAME = /^[A-Za-z0-9_-]{1,80}(?:\.fifo)?$/;

function badName(name: string): CloudError {
  const suggestion = /([A-Za-z0-9_-]{1,80}(?:\.fifo)?)\/?$/.exec(name)?.[1];
  return new CloudError(
    'NotFound',
    `--interruption-queue is the name of a queue, not its ARN or URL: ${name}` +
      (suggestion === undefined || suggestion === name ? '' : `; use ${suggestion}`),
    { reason: 'InterruptionQueueInvalid', advice: { retry: 'never' } },
  );
}

function timeOf(text: string | undefined): number | undefined {
  const atMs = Number(text ?? Number.NaN);
  return Number.isFinite(atMs) ? atMs : undefined;
}
