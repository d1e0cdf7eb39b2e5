/**
 * The offerings of a type: every zone of the region, on demand and spot, and every reservation of the class. All are
 * listed; those from which nothing can be launched have a reason. With a partition placement group there is one per partition.
 */
import { AwsLabel, CapacityType, KarpenterLabel, KubernetesLabel } from '../../../api/index.ts';
import type { LabelRequirement, Offering } from '../../../scheduling/index.ts';
import type { OfferingRef, UnavailableEntry } from '../../index.ts';

import type { FittedType } from '../instance-types/fitted-type.ts';
import { type BuyableCapacityType, capacityTypesOf, partitions } from '../instance-types/labels.ts';
import type { CapacityReservation, Parameters, ZoneInfo } from '../instance-types/parameters.ts';
import type { PriceReader } from '../prices/index.ts';
import { type IncompatibleReason, incompatibleReason } from './compatibility.ts';
import { blockOf, type UnavailableReader } from './unavailable.ts';

export interface AwsOffering extends Offering {
  readonly zone: string;
  readonly capacityType: 'on-demand' | 'spot' | 'reserved';
  /** Of the placement group of the class. */
  readonly partition?: string;
  readonly capacityReservation?: CapacityReservation;
  /** Why nothing can be launched from it now. */
  readonly refusal?: OfferingRefusal;
}

export type OfferingRefusal =
  /** The type cannot be launched for this node class. */
  | { readonly code: 'Incompatible'; readonly reason: IncompatibleReason }
  /** EC2 does not sell the type in this zone. */
  | { readonly code: 'NotOfferedInZone' }
  | { readonly code: 'NoSubnetInZone' }
  /** ARC has shifted the cluster away from the zone. */
  | { readonly code: 'ZoneShifted' }
  | { readonly code: 'NoPrice' }
  /** It failed recently and is not tried again yet. */
  | { readonly code: 'RecentlyFailed'; readonly entry: UnavailableEntry }
  /** The only one with which an offering is available: a place may become free. */
  | { readonly code: 'ReservationFull' }
  | { readonly code: 'ReservationExpiring' };

export interface OfferingSources {
  readonly prices: PriceReader;
  readonly unavailable: UnavailableReader;
  readonly reservations: ReservationReader;
  readonly zonalShift: ZonalShiftReader;
}

/** Free instances of capacity reservations. `sequence` grows when an answer may have changed. */
export interface ReservationReader {
  readonly sequence: number;
  /** 0 where the reservation is not known. */
  freeInstances(reservationId: string): number;
}

/** Zones that the cluster is shifted away from, by ID. `sequence` grows when an answer may have changed. */
export interface ZonalShiftReader {
  readonly sequence: number;
  isShifted(zoneId: string): boolean;
  /** IDs of all of them. */
  zones(): readonly string[];
}

/** Without the option. */
export const NO_ZONAL_SHIFT: ZonalShiftReader = {
  sequence: 0,
  isShifted: () => false,
  zones: () => [],
};

/** When to try again what is not done in a zone that is shifted away. */
export const SHIFTED_RETRY_MS = 30_000;

export interface OfferingRequest {
  readonly parameters: Parameters;
  /** Every zone of the region, by name. */
  readonly allZones: readonly string[];
  /** Those that sell a type. */
  readonly zonesOf: (instanceType: string) => ReadonlySet<string>;
  /** Whether the gate ReservedCapacity is open. */
  readonly reservedCapacity: boolean;
  readonly sources: OfferingSources;
}

/** Finds the offerings of types for one set of parameters. The previous list is returned if nothing has changed. */
export function offeringFinder(request: OfferingRequest): OfferingFinder {
  const finder = new Finder(request);
  return (fitted, before = []) => {
    const found = finder.buyable(fitted).concat(finder.reserved(fitted));
    if (before.length === 0) return found;
    const kept = found.map((offering, index) => {
      const known = before[index];
      return known !== undefined && same(known, offering) ? known : offering;
    });
    const isSame =
      kept.length === before.length && kept.every((offering, index) => offering === before[index]);
    return isSame ? before : kept;
  };
}

