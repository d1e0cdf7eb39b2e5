/**
 * What could not be launched recently, in the terms of AWS: an offering, a subnet without free addresses, an offering or a
 * whole zone of a placement group. It is kept in the shared cache of unavailable offerings, under names that no instance
 * type and no zone has; so one place knows all times. How long a failure counts, the error table says.
 */
import type { OfferingRef, UnavailableEntry } from '../../index.ts';

/** The part of `UnavailableOfferings` that is read. */
export interface UnavailableReader {
  readonly sequence: number;
  why(offering: OfferingRef): UnavailableEntry | undefined;
}

/** A launch of the type in the group failed; outside of the group it may still succeed. */
export function inPlacementGroup(offering: OfferingRef, groupId: string, partition?: string): OfferingRef {
  const { instanceType, zone, capacityType } = offering;
  const group = partition === undefined ? groupId : `${groupId}/${partition}`;
  return { instanceType, zone: `${zone} in ${group}`, capacityType };
}

/** No type can be launched in the group in this zone, as when a spread group has its seven instances there. */
export function wholePlacementGroup(zone: string, groupId: string, capacityType: string): OfferingRef {
  return { instanceType: 'every type', zone: `${zone} in ${groupId}`, capacityType };
}

/** The subnet has no free addresses. */
export function subnetRef(subnetId: string): OfferingRef {
  return { instanceType: subnetId, zone: 'subnet', capacityType: 'addresses' };
}

export interface PlaceOfOffering {
  readonly offering: OfferingRef;
  readonly subnetIds: readonly string[];
  readonly groupId?: string | undefined;
  readonly partition?: string | undefined;
}

/** The entry that blocks an offering. A zone has no addresses only when none of its subnets has. */
export function blockOf(
  unavailable: UnavailableReader,
  { offering, subnetIds, groupId, partition }: PlaceOfOffering,
): UnavailableEntry | undefined {
  const own = unavailable.why(offering);
  if (own !== undefined) return own;
  if (groupId !== undefined) {
    const { zone, capacityType } = offering;
    const inGroup =
      unavailable.why(inPlacementGroup(offering, groupId)) ??
      unavailable.why(wholePlacementGroup(zone, groupId, capacityType)) ??
      (partition === undefined ? undefined : unavailable.why(inPlacementGroup(offering, groupId, partition)));
    if (inGroup !== undefined) return inGroup;
  }
  let last: UnavailableEntry | undefined;
  for (const subnetId of subnetIds) {
    last = unavailable.why(subnetRef(subnetId));
    if (last === undefined) return undefined;
  }
  return last;
}
