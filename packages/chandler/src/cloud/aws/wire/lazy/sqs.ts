/** Loaded on first use: `chandler --help` must not load an SDK. */
export {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SQSClient as Client,
} from '@aws-sdk/client-sqs';
