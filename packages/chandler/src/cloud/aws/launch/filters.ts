/**
 * The filters that instance types pass before a launch, in the order of Karpenter. Each returns the types that remain,
 * with the offerings that remain; those that only state a preference return all when nothing else would be left.
 */
import { parseQuantity, type Quantity } from '@chandler/kube';
import { AwsLabel, CapacityType, KarpenterLabel, type ResourceList } from '../../../api/index.ts';
import { byCodeUnit } from '../../../scheduling/index.ts';

import type { ClaimRequirements } from './claim-requirements.ts';
import {
  isLaunchable,
  type LaunchOffering,
  type LaunchType,
  lowestPrice,
  type ReservationKind,
  withOfferings,
} from './launch-types.ts';

export interface FilterInput {
  readonly claim: ClaimRequirements;
  /** What the claim asks for in sum. */
  readonly requests: ResourceList;
}

export interface LaunchFilter {
  readonly name: string;
  keep<T extends LaunchType>(types: readonly T[], input: FilterInput): readonly T[];
}

export const LAUNCH_FILTERS: readonly LaunchFilter[] = [
  { name: 'compatible-available', keep: compatibleAvailable },
  { name: 'capacity-reservation-type', keep: oneReservationKind },
  { name: 'capacity-block', keep: oneCapacityBlock },
  { name: 'reserved-offering', keep: oneReservationPerZone },
  { name: 'exotic-instance', keep: withoutExotic },
  { name: 'spot-offering', keep: withoutExpensiveSpot },
];

