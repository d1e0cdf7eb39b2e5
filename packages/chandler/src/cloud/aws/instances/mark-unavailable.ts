/** Writes what an answer of CreateFleet said about capacity where the next launches look. */
import type { UnavailableOfferings } from '../../index.ts';

import type { SubnetAddresses, Unavailable } from '../launch/index.ts';
import { inPlacementGroup, subnetRef, wholePlacementGroup } from '../offerings/index.ts';
import type { ReservationCounts } from './aws-cloud-deps.ts';

export interface MarkTargets {
  readonly unavailable: UnavailableOfferings;
  readonly addresses: SubnetAddresses;
  readonly reservations?: ReservationCounts | undefined;
  readonly nowMs: number;
}

export function markUnavailable(marks: readonly Unavailable[], targets: MarkTargets): void {
  for (const mark of marks) markOne(mark, targets);
}

// ---------------------------------------------------------------------------------------------------------------

function markOne(mark: Unavailable, { unavailable, addresses, reservations, nowMs }: MarkTargets): void {
  const { ttlMs, reason } = mark;
  switch (mark.kind) {
    case 'offering': {
      const { instanceType, zone, capacityType, placementGroupId, partition } = mark;
      const offering = { instanceType, zone, capacityType };
      const ref =
        placementGroupId === undefined ? offering : inPlacementGroup(offering, placementGroupId, partition);
      unavailable.mark(ref, ttlMs, reason);
      return;
    }
    case 'placementGroupZone':
      unavailable.mark(
        wholePlacementGroup(mark.zone, mark.placementGroupId, mark.capacityType),
        ttlMs,
        reason,
      );
      return;
    case 'subnet':
      addresses.exhaust(mark.subnetId, nowMs);
      unavailable.mark(subnetRef(mark.subnetId), ttlMs, reason);
      return;
    case 'reservation':
      reservations?.full(mark.id);
      return;
    case 'capacityType':
      unavailable.markCapacityType(mark.capacityType, ttlMs, reason);
      return;
  }
}