export type OfferingFinder = (fitted: FittedType, before?: readonly AwsOffering[]) => readonly AwsOffering[];

/** Reserved instances are paid for already: nearly free, and still in the order of their prices. */
export const RESERVED_PRICE_DIVISOR = 10_000_000;

// ---------------------------------------------------------------------------------------------------------------

const NOT_OFFERED: OfferingRefusal = { code: 'NotOfferedInZone' };
const NO_SUBNET: OfferingRefusal = { code: 'NoSubnetInZone' };
const SHIFTED: OfferingRefusal = { code: 'ZoneShifted' };
const NO_PRICE: OfferingRefusal = { code: 'NoPrice' };
const FULL: OfferingRefusal = { code: 'ReservationFull' };
const EXPIRING: OfferingRefusal = { code: 'ReservationExpiring' };

class Finder {
  readonly #request: OfferingRequest;
  readonly #places: ReadonlyMap<string, ZoneInfo>;
  readonly #labels: ReturnType<typeof labelLists>;
  /** Of a partition placement group; else one that is undefined. */
  readonly #partitions: readonly (string | undefined)[];

  constructor(request: OfferingRequest) {
    const { parameters } = request;
    const { placementGroup: group } = parameters;
    this.#request = request;
    this.#places = new Map(parameters.zones.map((place) => [place.zone, place]));
    this.#labels = labelLists(this.#places, parameters);
    const parts = group?.strategy === 'partition' ? partitions(group) : [];
    this.#partitions = parts.length === 0 ? [undefined] : parts;
  }

  /** On demand before spot, zones in order. */
  buyable({ info, name }: FittedType): readonly AwsOffering[] {
    const { sources, allZones } = this.#request;
    const placeRefusal = this.#placeRefusals(info);
    return capacityTypesOf(info).flatMap((capacityType) =>
      allZones.flatMap((zone) => {
        const price = priceOf(sources.prices, name, capacityType, zone);
        const refusal = placeRefusal(zone) ?? (price === undefined ? NO_PRICE : undefined);
        const offering = { instanceType: name, zone, capacityType };
        return this.#partitions.map((partition) =>
          offeringOf(this.#labels.buyable(zone, capacityType, partition), offering, price ?? 0, {
            partition,
            refusal: refusal ?? this.#recentFailure(offering, partition),
          }),
        );
      }),
    );
  }

  reserved({ info, name, reservations }: FittedType): readonly AwsOffering[] {
    const { sources, reservedCapacity } = this.#request;
    if (!reservedCapacity || reservations.length === 0) return [];
    const placeRefusal = this.#placeRefusals(info);
    const price = (sources.prices.onDemand(name) ?? 0) / RESERVED_PRICE_DIVISOR;
    return reservations.flatMap((reservation) => {
      const { id, zone } = reservation;
      const free = sources.reservations.freeInstances(id);
      const refusal = placeRefusal(zone) ?? (reservation.expiring ? EXPIRING : undefined);
      const offering = { instanceType: name, zone, capacityType: CapacityType.reserved };
      return this.#partitions.map((partition) => ({
        ...offeringOf(this.#labels.reserved(reservation, partition), offering, price, {
          partition,
          refusal: refusal ?? this.#recentFailure(offering, partition) ?? (free === 0 ? FULL : undefined),
        }),
        reservation: { id, capacity: free },
        capacityReservation: reservation,
      }));
    });
  }

  /** Why nothing of the type can be launched in a zone, at whatever price. */
  #placeRefusals(info: FittedType['info']): (zone: string) => OfferingRefusal | undefined {
    const { parameters, zonesOf, sources } = this.#request;
    const reason = incompatibleReason(info, parameters);
    if (reason !== undefined) {
      const incompatible: OfferingRefusal = { code: 'Incompatible', reason };
      return () => incompatible;
    }
    const sold = zonesOf(info.InstanceType);
    return (zone) => {
      if (!sold.has(zone)) return NOT_OFFERED;
      const place = this.#places.get(zone);
      if (place === undefined) return NO_SUBNET;
      return place.zoneId !== undefined && sources.zonalShift.isShifted(place.zoneId) ? SHIFTED : undefined;
    };
  }

  #recentFailure(offering: OfferingRef, partition: string | undefined): OfferingRefusal | undefined {
    const { sources, parameters } = this.#request;
    const entry = blockOf(sources.unavailable, {
      offering,
      subnetIds: this.#places.get(offering.zone)?.subnetIds ?? [],
      groupId: parameters.placementGroup?.id,
      partition,
    });
    return entry === undefined ? undefined : { code: 'RecentlyFailed', entry };
  }
}

