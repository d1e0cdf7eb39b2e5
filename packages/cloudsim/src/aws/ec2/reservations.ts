/**
 * Capacity reservations and blocks at a launch: which one an instance takes, and when a launch that must have one is refused.
 */
import type { AwsContext } from '../context.ts';
import type { CapacityReservation } from '../store/records.ts';
import { type AwsError, ec2Error, invalidParameter } from '../wire/errors.ts';
import type { LaunchPlan } from './launch-plan.ts';

/** Undefined: the launch takes none. */
export function reservationFor(context: AwsContext, plan: LaunchPlan): CapacityReservation | undefined {
  const { CapacityReservationPreference: preference = 'open', CapacityReservationTarget: target } =
    plan.data.CapacityReservationSpecification ?? {};
  const isBlock = plan.data.InstanceMarketOptions?.MarketType === 'capacity-block';
  const id = target?.CapacityReservationId;
  if (isBlock && id === undefined)
    throw invalidParameter('A launch into a Capacity Block must target its capacity reservation.');
  if (id !== undefined) return targeted(context, plan, id, isBlock);
  if (preference === 'none' || plan.spot) return undefined;
  const open = [...context.account.capacityReservations.values()].find(
    (each) =>
      each.InstanceMatchCriteria === 'open' &&
      each.ReservationType !== 'capacity-block' &&
      fits(each, plan) &&
      (each.AvailableInstanceCount ?? 0) > 0 &&
      isActive(context, each),
  );
  if (open === undefined && preference === 'capacity-reservations-only') throw exceeded();
  return open;
}

export function isActive({ world }: Pick<AwsContext, 'world'>, reservation: CapacityReservation): boolean {
  const nowMs = world.clock.now();
  const { StartDate, EndDate, State } = reservation;
  return (
    State === 'active' &&
    (StartDate === undefined || StartDate.getTime() <= nowMs) &&
    (EndDate === undefined || EndDate.getTime() > nowMs)
  );
}

// ---------------------------------------------------------------------------------------------------

function targeted(context: AwsContext, plan: LaunchPlan, id: string, isBlock: boolean): CapacityReservation {
  const reservation = context.account.capacityReservations.get(id);
  if (reservation === undefined)
    throw ec2Error(
      'InvalidCapacityReservationId.NotFound',
      `The capacity reservation '${id}' could not be found`,
    );
  if ((reservation.ReservationType === 'capacity-block') !== isBlock)
    throw invalidParameter(`The market type of the launch does not match the capacity reservation '${id}'.`);
  if (!fits(reservation, plan))
    throw invalidParameter(
      `The attributes of the instance do not match the capacity reservation '${id}': instance type ${reservation.InstanceType}, ` +
        `zone ${reservation.AvailabilityZone}, platform ${reservation.InstancePlatform}, tenancy ${reservation.Tenancy}.`,
    );
  if (!isActive(context, reservation) || (reservation.AvailableInstanceCount ?? 0) <= 0) throw exceeded();
  return reservation;
}

function fits(reservation: CapacityReservation, { type, subnet, image, data }: LaunchPlan): boolean {
  const platform = image.PlatformDetails === 'Windows' ? 'Windows' : 'Linux/UNIX';
  return (
    reservation.InstanceType === type.name &&
    reservation.AvailabilityZone === subnet.zone &&
    (reservation.InstancePlatform ?? platform) === platform &&
    (reservation.Tenancy ?? 'default') === (data.Placement?.Tenancy ?? 'default')
  );
}

function exceeded(): AwsError {
  return ec2Error(
    'ReservationCapacityExceeded',
    'The requested reservation does not have sufficient compatible and available capacity for this request.',
  );
}
