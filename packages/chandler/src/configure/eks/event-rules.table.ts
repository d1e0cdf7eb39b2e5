/** The rules of EventBridge that fill the interruption queue: which events, and what the controller does with them. */
export interface EventRule {
  /** At the end of the name of the rule. */
  readonly key: string;
  readonly source: string;
  readonly detailType: string;
  /** Completes "It is needed …". */
  readonly why: string;
}

export const EVENT_RULES: readonly EventRule[] = [
  {
    key: 'SpotInterruption',
    source: 'aws.ec2',
    detailType: 'EC2 Spot Instance Interruption Warning',
    why: 'so that spot nodes are drained before they are interrupted',
  },
  {
    key: 'Rebalance',
    source: 'aws.ec2',
    detailType: 'EC2 Instance Rebalance Recommendation',
    why: 'so that rebalance recommendations are seen',
  },
  {
    key: 'InstanceStateChange',
    source: 'aws.ec2',
    detailType: 'EC2 Instance State-change Notification',
    why: 'so that instances that somebody stops or terminates are noticed at once',
  },
  {
    key: 'CapacityReservation',
    source: 'aws.ec2',
    detailType: 'EC2 Capacity Reservation Instance Interruption Warning',
    why: 'so that nodes in reservations that end are drained',
  },
  {
    key: 'ScheduledChange',
    source: 'aws.health',
    detailType: 'AWS Health Event',
    why: 'so that nodes are drained before scheduled maintenance',
  },
];