/** Of the offerings of a reserved launch, which the filters have made one kind. */
export function reservationKindOf(types: readonly LaunchType[]): ReservationKind | undefined {
  for (const { offerings } of types) {
    for (const { capacityReservation: reservation } of offerings) {
      if (reservation !== undefined) return kindOf(reservation);
    }
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------------------

/** Offerings that the claim allows, that can be launched now, and on which its requests fit. */
function compatibleAvailable<T extends LaunchType>(
  types: readonly T[],
  { claim, requests }: FilterInput,
): readonly T[] {
  const fits = fitTest(requests);
  return types.flatMap((type) => {
    if (!claim.allows(type.requirements)) return [];
    const offerings = type.offerings.filter(
      (offering) => isLaunchable(offering) && claim.allows(offering.requirements) && fits(type, offering),
    );
    return offerings.length === 0 ? [] : [withOfferings(type, offerings)];
  });
}

/** A fleet has one market type: of the kinds of reservations the cheapest remains, and other capacity types do not. */
function oneReservationKind<T extends LaunchType>(types: readonly T[]): readonly T[] {
  const found = RESERVATION_KINDS.map((kind) => ({ kind, price: priceOfKind(types, kind) }));
  const best = found.reduce((first, second) => (second.price < first.price ? second : first));
  if (best.price === Number.POSITIVE_INFINITY) return types;
  return keepOfferings(types, ({ capacityReservation }) => isKind(capacityReservation, best.kind));
}

/** A fleet launches into one capacity block. */
function oneCapacityBlock<T extends LaunchType>(types: readonly T[]): readonly T[] {
  if (reservationKindOf(types)?.type !== 'capacity-block') return types;
  const all = types.flatMap((type) => type.offerings.map((offering) => ({ type, offering })));
  const [best] = all.sort(
    (first, second) =>
      first.offering.price - second.offering.price ||
      byCodeUnit(first.type.name, second.type.name) ||
      byCodeUnit(reservationId(first.offering), reservationId(second.offering)),
  );
  return best === undefined ? types : [withOfferings(best.type, [best.offering])];
}

/** A fleet takes one reservation of a type and zone: the one with the most free instances. */
function oneReservationPerZone<T extends LaunchType>(types: readonly T[]): readonly T[] {
  if (reservationKindOf(types) === undefined) return types;
  return types.map((type) => {
    const byZone = new Map<string, LaunchOffering>();
    for (const offering of type.offerings) {
      const key = `${offering.zone} ${offering.partition ?? ''}`;
      const best = byZone.get(key);
      if (best === undefined || isFreer(offering, best)) byZone.set(key, offering);
    }
    return withOfferings(type, [...byZone.values()]);
  });
}

/** Bare metal and accelerators only for claims that leave nothing else. */
function withoutExotic<T extends LaunchType>(types: readonly T[], { claim }: FilterInput): readonly T[] {
  if (claim.minValues.size > 0) return types;
  const generic = types.filter((type) => !isExotic(type));
  return generic.length === 0 ? types : generic;
}

/** Where both are allowed, no spot capacity that costs more than the cheapest on-demand instance. */
function withoutExpensiveSpot<T extends LaunchType>(
  types: readonly T[],
  { claim }: FilterInput,
): readonly T[] {
  const both = [CapacityType.onDemand, CapacityType.spot].every((value) =>
    claim.allowsValue(KarpenterLabel.capacityType, value),
  );
  if (claim.minValues.size > 0 || !both) return types;
  const onDemand = keepOfferings(types, ({ capacityType }) => capacityType === CapacityType.onDemand);
  const limit = Math.min(...onDemand.map(lowestPrice));
  if (limit === Number.POSITIVE_INFINITY) return types;
  return keepOfferings(
    types,
    ({ capacityType, price }) => capacityType !== CapacityType.spot || price <= limit,
  );
}

/** In the order that decides between equal prices. Capacity blocks are never interruptible. */
const RESERVATION_KINDS: readonly ReservationKind[] = [
  { type: 'default', interruptible: false },
  { type: 'capacity-block', interruptible: false },
  { type: 'default', interruptible: true },
];

function kindOf({ type, interruptible }: ReservationKind): ReservationKind {
  return { type, interruptible: type === 'default' && interruptible };
}

function isKind(reservation: ReservationKind | undefined, kind: ReservationKind): boolean {
  if (reservation === undefined) return false;
  const own = kindOf(reservation);
  return own.type === kind.type && own.interruptible === kind.interruptible;
}

function priceOfKind(types: readonly LaunchType[], kind: ReservationKind): number {
  const own = keepOfferings(types, ({ capacityReservation }) => isKind(capacityReservation, kind));
  return Math.min(Number.POSITIVE_INFINITY, ...own.map(lowestPrice));
}

function isFreer(offering: LaunchOffering, than: LaunchOffering): boolean {
  const more = (offering.reservation?.capacity ?? 0) - (than.reservation?.capacity ?? 0);
  return more > 0 || (more === 0 && reservationId(offering) < reservationId(than));
}

function reservationId({ capacityReservation, zone }: LaunchOffering): string {
  return capacityReservation?.id ?? zone;
}

function keepOfferings<T extends LaunchType>(
  types: readonly T[],
  keep: (offering: LaunchOffering) => boolean,
): readonly T[] {
  return types.flatMap((type) => {
    const offerings = type.offerings.filter(keep);
    return offerings.length === 0 ? [] : [withOfferings(type, offerings)];
  });
}

const EXOTIC_RESOURCES: readonly string[] = [
  'aws.amazon.com/neuron',
  'aws.amazon.com/neuroncore',
  'amd.com/gpu',
  'nvidia.com/gpu',
  'habana.ai/gaudi',
];

function isExotic({ requirements, capacity }: LaunchType): boolean {
  const sizes = requirements.find(({ key }) => key === AwsLabel.size)?.values ?? [];
  if (sizes.some((size) => size.includes('metal'))) return true;
  return EXOTIC_RESOURCES.some((name) => {
    const amount = capacity[name];
    // Nearly all types have none.
    return amount !== undefined && amount !== '0' && !parseQuantity(amount).isZero();
  });
}

/** What pods can use of a resource: the same for every launch, so it is computed once for a type. */
const ALLOCATABLE = new WeakMap<LaunchType, Map<string, Quantity>>();

function allocatable(type: LaunchType, name: string): Quantity {
  const known = ALLOCATABLE.get(type) ?? new Map<string, Quantity>();
  ALLOCATABLE.set(type, known);
  const amount = known.get(name) ?? unreserved(type, name);
  known.set(name, amount);
  return amount;
}

function unreserved(
  { capacity, overhead }: Pick<LaunchType, 'capacity' | 'overhead'>,
  name: string,
): Quantity {
  const reserved = [overhead?.kubeReserved, overhead?.systemReserved, overhead?.evictionThreshold];
  return reserved.reduce(
    (rest, part) => (part?.[name] === undefined ? rest : rest.sub(parseQuantity(part[name]))),
    parseQuantity(capacity[name] ?? 0),
  );
}

/** Overlays may change what one offering of a type has to give. */
function fitTest(requests: ResourceList): (type: LaunchType, offering: LaunchOffering) => boolean {
  const wanted = Object.entries(requests)
    .map(([name, amount]) => ({ name, amount: parseQuantity(amount) }))
    .filter(({ amount }) => !amount.isZero());
  const fits = (offered: (name: string) => Quantity) =>
    wanted.every(({ name, amount }) => amount.compare(offered(name)) <= 0);
  const answers = new Map<LaunchType, boolean>();
  return (type, { capacityOverride, overheadOverride }) => {
    if (capacityOverride !== undefined || overheadOverride !== undefined) {
      const capacity = { ...type.capacity, ...capacityOverride };
      return fits((name) =>
        unreserved({ ...type, capacity, ...(overheadOverride && { overhead: overheadOverride }) }, name),
      );
    }
    const known = answers.get(type) ?? fits((name) => allocatable(type, name));
    answers.set(type, known);
    return known;
  };
}
