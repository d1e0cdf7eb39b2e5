import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { aType, offering, ZONE_A, ZONE_B } from './launch.fixture.ts';
import {
  ADDRESS_COUNT_TTL_MS,
  type AddressHold,
  addressesPerZone,
  type LaunchSubnet,
  SubnetAddresses,
} from './subnet-addresses.ts';

const A1 = { id: 'subnet-a1', zone: ZONE_A };
const A2 = { id: 'subnet-a2', zone: ZONE_A };
const B1 = { id: 'subnet-b1', zone: ZONE_B };
const ALL = [A1, A2, B1];
const seen = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts).map(([SubnetId, AvailableIpAddressCount]) => ({
    SubnetId,
    AvailableIpAddressCount,
  }));
const chosen = ({ subnets }: AddressHold) => [...subnets.values()].map(({ id }) => id);
const ten = () => 10;

describe('the subnet of a zone', () => {
  test('is the one with the most free addresses, the first of two that are equal', () => {
    const addresses = new SubnetAddresses();
    addresses.observe(seen({ [A1.id]: 5, [A2.id]: 50, [B1.id]: 7 }), 0);
    expect(chosen(addresses.hold(ALL, ten, 1))).toEqual([A2.id, B1.id]);
    const equal = new SubnetAddresses();
    equal.observe(seen({ [A1.id]: 5, [A2.id]: 5 }), 0);
    expect(chosen(equal.hold([A2, A1], ten, 1))).toEqual([A2.id]);
  });

  test('changes while launches are in flight', () => {
    const addresses = new SubnetAddresses();
    addresses.observe(seen({ [A1.id]: 100, [A2.id]: 95 }), 0);
    const picks = Array.from({ length: 4 }, () => chosen(addresses.hold([A1, A2], ten, 1))[0]);
    expect(picks).toEqual([A1.id, A2.id, A1.id, A2.id]);
    expect(addresses.free(A1.id, 1)).toBe(80);
    expect(addresses.free(A2.id, 1)).toBe(75);
  });

  test('gets back what the fleet did not use, and keeps what it used', () => {
    const addresses = new SubnetAddresses();
    addresses.observe(seen({ [A1.id]: 100, [B1.id]: 100 }), 0);
    const hold = addresses.hold([A1, B1], ten, 1);
    addresses.settle(hold, A1.id);
    addresses.settle(hold, A1.id);
    expect([addresses.free(A1.id, 1), addresses.free(B1.id, 1)]).toEqual([90, 100]);
    const failed = addresses.hold([A1, B1], ten, 1);
    addresses.settle(failed, undefined);
    expect([addresses.free(A1.id, 1), addresses.free(B1.id, 1)]).toEqual([90, 100]);
  });

  test('has the addresses of a new observation, without those of requests in flight', () => {
    const addresses = new SubnetAddresses();
    addresses.observe(seen({ [A1.id]: 100 }), 0);
    const done = addresses.hold([A1], ten, 1);
    const open = addresses.hold([A1], ten, 1);
    addresses.settle(done, A1.id);
    addresses.observe(seen({ [A1.id]: 60 }), 2);
    expect(addresses.free(A1.id, 2)).toBe(50);
    addresses.settle(open, undefined);
    expect(addresses.free(A1.id, 2)).toBe(60);
  });

  test('comes last when EC2 found no address in it, until it is observed again', () => {
    const addresses = new SubnetAddresses();
    addresses.observe(seen({ [A1.id]: 100, [A2.id]: 1 }), 0);
    addresses.exhaust(A1.id, 1);
    expect(chosen(addresses.hold([A1, A2], () => 0, 2))).toEqual([A2.id]);
    addresses.observe(seen({ [A1.id]: 100 }), 3);
    expect(chosen(addresses.hold([A1, A2], () => 0, 4))).toEqual([A1.id]);
  });

  test('is chosen even when nothing is known of it, or no longer', () => {
    const addresses = new SubnetAddresses();
    expect(chosen(addresses.hold([A1], ten, 0))).toEqual([A1.id]);
    addresses.observe(seen({ [A2.id]: 5, [B1.id]: 5 }), 0);
    expect(addresses.free(B1.id, ADDRESS_COUNT_TTL_MS - 1)).toBe(5);
    expect(addresses.free(B1.id, ADDRESS_COUNT_TTL_MS)).toBe(0);
  });

  test('gets back what a launch holds of which nobody hears again', () => {
    const addresses = new SubnetAddresses();
    const lost = addresses.hold([A1], ten, 0);
    addresses.observe(seen({ [A1.id]: 100 }), ADDRESS_COUNT_TTL_MS);
    expect(addresses.free(A1.id, ADDRESS_COUNT_TTL_MS)).toBe(90);
    addresses.hold([A1], ten, ADDRESS_COUNT_TTL_MS);
    expect(addresses.free(A1.id, ADDRESS_COUNT_TTL_MS)).toBe(90);
    addresses.settle(lost, A1.id);
    expect(addresses.free(A1.id, ADDRESS_COUNT_TTL_MS)).toBe(90);
  });

  test('is expected to give as many addresses as the smallest type takes', () => {
    const types = [
      aType('m5.large', { offerings: [offering('spot', ZONE_A, 1), offering('on-demand', ZONE_B, 1)] }),
      aType('t3.medium', {
        capacity: { pods: '17' },
        offerings: [offering('spot', ZONE_A, 1), offering('spot', ZONE_B, 1)],
      }),
    ];
    const spot = addressesPerZone(types, 'spot');
    expect([spot(ZONE_A), spot(ZONE_B), spot('us-west-2c')]).toEqual([17, 17, 0]);
    expect(addressesPerZone(types, 'on-demand')(ZONE_B)).toBe(29);
  });
});

