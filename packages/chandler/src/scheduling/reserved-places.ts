/** Places in reservations that are free, or that somebody counts on who is not launched yet. */
import type { InstanceType, SchedulingInput } from './model.ts';

/** Free places that come and go, by the id of the reservation. */
export type PlaceChanges = ReadonlyMap<string, number>;

/** Lists of types without such a reservation stay the same object, since planners know lists by identity. */
export function withPlaces<I extends Pick<SchedulingInput, 'pools' | 'catalogues'>>(
  input: I,
  changes: PlaceChanges,
): I {
  if (changes.size === 0) return input;
  const { pools, catalogues } = input;
  return {
    ...input,
    pools: pools.map((pool) =>
      typeof pool.instanceTypes === 'string' || pool.instanceTypes === undefined
        ? pool
        : { ...pool, instanceTypes: changed(pool.instanceTypes, changes) },
    ),
    ...(catalogues === undefined
      ? {}
      : {
          catalogues: Object.fromEntries(
            Object.entries(catalogues).map(([name, types]) => [name, changed(types, changes)]),
          ),
        }),
  };
}

// ---------------------------------------------------------------------------------------------------

function changed(types: readonly InstanceType[], changes: PlaceChanges): readonly InstanceType[] {
  const next = types.map((type) => changedType(type, changes));
  return next.some((type, at) => type !== types[at]) ? next : types;
}

function changedType(type: InstanceType, changes: PlaceChanges): InstanceType {
  const offerings = type.offerings.map((offering) => {
    const { reservation } = offering;
    const change = reservation === undefined ? undefined : changes.get(reservation.id);
    if (reservation === undefined || change === undefined) return offering;
    const { launchable, ...rest } = offering;
    const capacity = Math.max(0, reservation.capacity + change);
    // Whether it can be launched is known for the places that it had.
    return {
      ...rest,
      ...(change < 0 && launchable !== undefined ? { launchable: launchable && capacity > 0 } : {}),
      reservation: { ...reservation, capacity },
    };
  });
  return offerings.some((offering, at) => offering !== type.offerings[at]) ? { ...type, offerings } : type;
}
