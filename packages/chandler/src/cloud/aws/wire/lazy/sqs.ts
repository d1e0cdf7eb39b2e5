/** Loaded on first use: `chandler --help` must not load an SDK. */
export {
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  GetQueueAttributesCommand,
  GetQueueUrlCommand,
  ReceiveMessageCommand,
  SetQueueAttributesCommand,
  SQSClient as Client,
} from '@aws-sdk/client-sqs';
