/**
 * What EventBridge delivers to the queue about instances: each event in the shape that its documentation shows. Rules say
 * which events reach the queue.
 */
import { type AwsContext, ec2Arn } from '../context.ts';
import { numberOf } from '../faults/parse-fault.ts';
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
  /** May be changed at any time. */
  rules: ReadonlySet<string> = new Set<string>(EVENT_RULES);

  constructor(context: AwsContext, queueName: string) {
    this.#context = context;
    this.#queueName = queueName;
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
      'aws.health',
      instances.map(({ id }) => id),
      detail,
    );
  }

  #aboutInstance(detailType: EventRule, instance: InstanceRecord, detail: object): void {
    this.#send(detailType, 'aws.ec2', [ec2Arn(this.#context.settings, 'instance', instance.id)], detail);
  }

  #send(detailType: EventRule, source: string, resources: readonly string[], detail: object): void {
    const { world, settings, account, schedule, latencies } = this.#context;
    if (!this.rules.has(detailType)) return;
    const time = `${new Date(world.clock.now()).toISOString().slice(0, 19)}Z`;
    const event = {
      version: '0',
      id: world.random.uuid(),
      'detail-type': detailType,
      source,
      account: settings.accountId,
      time,
      region: settings.region,
      resources,
      detail,
    };
    for (const delayMs of this.#delays(resources[0] ?? ''))
      schedule.after(latencies.eventMs + delayMs, () =>
        account.queues.get(this.#queueName)?.send(JSON.stringify(event)),
      );
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
