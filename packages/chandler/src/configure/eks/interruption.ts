/** The interruption queue, and the rules of EventBridge that fill it: how each is read, written and removed. */
import type { AwsCalls } from '../../cloud/aws/account.ts';
import { ConfigureError, type DesiredResource, type RecordedResource } from '../resource.ts';
import { awsCall, awsRead } from './aws-error.ts';
import { desired } from './desired.ts';
import { documentField } from './documents.ts';
import { type EksSetup, type RuleSetup, TARGET_ID } from './setup.ts';

export function queueResource(
  { name, arn, retentionSeconds, policy }: EksSetup['queue'],
  { sqs }: AwsCalls,
): DesiredResource {
  const Attributes = {
    MessageRetentionPeriod: String(retentionSeconds),
    SqsManagedSseEnabled: 'true',
    Policy: JSON.stringify(policy),
  };
  const wanted = {
    key: 'queue',
    kind: 'queue',
    name,
    why: 'so that the controller hears of interruptions before they happen',
    id: arn,
    isOverwrittenByFiles: true,
    fields: {
      retentionSeconds: Attributes.MessageRetentionPeriod,
      encrypted: Attributes.SqsManagedSseEnabled,
      policy: documentField(policy),
    },
  };
  return desired(wanted, recordedQueue(arn, sqs), async (found, signal) => {
    if (found === undefined)
      return await awsCall({ action: 'sqs:CreateQueue', scope: arn }, () =>
        sqs.createQueue({ QueueName: name, Attributes }, { signal }),
      );
    const QueueUrl = await queueUrl(arn, sqs, signal);
    return await awsCall({ action: 'sqs:SetQueueAttributes', scope: arn }, () =>
      sqs.setQueueAttributes({ QueueUrl, Attributes }, { signal }),
    );
  });
}

export function recordedQueue(arn: string, sqs: AwsCalls['sqs']): RecordedResource {
  const may = (action: string) => ({ action: `sqs:${action}`, scope: arn });
  return {
    async read(signal) {
      const QueueUrl = await queueUrl(arn, sqs, signal);
      if (QueueUrl === undefined) return undefined;
      const answer = await awsRead(may('GetQueueAttributes'), () =>
        sqs.getQueueAttributes({ QueueUrl, AttributeNames: ['All'] }, { signal }),
      );
      if (answer === undefined) return undefined;
      const {
        MessageRetentionPeriod = '',
        SqsManagedSseEnabled,
        Policy,
        KmsMasterKeyId,
        CreatedTimestamp,
      } = answer.Attributes ?? {};
      return {
        id: arn,
        fields: {
          retentionSeconds: MessageRetentionPeriod,
          encrypted: KmsMasterKeyId ?? SqsManagedSseEnabled ?? 'false',
          policy: documentField(Policy),
        },
        facts: { queueCreated: CreatedTimestamp ?? '' },
      };
    },
    async remove(signal) {
      const QueueUrl = await queueUrl(arn, sqs, signal);
      if (QueueUrl !== undefined)
        await awsRead(may('DeleteQueue'), () => sqs.deleteQueue({ QueueUrl }, { signal }));
    },
  };
}

export function ruleResource(
  { key, name, arn, pattern, why }: RuleSetup,
  { events }: AwsCalls,
): DesiredResource {
  const wanted = {
    key: `rule-${key}`,
    kind: 'event rule',
    name,
    why,
    id: arn,
    fields: { pattern: documentField(pattern), state: 'ENABLED' },
    isOverwrittenByFiles: true,
  };
  return desired(wanted, recordedRule(arn, events), (_, signal) =>
    awsCall({ action: 'events:PutRule', scope: arn }, () =>
      events.putRule({ Name: name, EventPattern: JSON.stringify(pattern), State: 'ENABLED' }, { signal }),
    ),
  );
}

export function recordedRule(arn: string, events: AwsCalls['events']): RecordedResource {
  const Name = ruleName(arn);
  const may = (action: string) => ({ action: `events:${action}`, scope: arn });
  return {
    async read(signal) {
      const answer = await awsRead(may('DescribeRule'), () => events.describeRule({ Name }, { signal }));
      if (answer === undefined) return undefined;
      const { EventPattern, State = '' } = answer;
      return { id: arn, fields: { pattern: documentField(EventPattern), state: State } };
    },
    async remove(signal) {
      await awsRead(may('DeleteRule'), () => events.deleteRule({ Name }, { signal }));
    },
  };
}

export function targetResource(
  { key, name, arn }: RuleSetup,
  queue: EksSetup['queue'],
  { events }: AwsCalls,
): DesiredResource {
  const wanted = {
    key: `target-${key}`,
    kind: 'event target',
    name: `${queue.name} of ${name}`,
    why: 'so that these events get into the queue',
    id: `${arn}/targets/${TARGET_ID}`,
    fields: { queue: queue.arn },
    isOverwrittenByFiles: true,
  };
  return desired(wanted, recordedTarget(arn, TARGET_ID, events), async (_, signal) => {
    const answer = await awsCall({ action: 'events:PutTargets', scope: arn }, () =>
      events.putTargets({ Rule: name, Targets: [{ Id: TARGET_ID, Arn: queue.arn }] }, { signal }),
    );
    refuseFailed(answer.FailedEntries);
  });
}

export function recordedTarget(ruleArn: string, id: string, events: AwsCalls['events']): RecordedResource {
  const Rule = ruleName(ruleArn);
  const may = (action: string) => ({ action: `events:${action}`, scope: ruleArn });
  return {
    async read(signal) {
      const answer = await awsRead(may('ListTargetsByRule'), () =>
        events.listTargetsByRule({ Rule }, { signal }),
      );
      const found = answer?.Targets?.find(({ Id }) => Id === id);
      if (found === undefined) return undefined;
      return { id: `${ruleArn}/targets/${id}`, fields: { queue: found.Arn ?? '' } };
    },
    async remove(signal) {
      const answer = await awsRead(may('RemoveTargets'), () =>
        events.removeTargets({ Rule, Ids: [id] }, { signal }),
      );
      refuseFailed(answer?.FailedEntries);
    },
  };
}

// ---------------------------------------------------------------------------------------------------------------

/** Of the default event bus. */
function ruleName(arn: string): string {
  return arn.slice(arn.lastIndexOf('/') + 1);
}

/** Undefined: there is no such queue. */
async function queueUrl(arn: string, sqs: AwsCalls['sqs'], signal: AbortSignal): Promise<string | undefined> {
  const QueueName = arn.slice(arn.lastIndexOf(':') + 1);
  const answer = await awsRead({ action: 'sqs:GetQueueUrl', scope: arn }, () =>
    sqs.getQueueUrl({ QueueName }, { signal }),
  );
  return answer?.QueueUrl;
}

/** EventBridge answers with success, and lists what it did not do. */
function refuseFailed(
  failed:
    | readonly { readonly ErrorCode?: string | undefined; readonly ErrorMessage?: string | undefined }[]
    | undefined,
): void {
  const [first] = failed ?? [];
  if (first !== undefined) throw new ConfigureError(`${first.ErrorCode}: ${first.ErrorMessage}`);
}
