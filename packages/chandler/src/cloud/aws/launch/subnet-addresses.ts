/**
 * Which subnet of a zone has the most free addresses, with launches in flight counted in. DescribeSubnets is minutes old
 * when many nodes are launched at once; so a launch takes addresses here before it is requested, and gives back those of
 * the subnets that the fleet did not choose. The time is an argument: nothing happens by itself.
 */
import { parseQuantity } from '@chandler/kube';

import type { CapacityTypeName, LaunchType } from './launch-types.ts';

/** A subnet of the status of an EC2NodeClass. */
export interface LaunchSubnet {
  readonly id: string;
  readonly zone: string;
  readonly zoneID?: string;
}

/** A subnet as DescribeSubnets returns it. */
export interface ObservedSubnet {
  readonly SubnetId?: string | undefined;
  readonly AvailableIpAddressCount?: number | undefined;
}

/** What one launch holds until its outcome is known. */
export interface AddressHold {
  /** One subnet for each zone. */
  readonly subnets: ReadonlyMap<string, LaunchSubnet>;
  /** Addresses by subnet. */
  readonly taken: ReadonlyMap<string, number>;
  readonly atMs: number;
}

/** How long a count of DescribeSubnets is used. */
export const ADDRESS_COUNT_TTL_MS = 5 * 60_000;

export class SubnetAddresses {
  readonly #ttlMs: number;
  readonly #known = new Map<string, Known>();
  /** In the order of their times. */
  readonly #open = new Set<AddressHold>();
  /** The sum of the open holds, by subnet. */
  readonly #held = new Map<string, number>();

  constructor({ ttlMs = ADDRESS_COUNT_TTL_MS }: { readonly ttlMs?: number } = {}) {
    this.#ttlMs = ttlMs;
  }

  /** An answer of DescribeSubnets. It contains what was launched before it, but not what is requested right now. */
  observe(subnets: readonly ObservedSubnet[], nowMs: number): void {
    for (const { SubnetId, AvailableIpAddressCount } of subnets) {
      if (SubnetId === undefined) continue;
      this.#known.set(SubnetId, { count: Math.max(0, AvailableIpAddressCount ?? 0), used: 0, atMs: nowMs });
    }
  }

  /** The fleet found no free address in it: until the next observation it comes last. */
  exhaust(subnetId: string, nowMs: number): void {
    this.#known.set(subnetId, { count: 0, used: 0, atMs: nowMs });
  }

  /** Free addresses, as far as they are known. Never negative: more may be in flight than there are. */
  free(subnetId: string, nowMs: number): number {
    return Math.max(0, this.#balance(subnetId, nowMs));
  }

  /**
   * Chooses a subnet for each zone, of two that are equal the first in the list, and holds addresses in it.
   * @param addressesIn how many addresses a node in the zone is expected to take.
   */
  hold(subnets: readonly LaunchSubnet[], addressesIn: (zone: string) => number, nowMs: number): AddressHold {
    this.#dropOld(nowMs);
    const best = new Map<string, LaunchSubnet>();
    for (const subnet of subnets) {
      const rival = best.get(subnet.zone);
      if (rival === undefined || this.#balance(subnet.id, nowMs) > this.#balance(rival.id, nowMs))
        best.set(subnet.zone, subnet);
    }
    const taken = new Map([...best.values()].map(({ id, zone }) => [id, Math.max(0, addressesIn(zone))]));
    const hold: AddressHold = { subnets: best, taken, atMs: nowMs };
    this.#open.add(hold);
    for (const [id, amount] of taken) this.#held.set(id, (this.#held.get(id) ?? 0) + amount);
    return hold;
  }

  /** Ends a hold: the subnet of the instance keeps its addresses, the others get theirs back. Harmless to repeat. */
  settle(hold: AddressHold, usedSubnetId: string | undefined): void {
    if (!this.#release(hold) || usedSubnetId === undefined) return;
    const known = this.#known.get(usedSubnetId);
    const used = hold.taken.get(usedSubnetId) ?? 0;
    if (known !== undefined) this.#known.set(usedSubnetId, { ...known, used: known.used + used });
  }

  /** Below zero when more is in flight than there is; so that the fullest subnet still comes last. */
  #balance(subnetId: string, nowMs: number): number {
    const known = this.#known.get(subnetId);
    const fresh = known !== undefined && nowMs - known.atMs < this.#ttlMs ? known : NOTHING_KNOWN;
    return fresh.count - fresh.used - (this.#held.get(subnetId) ?? 0);
  }

  /** @returns whether it was open. */
  #release(hold: AddressHold): boolean {
    if (!this.#open.delete(hold)) return false;
    for (const [id, amount] of hold.taken) {
      const rest = (this.#held.get(id) ?? 0) - amount;
      if (rest > 0) this.#held.set(id, rest);
      else this.#held.delete(id);
    }
    return true;
  }

  /** A launch whose outcome nobody reported: by now its addresses are in the counts. */
  #dropOld(nowMs: number): void {
    for (const hold of this.#open) {
      if (nowMs - hold.atMs < this.#ttlMs) return;
      this.#release(hold);
    }
  }
}

/** The pods of the smallest type that may be launched in the zone: at least so many addresses are taken. */
export function addressesPerZone(
  types: readonly LaunchType[],
  capacityType: CapacityTypeName,
): (zone: string) => number {
  const fewest = new Map<string, number>();
  for (const { capacity, offerings } of types) {
    const pods = parseQuantity(capacity['pods'] ?? 0).toNumber();
    for (const offering of offerings) {
      if (offering.capacityType !== capacityType) continue;
      fewest.set(offering.zone, Math.min(pods, fewest.get(offering.zone) ?? pods));
    }
  }
  return (zone) => fewest.get(zone) ?? 0;
}

// ---------------------------------------------------------------------------------------------------------------

interface Known {
  readonly count: number;
  /** By launches that succeeded since. */
  readonly used: number;
  readonly atMs: number;
}

/** Usable, but after all that are known to have addresses. */
const NOTHING_KNOWN: Known = { count: 0, used: 0, atMs: 0 };
