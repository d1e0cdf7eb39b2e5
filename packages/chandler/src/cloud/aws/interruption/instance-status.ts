/**
 * Instances that EC2 reports as impaired, or for which it has scheduled an event: answers of DescribeInstanceStatus, which
 * needs no queue. The status of attached disks is ignored: it does not say whose disk it is.
 */
import type { Interruption, InterruptionKind } from './message.ts';

/** Of DescribeInstanceStatus, as far as it is read. */
export interface InstanceStatus {
  readonly InstanceId?: string | undefined;
  readonly InstanceStatus?: StatusSummary | undefined;
  readonly SystemStatus?: StatusSummary | undefined;
  readonly Events?: readonly StatusEvent[] | undefined;
}

export interface StatusSummary {
  readonly Details?:
    | readonly { readonly Status?: string | undefined; readonly ImpairedSince?: Date | undefined }[]
    | undefined;
}

export interface StatusEvent {
  readonly Code?: string | undefined;
  readonly Description?: string | undefined;
}

/** How long a check must have failed: EC2's checks fail for a moment during a reboot. */
export const IMPAIRED_LIMIT_MS = 120_000;

/** Scheduled events that end or interrupt an instance. */
export const EVENT_CODES: readonly string[] = [
  'instance-reboot',
  'system-reboot',
  'system-maintenance',
  'instance-retirement',
  'instance-stop',
];

/** Filters of three calls, since EC2 combines the filters of one call with "and". */
export const STATUS_FILTERS: readonly { readonly Name: string; readonly Values: string[] }[] = [
  { Name: 'instance-status.status', Values: ['impaired'] },
  { Name: 'system-status.status', Values: ['impaired'] },
  { Name: 'event.code', Values: [...EVENT_CODES] },
];

/** One for each instance and kind; an instance that several calls return counts once. */
export function statusInterruptions(
  statuses: readonly InstanceStatus[],
  nowMs: number,
): readonly Interruption[] {
  const byInstance = new Map(statuses.map((status) => [status.InstanceId, status]));
  return [...byInstance.values()].flatMap((status) => {
    const { InstanceId: id } = status;
    if (id === undefined) return [];
    const event = status.Events?.find(isOpen);
    const found: readonly (Finding | undefined)[] = [
      impaired('instance_status', status.InstanceStatus, nowMs),
      impaired('system_status', status.SystemStatus, nowMs),
      // When it will take place does not matter: the host needs work, and the instance leaves it at once.
      event === undefined ? undefined : { kind: 'event_status', atMs: nowMs, detail: event.Code! },
    ];
    return found.flatMap((finding) => (finding === undefined ? [] : { ...finding, instanceIds: [id] }));
  });
}

// ---------------------------------------------------------------------------------------------------------------

type Finding = Omit<Interruption, 'instanceIds'>;

/** Without a time it is not known that the check failed for long enough. */
function impaired(
  kind: InterruptionKind,
  summary: StatusSummary | undefined,
  nowMs: number,
): Finding | undefined {
  const since = (summary?.Details ?? [])
    .filter(({ Status }) => Status === 'failed')
    .flatMap(({ ImpairedSince }) => ImpairedSince?.getTime() ?? [])
    .filter((atMs) => nowMs - atMs >= IMPAIRED_LIMIT_MS);
  return since.length === 0 ? undefined : { kind, atMs: Math.min(...since) };
}

/** EC2 shows an event for a week after it is over, and writes so in front of its description. */
function isOpen({ Code, Description }: StatusEvent): boolean {
  return EVENT_CODES.includes(Code ?? '') && !/^\s*\[(?:Completed|Canceled)\]/i.test(Description ?? '');
}
