/** Places in reservations that become free, or that somebody counts on who is not launched yet. */
import type { InstanceType, SchedulingInput } from './model.ts';

/** Free places that come and go, by the id of the reservation. */
export type PlaceChanges = ReadonlyMap<string, number>;

type Catalogued = Pick<SchedulingInput, 'pools' | 'catalogues'>;

export function withPlaces<I extends Catalogued>(input: I, changes: PlaceChanges): I {
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

/**
 * Without the places of claims that will be launched. A claim names every reservation that suits it, and uses one place: it
 * is taken from the reservation that has most of them.
 * @param claims the reservations that each of them names.
 */
export function withoutPlacesOf<I extends Catalogued>(input: I, claims: readonly (readonly string[])[]): I {
  const named = claims.filter((ids) => ids.length > 0);
  if (named.length === 0) return input;
  const left = freePlaces(input);
  const taken = new Map<string, number>();
  for (const ids of named) {
    const [freest] = ids
      .filter((id) => left.has(id))
      .sort((one, other) => left.get(other)! - left.get(one)! || (one < other ? -1 : 1));
    if (freest === undefined) continue;
    left.set(freest, left.get(freest)! - 1);
    taken.set(freest, (taken.get(freest) ?? 0) - 1);
  }
  return withPlaces(input, taken);
}

// ---------------------------------------------------------------------------------------------------

/** Where a reservation is listed several times, the smallest number counts. */
function freePlaces({ pools, catalogues = {} }: Catalogued): Map<string, number> {
  const left = new Map<string, number>();
  const lists = new Set([
    ...Object.values(catalogues),
    ...pools.flatMap(({ instanceTypes }) => (typeof instanceTypes === 'string' ? [] : [instanceTypes ?? []])),
  ]);
  for (const list of lists)
    for (const { offerings } of list)
      for (const { reservation } of offerings)
        if (reservation !== undefined)
          left.set(
            reservation.id,
            Math.min(left.get(reservation.id) ?? Number.POSITIVE_INFINITY, reservation.capacity),
          );
  return left;
}

/** Planners know lists of types by identity: the same change of the same list is the same list. */
const lastChanges = new WeakMap<
  readonly InstanceType[],
  { readonly key: string; readonly types: readonly InstanceType[] }
>();

/** A list without such a reservation stays the same. */
function changed(types: readonly InstanceType[], changes: PlaceChanges): readonly InstanceType[] {
  const key = JSON.stringify([...changes].sort(([one], [other]) => (one < other ? -1 : 1)));
  const last = lastChanges.get(types);
  if (last?.key === key) return last.types;
  const next = types.map((type) => changedType(type, changes));
  const result = next.some((type, at) => type !== types[at]) ? next : types;
  lastChanges.set(types, { key, types: result });
  return result;
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
