/**
 * The capacity reservations that the selector of a node class leads to, with the number of free instances. What of it is in
 * the status, and when a capacity block begins to expire, is decided here too.
 */
import type { Clock } from '@chandler/kube';
import type { CapacityReservationSelectorTerm, EC2NodeClassStatus } from '../../../api/index.ts';
import { allPages, type Ec2Calls } from '../wire/index.ts';
import { keyOf, Lookups } from './lookups.ts';
import { ACTIVE, type Ec2Filter, namesNothing, reservationQueries } from './selector-queries.ts';

export interface Reservation {
  readonly id: string;
  readonly zone: string;
  readonly instanceType: string;
  readonly ownerId: string;
  readonly matchCriteria: 'open' | 'targeted';
  readonly type: 'default' | 'capacity-block';
  readonly interruptible: boolean;
  /** On the clock of the world; absent where it does not end. */
  readonly endMs: number | undefined;
  readonly freeInstances: number;
}

/** A reservation of a kind that did not exist when this was written, or that EC2 describes incompletely. */
export interface UnknownReservation {
  readonly id: string;
  readonly message: string;
}

export interface FoundReservations {
  /** By id. */
  readonly reservations: readonly Reservation[];
  readonly unknown: readonly UnknownReservation[];
  /** Ids of terms that EC2 does not know. */
  readonly missing: readonly string[];
}

export interface CapacityReservationsOptions {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly ec2: Pick<Ec2Calls, 'describeCapacityReservations'>;
  /** Called with every answer of EC2: the numbers of free instances are fresh then. */
  readonly onRead?: (reservations: readonly Reservation[]) => void;
}

/** Instances of a capacity block are drained so long before its end. */
export const EXPIRING_MS = 40 * 60_000;

export class CapacityReservations {
  readonly #options: CapacityReservationsOptions;
  readonly #lookups: Lookups<FoundReservations>;

  constructor(options: CapacityReservationsOptions) {
    this.#options = options;
    this.#lookups = new Lookups({ clock: options.clock, ttlMs: () => TTL_MS });
  }

  /** @throws {AwsError} */
  async list(
    terms: readonly CapacityReservationSelectorTerm[] | undefined,
    signal: AbortSignal,
  ): Promise<FoundReservations> {
    if (terms === undefined || terms.length === 0) return NONE;
    return this.#lookups.get(keyOf(terms), (shared) => this.#read(terms, shared), signal);
  }

