/**
 * Requests the reboot of a node: one patch of its claim, which `controllers/reboot/` follows from then on. When a claim was
 * rebooted is kept in an annotation, so that a new leader knows it, too.
 */
import { ChandlerAnnotation, KarpenterAnnotation } from '../../api/index.ts';
import { rebootsOfDay } from '../../disruption/index.ts';
import type { ReconcileScope } from '../context.ts';
import { type Claim, ClaimPatch } from '../lifecycle/claim-patch.ts';
import type { CommandRecord } from './command-record.ts';

export async function requestReboot(
  { client, world }: ReconcileScope,
  claim: Claim,
  { reason, drainBoundMs, startedAtMs }: CommandRecord,
): Promise<void> {
  const nowMs = world.clock.now();
  const patch = new ClaimPatch(claim, nowMs);
  const times = new Set([...rebootsOfDay(claim, nowMs), startedAtMs - (startedAtMs % 1000)]);
  patch.setAnnotations({
    [KarpenterAnnotation.rebootGracePeriod]: drainBoundMs === undefined ? null : `${drainBoundMs / 1000}s`,
    [KarpenterAnnotation.rebootPreBootId]: null,
    [ChandlerAnnotation.reboots]: [...times].map(timeText).join(','),
  });
  patch.conditions.setTrue('DisruptionReason', reason, reason);
  patch.conditions.setTrue('Rebooting', 'RebootRequested', 'the node is drained and then rebooted');
  await patch.write(client);
}

// ---------------------------------------------------------------------------------------------------

function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