function priceOf(prices: PriceReader, name: string, capacityType: BuyableCapacityType, zone: string) {
  const price = capacityType === CapacityType.spot ? prices.spot(name, zone) : prices.onDemand(name);
  return price ?? prices.overlay?.(name);
}

function offeringOf(
  requirements: readonly LabelRequirement[],
  { zone, capacityType }: Pick<AwsOffering, 'zone' | 'capacityType'>,
  price: number,
  { partition, refusal }: { partition: string | undefined; refusal: OfferingRefusal | undefined },
): AwsOffering {
  return {
    requirements,
    price,
    available: refusal === undefined || refusal === FULL,
    ...(refusal === FULL ? { launchable: false } : {}),
    zone,
    capacityType,
    ...(partition === undefined ? {} : { partition }),
    ...(refusal === undefined ? {} : { refusal }),
  };
}

/** The position in the list says zone, capacity type and partition, as long as the labels are the same list. */
function same(first: AwsOffering, second: AwsOffering): boolean {
  return (
    first.requirements === second.requirements &&
    first.price === second.price &&
    first.reservation?.capacity === second.reservation?.capacity &&
    sameRefusal(first.refusal, second.refusal)
  );
}

function sameRefusal(first: OfferingRefusal | undefined, second: OfferingRefusal | undefined): boolean {
  if (first === undefined || second === undefined) return first === second;
  if (first.code === 'RecentlyFailed' && second.code === 'RecentlyFailed')
    return first.entry === second.entry;
  if (first.code === 'Incompatible' && second.code === 'Incompatible') return first.reason === second.reason;
  return first.code === second.code;
}

/** A few lists of requirements serve the thousands of offerings of a region. */
function labelLists(places: ReadonlyMap<string, ZoneInfo>, { placementGroup: group }: Parameters) {
  const lists = new Map<string, readonly LabelRequirement[]>();
  const remember = (key: string, make: () => readonly LabelRequirement[]) => {
    const known = lists.get(key);
    if (known !== undefined) return known;
    const made = make();
    lists.set(key, made);
    return made;
  };
  const shared = (zone: string, capacityType: string, partition: string | undefined) => {
    const zoneId = places.get(zone)?.zoneId;
    return [
      one(KarpenterLabel.capacityType, capacityType),
      one(KubernetesLabel.zone, zone),
      ...(zoneId === undefined ? [] : [one(AwsLabel.zoneId, zoneId)]),
      ...(group === undefined ? [] : [one(AwsLabel.placementGroupId, group.id)]),
      ...(partition === undefined ? [] : [one(AwsLabel.placementGroupPartition, partition)]),
    ];
  };
  return {
    buyable: (zone: string, capacityType: string, partition: string | undefined) =>
      remember(`${capacityType} ${zone} ${partition}`, () => [
        ...shared(zone, capacityType, partition),
        ...NO_RESERVATION,
      ]),
    reserved: ({ id, zone, type, interruptible }: CapacityReservation, partition: string | undefined) =>
      remember(`${id} ${zone} ${type} ${interruptible} ${partition}`, () => [
        ...shared(zone, CapacityType.reserved, partition),
        one(AwsLabel.capacityReservationId, id),
        one(AwsLabel.capacityReservationType, type),
        one(AwsLabel.capacityReservationInterruptible, String(interruptible)),
      ]),
  };
}

const NO_RESERVATION: readonly LabelRequirement[] = [
  AwsLabel.capacityReservationId,
  AwsLabel.capacityReservationType,
  AwsLabel.capacityReservationInterruptible,
].map((key) => ({ key, operator: 'DoesNotExist' }));

function one(key: string, value: string): LabelRequirement {
  return { key, operator: 'In', values: [value] };
}
