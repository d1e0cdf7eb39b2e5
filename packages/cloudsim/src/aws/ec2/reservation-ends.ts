/**
 * The end of capacity reservations. EC2 begins to terminate the instances of a capacity block 30 minutes before its end; those of
 * an ordinary reservation keep running, on-demand.
 */
import type { AwsContext } from '../context.ts';
import type { CapacityReservation, InstanceRecord } from '../store/records.ts';
import type { InstanceStates } from './instance-states.ts';

export function addReservation(
  { account, schedule, world }: AwsContext,
  states: InstanceStates,
  reservation: CapacityReservation & { readonly CapacityReservationId: string },
): void {
  const id = reservation.CapacityReservationId;
  account.capacityReservations.set(id, reservation);
  if (reservation.EndDate === undefined) return;
  const isBlock = reservation.ReservationType === 'capacity-block';
  const endsInMs = reservation.EndDate.getTime() - world.clock.now();
  const users = () => [...account.active()].filter(({ reservedBy }) => reservedBy === id);
  if (isBlock)
    schedule.after(endsInMs - BLOCK_ENDS_EARLY_MS, () => {
      for (const instance of users()) states.terminate(instance.id, BLOCK_ENDED);
    });
  schedule.after(endsInMs, () => {
    reservation.State = 'expired';
    reservation.AvailableInstanceCount = 0;
    for (const instance of users()) release(instance);
  });
}

// ---------------------------------------------------------------------------------------------------

const BLOCK_ENDS_EARLY_MS = 30 * 60_000;
const BLOCK_ENDED = {
  Code: 'Server.InstanceTermination',
  Message: 'Server.InstanceTermination: Capacity Block ended',
};

/** It runs on without the reservation. */
function release(instance: InstanceRecord): void {
  instance.reservedBy = undefined;
  instance.launched.CapacityReservationId = undefined;
}
