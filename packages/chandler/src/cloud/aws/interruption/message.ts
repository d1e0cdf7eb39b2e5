/**
 * What a message of the interruption queue says: five kinds of events that EventBridge forwards. What to do about it is
 * decided in `decision.ts`. A queue may contain anything. A message that is invalid or of no known kind gets a result of
 * its own, so that it is logged and deleted, and not received again.
 */
import { withoutSecrets } from '@chandler/kube';

export type InterruptionKind =
  | 'spot_interrupted'
  | 'rebalance_recommendation'
  | 'instance_stopped'
  | 'instance_terminated'
  | 'scheduled_change'
  | 'capacity_reservation_interrupted'
  // Of DescribeInstanceStatus.
  | 'instance_status'
  | 'system_status'
  | 'event_status';

export interface Interruption {
  readonly kind: InterruptionKind;
  readonly instanceIds: readonly string[];
  /** When it happened; undefined where the message has no time. */
  readonly atMs: number | undefined;
  /** Further words of AWS, for the event. */
  readonly detail?: string;
}

export type ParsedMessage =
  | { readonly is: 'interruption'; readonly interruption: Interruption }
  /** An event that nobody here waits for. */
  | { readonly is: 'ignored'; readonly why: string }
  | { readonly is: 'broken'; readonly problem: string };

export function parseMessage(body: string | undefined): ParsedMessage {
  if (body === undefined || body.trim() === '') return broken('the message is empty');
  let event: unknown;
  try {
    event = JSON.parse(body);
  } catch {
    // What the parser says of it repeats a part of it, and nobody knows what a stranger wrote.
    return broken('the message is not JSON');
  }
  if (!isObject(event)) return broken('the message is not a JSON object');
  const { version, source, 'detail-type': detailType } = event;
  const row = ROWS.find((each) => each.source === source && each.detailType === detailType);
  if (row === undefined || version !== VERSION)
    return ignored(`event ${show(source)} ${show(detailType)} version ${show(version)}`);
  const { detail } = event;
  if (!isObject(detail)) return broken(`the event ${row.detailType} has no detail`);
  const read = row.read(detail);
  if ('is' in read) return read;
  const named = [...new Set(read.instanceIds)];
  // An event about AWS' health may also name what is no instance.
  const instanceIds = named.filter((id): id is string => typeof id === 'string' && INSTANCE_ID.test(id));
  if (instanceIds.length === 0)
    return broken(`the event ${row.detailType} names no instance: ${named.map(show).join(', ')}`);
  return { is: 'interruption', interruption: { ...read, instanceIds, atMs: timeOf(event['time']) } };
}

// ---------------------------------------------------------------------------------------------------------------

type Fields = Readonly<Record<string, unknown>>;

interface MessageRow {
  readonly source: string;
  /** With the `EC2 ` in front, as EventBridge writes it. */
  readonly detailType: string;
  read(detail: Fields): Read | Extract<ParsedMessage, { is: 'ignored' }>;
}

interface Read {
  readonly kind: InterruptionKind;
  readonly instanceIds: readonly unknown[];
  readonly detail?: string;
}

/** The only version of EventBridge's envelope. */
const VERSION = '0';
const INSTANCE_ID = /^i-[0-9a-f]{1,32}$/;
const EC2 = 'aws.ec2';

const ROWS: readonly MessageRow[] = [
  {
    source: EC2,
    detailType: 'EC2 Spot Instance Interruption Warning',
    read: (detail) => ({ kind: 'spot_interrupted', ...ofInstance(detail), ...actionOf(detail) }),
  },
  {
    source: EC2,
    detailType: 'EC2 Instance Rebalance Recommendation',
    read: (detail) => ({ kind: 'rebalance_recommendation', ...ofInstance(detail) }),
  },
  {
    source: EC2,
    detailType: 'EC2 Instance State-change Notification',
    read: (detail) => {
      const state = typeof detail['state'] === 'string' ? detail['state'].toLowerCase() : undefined;
      const kind = state === undefined ? undefined : STATE_KINDS.get(state);
      return state === undefined || kind === undefined
        ? ignored(`an instance is ${show(detail['state'])}`)
        : { kind, ...ofInstance(detail), detail: state };
    },
  },
  {
    source: 'aws.health',
    detailType: 'AWS Health Event',
    read: (detail) => {
      const { service, eventTypeCategory: category, eventTypeCode: code, affectedEntities } = detail;
      if (service !== 'EC2' || category !== 'scheduledChange')
        return ignored(`health event of ${show(service)}, category ${show(category)}`);
      const entities = Array.isArray(affectedEntities) ? affectedEntities : [];
      return {
        kind: 'scheduled_change',
        instanceIds: entities.map((entity) => (isObject(entity) ? entity['entityValue'] : entity)),
        ...(typeof code === 'string' ? { detail: code } : {}),
      };
    },
  },
  {
    source: EC2,
    detailType: 'EC2 Capacity Reservation Instance Interruption Warning',
    read: (detail) => ({
      kind: 'capacity_reservation_interrupted',
      ...ofInstance(detail),
      ...actionOf(detail),
    }),
  },
];

const STATE_KINDS: ReadonlyMap<string, InterruptionKind> = new Map([
  ['stopping', 'instance_stopped'],
  ['stopped', 'instance_stopped'],
  ['shutting-down', 'instance_terminated'],
  ['terminated', 'instance_terminated'],
]);

function ofInstance(detail: Fields): Pick<Read, 'instanceIds'> {
  return { instanceIds: [detail['instance-id']] };
}

/** What EC2 will do to the instance: `terminate`, `stop` or `hibernate`. */
function actionOf(detail: Fields): Pick<Read, 'detail'> {
  const action = detail['instance-action'];
  return typeof action === 'string' ? { detail: action } : {};
}

function timeOf(time: unknown): number | undefined {
  const atMs = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : atMs;
}

function broken(problem: string): Extract<ParsedMessage, { is: 'broken' }> {
  return { is: 'broken', problem };
}

function ignored(why: string): Extract<ParsedMessage, { is: 'ignored' }> {
  return { is: 'ignored', why };
}

/** What strangers wrote, short enough for a log line, without what looks like a secret. */
function show(value: unknown): string {
  return withoutSecrets(JSON.stringify(value) ?? 'undefined').slice(0, 80);
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
