/** What a launch or an interruption showed to be unavailable, written down where offerings are judged by it. */
import type { UnavailableOfferings } from '../../index.ts';
import type { Unavailable } from '../launch/index.ts';
import { inPlacementGroup, subnetRef, wholePlacementGroup } from '../offerings/index.ts';

export interface UnavailableMarks {
  readonly offerings: Pick<UnavailableOfferings, 'mark' | 'markCapacityType'>;
  /** Capacity reservations; one that is full has no free instances until EC2 says otherwise. */
  readonly reservations: { markFull(reservationId: string): void };
}

export function markUnavailable(
  { offerings, reservations }: UnavailableMarks,
  things: readonly Unavailable[],
): void {
  for (const thing of things) {
    const { ttlMs, reason } = thing;
    switch (thing.kind) {
      case 'offering': {
        const { instanceType, zone, capacityType, placementGroupId, partition } = thing;
        const offering = { instanceType, zone, capacityType };
        const place =
          placementGroupId === undefined ? offering : inPlacementGroup(offering, placementGroupId, partition);
        offerings.mark(place, ttlMs, reason);
        break;
      }
      case 'placementGroupZone':
        offerings.mark(
          wholePlacementGroup(thing.zone, thing.placementGroupId, thing.capacityType),
          ttlMs,
          reason,
        );
        break;
      case 'subnet':
        offerings.mark(subnetRef(thing.subnetId), ttlMs, reason);
        break;
      case 'reservation':
        reservations.markFull(thing.id);
        break;
      case 'capacityType':
        offerings.markCapacityType(thing.capacityType, ttlMs, reason);
        break;
    }
  }
}