describe('whatever happens in whatever order', () => {
  type Step =
    | { readonly do: 'observe'; readonly subnet: number; readonly count: number }
    | { readonly do: 'exhaust'; readonly subnet: number }
    | { readonly do: 'hold'; readonly amount: number }
    | { readonly do: 'settle'; readonly hold: number; readonly subnet: number };
  const subnet = fc.integer({ min: 0, max: 2 });
  const step: fc.Arbitrary<Step> = fc.oneof(
    fc.record({ do: fc.constant('observe' as const), subnet, count: fc.integer({ min: -5, max: 40 }) }),
    fc.record({ do: fc.constant('exhaust' as const), subnet }),
    fc.record({ do: fc.constant('hold' as const), amount: fc.integer({ min: -3, max: 30 }) }),
    fc.record({
      do: fc.constant('settle' as const),
      hold: fc.nat({ max: 9 }),
      subnet: fc.integer({ min: -1, max: 2 }),
    }),
  );

  function run(steps: readonly Step[]): { addresses: SubnetAddresses; holds: AddressHold[]; nowMs: number } {
    const addresses = new SubnetAddresses();
    const holds: AddressHold[] = [];
    let nowMs = 0;
    const id = (index: number) => ALL[index]!.id;
    for (const each of steps) {
      nowMs += 1;
      if (each.do === 'observe') addresses.observe(seen({ [id(each.subnet)]: each.count }), nowMs);
      if (each.do === 'exhaust') addresses.exhaust(id(each.subnet), nowMs);
      if (each.do === 'hold') holds.push(addresses.hold(ALL, () => each.amount, nowMs));
      const hold = each.do === 'settle' ? holds[each.hold] : undefined;
      if (each.do === 'settle' && hold !== undefined)
        addresses.settle(hold, each.subnet < 0 ? undefined : id(each.subnet));
    }
    return { addresses, holds, nowMs };
  }

  test('no count is negative, and every zone gets a subnet', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const { addresses, nowMs } = run(steps);
        for (const { id } of ALL) expect(addresses.free(id, nowMs)).toBeGreaterThanOrEqual(0);
        expect(chosen(addresses.hold(ALL, ten, nowMs))).toHaveLength(2);
      }),
    );
  });

  test('a hold that is not used leaves no trace', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.integer({ min: 0, max: 50 }), (steps, amount) => {
        const { addresses, nowMs } = run(steps);
        const free = () => ALL.map(({ id }: LaunchSubnet) => addresses.free(id, nowMs));
        const before = free();
        addresses.settle(
          addresses.hold(ALL, () => amount, nowMs),
          undefined,
        );
        expect(free()).toEqual(before);
      }),
    );
  });
});
