/** EventBridge: the rules of the interruption queue, as far as they can be read. Which events reach the queue is decided in events.ts. */
import type { AwsContext } from '../context.ts';
import type { Events } from '../ec2/events.ts';
import type { Queue } from '../store/queue.ts';
import type { Operation } from '../wire/aws-request.ts';
import { awsError } from '../wire/errors.ts';

export function eventBridgeOperations(
  context: AwsContext,
  events: Events,
  queue: Queue,
): readonly Operation[] {
  const { partition, region, accountId } = context.settings;
  const ruleArn = (name: string) => `arn:${partition}:events:${region}:${accountId}:rule/${name}`;
  return [
    {
      service: 'events',
      action: 'ListRuleNamesByTarget',
      rights: () => [{ action: 'events:ListRuleNamesByTarget', resource: ruleArn('*') }],
      handle: ({ params }) => ({
        RuleNames: params['TargetArn'] === queue.settings.arn ? [...events.rules].map(ruleName).sort() : [],
      }),
    },
    {
      service: 'events',
      action: 'DescribeRule',
      rights: ({ params }) => [{ action: 'events:DescribeRule', resource: ruleArn(String(params['Name'])) }],
      handle({ params }) {
        const type = [...events.rules].find((each) => ruleName(each) === params['Name']);
        if (type === undefined)
          throw awsError('ResourceNotFoundException', `Rule ${String(params['Name'])} does not exist.`);
        return {
          Name: params['Name'],
          Arn: ruleArn(ruleName(type)),
          EventPattern: JSON.stringify({
            source: [type === 'AWS Health Event' ? 'aws.health' : 'aws.ec2'],
            'detail-type': [type],
          }),
          State: 'ENABLED',
          EventBusName: 'default',
        };
      },
    },
  ];
}

// ---------------------------------------------------------------------------------------------------

/** `Karpenter-EC2SpotInstanceInterruptionWarning`. */
function ruleName(type: string): string {
  return `Karpenter-${type.replace(/[^A-Za-z0-9]/g, '')}`;
}
