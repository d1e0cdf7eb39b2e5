import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { type OfferingRef, UnavailableOfferings } from './unavailable-offerings.ts';

const MINUTE = 60_000;

function memory(maxEntries?: number) {
  const { clock } = virtualWorld();
  return { clock, unavailable: new UnavailableOfferings({ clock, ...(maxEntries && { maxEntries }) }) };
}

function size(vcpus: number, more: Partial<OfferingRef> = {}): OfferingRef {
  return {
    instanceType: `Standard_D${vcpus}s_v5`,
    family: 'standardDSv5Family',
    vcpus,
    zone: 'eastus-1',
    capacityType: 'on-demand',
    ...more,
  };
}

describe('an offering that failed is not tried again until its TTL expires', () => {
  test('an offering is unavailable until its time is over, and only in its zone and capacity type', async () => {
    const { clock, unavailable } = memory();
    unavailable.mark(size(4), 3 * MINUTE, 'ZonalAllocationFailure');
    expect(unavailable.isUnavailable(size(4))).toBe(true);
    expect(unavailable.isUnavailable(size(4, { zone: 'eastus-2' }))).toBe(false);
    expect(unavailable.isUnavailable(size(4, { capacityType: 'spot' }))).toBe(false);
    await clock.advance(3 * MINUTE - 1);
    expect(unavailable.isUnavailable(size(4))).toBe(true);
    await clock.advance(1);
    expect(unavailable.isUnavailable(size(4))).toBe(false);
  });

  test('a size that failed makes the bigger ones of its family unavailable, not the smaller ones', () => {
    const { unavailable } = memory();
    unavailable.mark(size(8), MINUTE, 'AllocationFailure');
    expect(unavailable.isUnavailable(size(16, { family: 'STANDARDDSV5FAMILY' }))).toBe(true);
    expect(unavailable.isUnavailable(size(4))).toBe(false);
    expect(unavailable.isUnavailable(size(16, { family: 'standardESv5Family' }))).toBe(false);
  });

  test('a failure of a big size does not prolong what is known about a small one', async () => {
    const { clock, unavailable } = memory();
    unavailable.mark(size(2), 10 * MINUTE, 'AllocationFailure');
    await clock.advance(5 * MINUTE);
    unavailable.mark(size(64), 60 * MINUTE, 'AllocationFailure');
    await clock.advance(5 * MINUTE);
    expect(unavailable.isUnavailable(size(2))).toBe(false);
    expect(unavailable.isUnavailable(size(32))).toBe(false);
    expect(unavailable.isUnavailable(size(96))).toBe(true);
  });

  test('a shorter time never replaces a longer one', async () => {
    const { clock, unavailable } = memory();
    unavailable.mark(size(4), 60 * MINUTE, 'SKUNotAvailable');
    unavailable.mark(size(4), MINUTE, 'AllocationFailure');
    await clock.advance(2 * MINUTE);
    expect(unavailable.why(size(4))?.reason).toBe('SKUNotAvailable');
  });

  test('a whole family, and all spot, can be marked', () => {
    const { unavailable } = memory();
    unavailable.markFamily(
      { family: 'standardDSv5Family', zone: '0', capacityType: 'on-demand' },
      MINUTE,
      'SKUNotAvailable',
    );
    expect(unavailable.isUnavailable(size(2, { zone: '0' }))).toBe(true);
    expect(unavailable.isUnavailable(size(2))).toBe(false);
    unavailable.markCapacityType('spot', MINUTE, 'SubscriptionQuotaReached');
    const spot = { instanceType: 'Standard_E2s_v5', zone: 'eastus-3', capacityType: 'spot' };
    expect(unavailable.isUnavailable(spot)).toBe(true);
    expect(unavailable.isUnavailable({ ...spot, capacityType: 'on-demand' })).toBe(false);
  });
});

describe('readers can see the entries and when they changed', () => {
  test('when the cores of a region are used up, every size that needs as many or more is unavailable', async () => {
    const { clock, unavailable } = memory();
    unavailable.markCores('on-demand', 8, MINUTE, 'InsufficientCapacityError');
    expect(unavailable.isUnavailable(size(8, { family: 'standardFSv2Family', zone: 'eastus-3' }))).toBe(true);
    expect(unavailable.isUnavailable(size(16))).toBe(true);
    expect(unavailable.isUnavailable(size(4))).toBe(false);
    expect(unavailable.isUnavailable(size(16, { capacityType: 'spot' }))).toBe(false);
    unavailable.markCores('on-demand', 2, MINUTE / 2, 'InsufficientCapacityError');
    expect(unavailable.isUnavailable(size(4))).toBe(true);
    await clock.advance(MINUTE / 2);
    expect([unavailable.isUnavailable(size(4)), unavailable.isUnavailable(size(8))]).toEqual([false, true]);
    await clock.advance(MINUTE / 2);
    expect([unavailable.isUnavailable(size(8)), unavailable.size]).toEqual([false, 0]);
  });

  test('the sequence number grows with a new entry and with an end, not with a longer time', async () => {
    const { clock, unavailable } = memory();
    const start = unavailable.sequence;
    unavailable.mark(size(4), MINUTE, 'AllocationFailure');
    const marked = unavailable.sequence;
    expect(marked).toBeGreaterThan(start);
    unavailable.mark(size(4), 2 * MINUTE, 'AllocationFailure');
    expect(unavailable.sequence).toBe(marked);
    await clock.advance(2 * MINUTE);
    expect(unavailable.sequence).toBeGreaterThan(marked);
    expect(unavailable.size).toBe(0);
  });

  test('the list says what, why and until when', () => {
    const { clock, unavailable } = memory();
    unavailable.mark(size(4), MINUTE, 'ZonalAllocationFailure');
    expect(unavailable.list()).toEqual([
      {
        scope: {
          kind: 'offering',
          instanceType: 'Standard_D4s_v5',
          zone: 'eastus-1',
          capacityType: 'on-demand',
        },
        reason: 'ZonalAllocationFailure',
        markedAtMs: clock.now(),
        untilMs: clock.now() + MINUTE,
      },
      expect.objectContaining({
        scope: {
          kind: 'family',
          family: 'standardDSv5Family',
          zone: 'eastus-1',
          capacityType: 'on-demand',
          minVcpus: 4,
        },
      }),
    ]);
  });

  test('its size is limited; the entry that would expire first is dropped first', () => {
    const { unavailable } = memory(10);
    const long = { instanceType: 'long', zone: '0', capacityType: 'spot' };
    unavailable.mark(long, 60 * MINUTE, 'AllocationFailure');
    for (let index = 0; index < 50; index++)
      unavailable.mark({ ...long, instanceType: `short-${index}` }, MINUTE + index, 'AllocationFailure');
    expect(unavailable.size).toBe(10);
    expect(unavailable.isUnavailable(long)).toBe(true);
    expect(unavailable.isUnavailable({ ...long, instanceType: 'short-49' })).toBe(true);
    expect(unavailable.isUnavailable({ ...long, instanceType: 'short-0' })).toBe(false);
  });
});
