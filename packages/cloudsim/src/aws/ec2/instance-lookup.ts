/** Finds instances by id, with the errors of EC2 for those that do not exist or are not visible yet. */
import type { AwsContext } from '../context.ts';
import type { InstanceRecord, InstanceState } from '../store/records.ts';
import type { AwsRequest } from '../wire/aws-request.ts';
import { ec2Error, invalidParameter, missing } from '../wire/errors.ts';

export const STATE_CODES: Readonly<Record<InstanceState, number>> = {
  pending: 0,
  running: 16,
  'shutting-down': 32,
  terminated: 48,
  stopping: 64,
  stopped: 80,
};

export function isVisible({ world }: Pick<AwsContext, 'world'>, { visibleMs }: InstanceRecord): boolean {
  return visibleMs <= world.clock.now();
}

/** Whether EC2 has lost sight of the zone. */
export function isImpaired(
  { world, account }: Pick<AwsContext, 'world' | 'account'>,
  { zone }: InstanceRecord,
): boolean {
  const nowMs = world.clock.now();
  const { fromMs = nowMs, untilMs = nowMs } = account.impairedZones.get(zone) ?? {};
  return fromMs <= nowMs && nowMs < untilMs;
}

export const INSTANCE_SELECTOR = {
  param: 'InstanceIds',
  of: ({ id }: InstanceRecord) => id,
  code: 'InvalidInstanceID.NotFound',
  message: (ids: string) => notFoundText(ids),
  form: {
    pattern: /^i-[0-9a-f]{8}(?:[0-9a-f]{9})?$/,
    code: 'InvalidInstanceID.Malformed',
    message: (id: string) => `Invalid id: "${id}"`,
  },
};

export function idsOf({ params }: AwsRequest): readonly string[] {
  return (params['InstanceIds'] ?? []) as readonly string[];
}

/** All of the ids, or the error that EC2 answers. */
export function requireInstances(context: AwsContext, ids: readonly string[]): readonly InstanceRecord[] {
  if (ids.length === 0) throw missing('InstanceId');
  if (ids.length > 1000) throw invalidParameter('A request may name up to 1000 instances');
  const { pattern, code, message } = INSTANCE_SELECTOR.form;
  for (const id of ids) if (!pattern.test(id)) throw ec2Error(code, message(id));
  const unknown = ids.filter((id) => {
    const record = context.account.instances.get(id);
    return record === undefined || !isVisible(context, record);
  });
  if (unknown.length > 0) throw ec2Error(INSTANCE_SELECTOR.code, notFoundText(unknown.join(', ')));
  return [...new Set(ids)].map((id) => context.account.instances.get(id)!);
}

// ---------------------------------------------------------------------------------------------------

function notFoundText(ids: string): string {
  return ids.includes(',')
    ? `The instance IDs '${ids}' do not exist`
    : `The instance ID '${ids}' does not exist`;
}
