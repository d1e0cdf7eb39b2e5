/**
 * Says on every NodePool which of its zones ARC has shifted the cluster away from, and when they are back; on every
 * EC2NodeClass, that ARC does not say it.
 */
import { type Controller, rethrowProgramError, type Stored, singleton } from '@chandler/kube';
import {
  AwsLabel,
  type EC2NodeClass,
  KubernetesLabel,
  NODE_POOLS,
  type NodePool,
} from '../../../api/index.ts';
import type { CloudControllerContext } from '../../index.ts';
import { ClaimRequirements } from '../launch/index.ts';
import { SHIFTS_REFRESH_MS, ZONAL_SHIFT_EVENTS, type ZonalShifts } from '../zonal-shift/index.ts';
import { CLASSES, classReflector } from './node-class-store.ts';

export function zonalShiftEvents(
  context: CloudControllerContext,
  shifts: Pick<ZonalShifts, 'zones' | 'refreshIfDue' | 'unanswered'>,
): Controller {
  /** Since when, by ID of the zone. */
  let before: ReadonlyMap<string, number> = new Map();
  return singleton({
    name: 'zonalshift',
    world: context.world,
    everyMs: SHIFTS_REFRESH_MS,
    run: async ({ signal }) => {
      await shifts.refreshIfDue(signal);
      const nowMs = context.world.clock.now();
      const now = new Map(shifts.zones().map((zoneId) => [zoneId, before.get(zoneId) ?? nowMs]));
      const cleared = [...before].filter(([zoneId]) => !now.has(zoneId));
      if (now.size + cleared.length > 0)
        for (const pool of context.stores.pools.store.values()) {
          for (const [zoneId, sinceMs] of now) publish(context, pool, { zoneId, sinceMs }, ACTIVE);
          for (const [zoneId, sinceMs] of cleared) publish(context, pool, { zoneId, sinceMs }, CLEARED);
        }
      before = now;
      publishUnknown(context, shifts.unanswered());
      return { requeueAfterMs: SHIFTS_REFRESH_MS };
    },
  });
}

// ---------------------------------------------------------------------------------------------------------------

interface ShiftEvent {
  readonly type: 'Warning' | 'Normal';
  readonly reason: string;
  readonly message: (zone: string) => string;
}

const ACTIVE: ShiftEvent = {
  type: 'Warning',
  reason: ZONAL_SHIFT_EVENTS.active,
  message: (zone) => `The cluster is shifted away from zone ${zone}: nothing is launched there.`,
};

const CLEARED: ShiftEvent = {
  type: 'Normal',
  reason: ZONAL_SHIFT_EVENTS.cleared,
  message: (zone) =>
    `The zonal shift away from zone ${zone} has ended: instances can be launched there again.`,
};

function publishUnknown(
  context: CloudControllerContext,
  unanswered: ReturnType<ZonalShifts['unanswered']>,
): void {
  const { unknown, unknownAfterMs, repeatMs } = ZONAL_SHIFT_EVENTS;
  if (unanswered === undefined || unanswered.ageMs < unknownAfterMs) return;
  const minutes = Math.floor(unanswered.ageMs / 60_000);
  for (const nodeClass of classReflector(context).store.values())
    context.events.publish({
      resource: CLASSES,
      object: nodeClass,
      type: 'Warning',
      reason: unknown,
      message: `Zonal shifts of the cluster have not been read for ${minutes} minutes; a shift that has begun since is not known, and instances are launched in its zone: ${unanswered.error}`,
      dedupeValues: [nodeClass.metadata.uid],
      dedupeMs: repeatMs,
    });
}

/** Only where the NodePool may launch in the zone. */
function publish(
  context: CloudControllerContext,
  pool: Stored<NodePool>,
  { zoneId, sinceMs }: { readonly zoneId: string; readonly sinceMs: number },
  { type, reason, message }: ShiftEvent,
): void {
  const reference = pool.spec.template.spec.nodeClassRef;
  const nodeClass = context.stores.nodeClass(reference) as EC2NodeClass | undefined;
  const zone = nodeClass?.status?.subnets?.find((subnet) => subnet.zoneID === zoneId)?.zone;
  if (zone === undefined || !allowsZone(pool, zone, zoneId)) return;
  context.events.publish({
    resource: NODE_POOLS,
    object: pool,
    type,
    reason,
    message: message(`${zone} (${zoneId})`),
    dedupeValues: [pool.metadata.uid, zoneId, String(sinceMs)],
    dedupeMs: ZONAL_SHIFT_EVENTS.repeatMs,
  });
}

function allowsZone({ spec }: Stored<NodePool>, zone: string, zoneId: string): boolean {
  let requirements: ClaimRequirements;
  try {
    requirements = new ClaimRequirements(spec.template.spec.requirements ?? []);
  } catch (error) {
    rethrowProgramError(error);
    // Of a NodePool that is not valid: nothing is launched for it.
    return false;
  }
  return (
    requirements.allowsValue(KubernetesLabel.zone, zone) && requirements.allowsValue(AwsLabel.zoneId, zoneId)
  );
}