  async #read(
    terms: readonly CapacityReservationSelectorTerm[],
    signal: AbortSignal,
  ): Promise<FoundReservations> {
    const { ids, filterSets } = reservationQueries(terms);
    const named = await this.#named(ids, signal);
    const found = [...named.found];
    for (const filters of filterSets) found.push(...(await this.#described({ filters }, signal)));
    const reservations = new Map<string, Reservation>();
    const unknown = new Map<string, UnknownReservation>();
    for (const each of found) {
      const read = readReservation(each);
      if (read === undefined) continue;
      if ('message' in read) unknown.set(read.id, read);
      else reservations.set(read.id, read);
    }
    const sorted = [...reservations.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
    this.#options.onRead?.(sorted);
    return { reservations: sorted, unknown: [...unknown.values()], missing: named.missing };
  }

  /** All at once; one by one only where EC2 refuses the list because of one of them. */
  async #named(
    ids: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly found: readonly Described[]; readonly missing: readonly string[] }> {
    if (ids.length === 0) return { found: [], missing: [] };
    try {
      return { found: await this.#described({ ids }, signal), missing: [] };
    } catch (thrown) {
      signal.throwIfAborted();
      if (!namesNothing(thrown)) throw thrown;
    }
    if (ids.length === 1) return { found: [], missing: ids };
    const answers = [];
    for (const id of ids) answers.push(await this.#named([id], signal));
    return {
      found: answers.flatMap(({ found }) => found),
      missing: answers.flatMap(({ missing }) => missing),
    };
  }

  #described(
    query: { readonly ids: readonly string[] } | { readonly filters: Ec2Filter[] },
    signal: AbortSignal,
  ): Promise<Described[]> {
    // EC2 gives no pages for ids.
    const input =
      'ids' in query
        ? { CapacityReservationIds: [...query.ids], Filters: [ACTIVE] }
        : { Filters: query.filters, MaxResults: PAGE };
    const { describeCapacityReservations } = this.#options.ec2;
    return allPages(describeCapacityReservations, input, ({ CapacityReservations: all }) => all, { signal });
  }
}

/** As `status.capacityReservations` lists them. */
export function reservationsStatus(
  reservations: readonly Reservation[],
  nowMs: number,
): NonNullable<EC2NodeClassStatus['capacityReservations']> {
  return reservations.map((each) => ({
    id: each.id,
    availabilityZone: each.zone,
    instanceType: each.instanceType,
    instanceMatchCriteria: each.matchCriteria,
    ownerID: each.ownerId,
    ...(each.endMs === undefined ? {} : { endTime: timestamp(each.endMs) }),
    reservationType: each.type,
    interruptible: each.interruptible,
    state: isExpiring(each, nowMs) ? ('expiring' as const) : ('active' as const),
  }));
}

/** Only a capacity block takes its instances with it. */
export function isExpiring({ type, endMs }: Pick<Reservation, 'type' | 'endMs'>, nowMs: number): boolean {
  return type === 'capacity-block' && endMs !== undefined && nowMs >= endMs - EXPIRING_MS;
}

/** When something in the status changes by time alone: a block begins to expire, or a reservation ends. */
export function nextChangeMs(reservations: readonly Reservation[], nowMs: number): number | undefined {
  const times = reservations
    .flatMap(({ type, endMs }) =>
      endMs === undefined ? [] : type === 'capacity-block' ? [endMs - EXPIRING_MS, endMs] : [endMs],
    )
    .filter((ms) => ms > nowMs);
  return times.length === 0 ? undefined : Math.min(...times);
}

// ---------------------------------------------------------------------------------------------------

const TTL_MS = 60_000;
const PAGE = 1000;
const NONE: FoundReservations = { reservations: [], unknown: [], missing: [] };

interface Described {
  readonly CapacityReservationId?: string | undefined;
  readonly AvailabilityZone?: string | undefined;
  readonly InstanceType?: string | undefined;
  readonly OwnerId?: string | undefined;
  readonly InstanceMatchCriteria?: string | undefined;
  readonly ReservationType?: string | undefined;
  readonly Interruptible?: boolean | undefined;
  readonly EndDate?: Date | undefined;
  readonly AvailableInstanceCount?: number | undefined;
}

function readReservation(described: Described): Reservation | UnknownReservation | undefined {
  const { CapacityReservationId: id, AvailabilityZone: zone, InstanceType: instanceType } = described;
  if (id === undefined) return undefined;
  const { InstanceMatchCriteria: criteria, ReservationType: type = 'default', OwnerId: ownerId } = described;
  if (zone === undefined || instanceType === undefined || ownerId === undefined)
    return { id, message: 'EC2 does not say its zone, its instance type or its owner' };
  if (criteria !== 'open' && criteria !== 'targeted')
    return { id, message: `its instance match criteria "${criteria ?? ''}" is not known here` };
  if (type !== 'default' && type !== 'capacity-block')
    return { id, message: `its type "${type}" is not known here` };
  return {
    id,
    zone,
    instanceType,
    ownerId,
    matchCriteria: criteria,
    type,
    interruptible: described.Interruptible === true,
    endMs: described.EndDate?.getTime(),
    freeInstances: described.AvailableInstanceCount ?? 0,
  };
}

/** Without fractions of a second, as Kubernetes writes times. */
function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}
