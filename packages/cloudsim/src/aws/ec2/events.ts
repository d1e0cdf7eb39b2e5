/**
 * What EventBridge delivers about instances: each event in the shape that its documentation shows, to every queue that an
 * enabled rule has as a target and that lets EventBridge send.
 */
import { type AwsContext, ec2Arn, queueArn } from '../context.ts';
import { numberOf } from '../faults/parse-fault.ts';
import { admits } from '../iam/admission.ts';
import { matchesPattern } from '../store/event-pattern.ts';
import type { InstanceRecord } from '../store/records.ts';

/** The rules of a cluster, by what they match. */
export type EventRule =
  | 'EC2 Spot Instance Interruption Warning'
  | 'EC2 Instance Rebalance Recommendation'
  | 'EC2 Instance State-change Notification'
  | 'EC2 Capacity Reservation Instance Interruption Warning'
  | 'AWS Health Event';

export const EVENT_RULES: readonly EventRule[] = [
  'EC2 Spot Instance Interruption Warning',
  'EC2 Instance Rebalance Recommendation',
  'EC2 Instance State-change Notification',
  'EC2 Capacity Reservation Instance Interruption Warning',
  'AWS Health Event',
];

export class Events {
  readonly #context: AwsContext;
  readonly #queueName: string;

  constructor(context: AwsContext, queueName: string) {
    this.#context = context;
    this.#queueName = queueName;
  }

  /** For tests: rules of these types, and no others, send to the queue from now on. */
  set rules(types: ReadonlySet<string>) {
    const { account, settings } = this.#context;
    const { partition, region, accountId } = settings;
    account.eventRules.clear();
    for (const type of types) {
      const name = `Karpenter-${type.replace(/[^A-Za-z0-9]/g, '')}`;
      const pattern = { source: [sourceOf(type)], 'detail-type': [type] };
      account.eventRules.set(name, {
        name,
        arn: `arn:${partition}:events:${region}:${accountId}:rule/${name}`,
        pattern,
        patternText: JSON.stringify(pattern),
        state: 'ENABLED',
        targets: new Map([[TARGET, { Id: TARGET, Arn: queueArn(settings, this.#queueName) }]]),
        tags: [],
      });
    }
  }

  spotInterruption(instance: InstanceRecord): void {
    this.#aboutInstance('EC2 Spot Instance Interruption Warning', instance, {
      'instance-id': instance.id,
      'instance-action': 'terminate',
    });
  }

  rebalanceRecommendation(instance: InstanceRecord): void {
    this.#aboutInstance('EC2 Instance Rebalance Recommendation', instance, { 'instance-id': instance.id });
  }

  stateChange(instance: InstanceRecord): void {
    this.#aboutInstance('EC2 Instance State-change Notification', instance, {
      'instance-id': instance.id,
      state: instance.state,
    });
  }

  reservationInterruption(instance: InstanceRecord): void {
    this.#aboutInstance('EC2 Capacity Reservation Instance Interruption Warning', instance, {
      'instance-id': instance.id,
      'instance-action': 'terminate',
      'capacity-reservation-id': instance.reservedBy,
      'availability-zone-id': instance.zone,
    });
  }

  /** AWS Health announces a change of the hardware. */
  scheduledChange(instances: readonly InstanceRecord[], startMs: number): void {
    const { settings, world } = this.#context;
    const code = 'AWS_EC2_PERSISTENT_INSTANCE_RETIREMENT_SCHEDULED';
    const detail = {
      eventArn: `arn:${settings.partition}:health:${settings.region}::event/EC2/${code}/${code}_${world.random.uuid()}`,
      service: 'EC2',
      eventTypeCode: code,
      eventTypeCategory: 'scheduledChange',
      eventScopeCode: 'ACCOUNT_SPECIFIC',
      startTime: new Date(startMs).toUTCString(),
      statusCode: 'upcoming',
      eventRegion: settings.region,
      eventDescription: [
        {
          language: 'en_US',
          latestDescription: 'One or more of your Amazon EC2 instances is scheduled to be retired.',
        },
      ],
      affectedEntities: instances.map(({ id }) => ({ entityValue: id })),
    };
    this.#send(
      'AWS Health Event',
      instances.map(({ id }) => id),
      detail,
    );
  }

  #aboutInstance(detailType: EventRule, instance: InstanceRecord, detail: object): void {
    this.#send(detailType, [ec2Arn(this.#context.settings, 'instance', instance.id)], detail);
  }

  #send(detailType: EventRule, resources: readonly string[], detail: object): void {
    const { world, settings, account, schedule, latencies } = this.#context;
    const fields = {
      'detail-type': detailType,
      source: sourceOf(detailType),
      account: settings.accountId,
      time: `${new Date(world.clock.now()).toISOString().slice(0, 19)}Z`,
      region: settings.region,
      resources,
      detail,
    };
    const rules = [...account.eventRules.values()].filter(
      ({ state, pattern }) => state === 'ENABLED' && matchesPattern(pattern, fields),
    );
    const deliveries = rules.flatMap(({ arn, targets }) =>
      [...targets.values()].map((target) => ({ rule: arn, target: target.Arn })),
    );
    if (deliveries.length === 0) return;
    const text = JSON.stringify({ version: '0', id: world.random.uuid(), ...fields });
    for (const { rule, target } of deliveries)
      for (const delayMs of this.#delays(resources[0] ?? ''))
        schedule.after(latencies.eventMs + delayMs, () => this.#deliver(text, rule, target));
  }

  /** What a queue does not take is lost. */
  #deliver(text: string, rule: string, target: string): void {
    const { account, settings } = this.#context;
    const queue = [...account.queues.values()].find((each) => each.settings.arn === target);
    const isAdmitted = admits(queue?.policy, EVENT_BRIDGE, {
      action: 'sqs:SendMessage',
      resource: target,
      context: {
        'aws:SourceArn': rule,
        'aws:SourceAccount': settings.accountId,
        'aws:SecureTransport': 'true',
      },
    });
    if (isAdmitted) queue?.send(text);
  }

  /** One for each time that the event is delivered. */
  #delays(name: string): readonly number[] {
    const { faults, world } = this.#context;
    const late = () => {
      const fault = faults.trigger('event', { name }, (each) => each === 'message-late');
      return fault === undefined ? 0 : Math.round(numberOf(fault) * world.random.next());
    };
    const doubled = faults.trigger('event', { name }, (each) => each === 'message-doubled');
    return doubled === undefined ? [late()] : [late(), late()];
  }
}

// ---------------------------------------------------------------------------------------------------

const EVENT_BRIDGE = { kind: 'Service', name: 'events.amazonaws.com' } as const;
const TARGET = 'KarpenterInterruptionQueueTarget';

function sourceOf(type: string): string {
  return type === 'AWS Health Event' ? 'aws.health' : 'aws.ec2';
}
