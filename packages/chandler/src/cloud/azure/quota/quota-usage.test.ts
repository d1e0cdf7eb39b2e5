import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { type ComputeUsage, QUOTA_REFRESH_MS, QUOTA_TTL_MS, QuotaUsage } from './quota-usage.ts';

function usage(value: string, currentValue: number, limit: number): ComputeUsage {
  return { name: { value }, currentValue, limit };
}

function aQuotaUsage(usages: readonly ComputeUsage[] = []) {
  const world = virtualWorld();
  const source = { usages, calls: 0, error: undefined as Error | undefined };
  const quota = new QuotaUsage({
    clock: world.clock,
    log: world.log,
    listUsages: async () => {
      source.calls += 1;
      if (source.error !== undefined) throw source.error;
      return source.usages;
    },
  });
  return { quota, source, world };
}

const FAMILY = 'standardDSv5Family';

describe('quota of a family decides what is offered on demand', () => {
  test('a size fits when its cores are left, up to the last one', async () => {
    const { quota } = aQuotaUsage([usage(FAMILY, 90, 100)]);
    await quota.refreshIfDue();
    expect(quota.refusal(FAMILY, 10)).toBeUndefined();
    expect(quota.refusal('STANDARDDSV5FAMILY', 11)).toEqual({
      code: 'QuotaExceeded',
      family: 'STANDARDDSV5FAMILY',
      limit: 100,
      used: 90,
      needed: 11,
    });
  });

  test('what is not known is allowed', async () => {
    const { quota } = aQuotaUsage([{ name: { value: FAMILY } }, { limit: 0, currentValue: 0 }]);
    expect(quota.refusal(FAMILY, 64)).toBeUndefined();
    await quota.refreshIfDue();
    expect(quota.refusal(FAMILY, 64)).toBeUndefined();
    expect(quota.refusal('', 64)).toBeUndefined();
    expect(quota.hasQuota(FAMILY, 64, 'spot')).toBe(true);
  });
});

describe('figures expire', () => {
  test('Azure is asked every ten minutes; the number grows only when figures differ', async () => {
    const { quota, source, world } = aQuotaUsage([usage(FAMILY, 0, 10)]);
    await Promise.all([quota.refreshIfDue(), quota.refreshIfDue()]);
    const first = quota.sequence;
    expect([source.calls, await quota.refreshIfDue()]).toEqual([1, false]);
    await world.clock.advance(QUOTA_REFRESH_MS);
    await quota.refreshIfDue();
    expect([source.calls, quota.sequence]).toEqual([2, first]);
    source.usages = [usage(FAMILY, 4, 10)];
    await world.clock.advance(QUOTA_REFRESH_MS);
    await quota.refreshIfDue();
    expect(quota.sequence).toBeGreaterThan(first);
  });

  test('after fifteen minutes without an answer everything is allowed again', async () => {
    const { quota, source, world } = aQuotaUsage([usage(FAMILY, 10, 10)]);
    await quota.refreshIfDue();
    const first = quota.sequence;
    source.error = new Error('ARM is down');
    await world.clock.advance(QUOTA_REFRESH_MS);
    await expect(quota.refreshIfDue()).rejects.toThrow('ARM is down');
    expect(quota.refusal(FAMILY, 2)).toBeDefined();
    await world.clock.advance(QUOTA_TTL_MS - QUOTA_REFRESH_MS + 1);
    expect(quota.refusal(FAMILY, 2)).toBeUndefined();
    expect(quota.sequence).toBeGreaterThan(first);
    expect(world.lines.map(({ message }) => message)).toEqual(['ignoring outdated quota usage']);
  });
});

describe('what is tried first', () => {
  test('the total of the region counts on demand, that of spot for spot', async () => {
    const { quota } = aQuotaUsage([
      usage(FAMILY, 0, 100),
      usage('cores', 98, 100),
      usage('lowPriorityCores', 0, 3),
    ]);
    await quota.refreshIfDue();
    expect(quota.hasQuota(FAMILY, 2, 'on-demand')).toBe(true);
    expect(quota.hasQuota(FAMILY, 4, 'on-demand')).toBe(false);
    expect(quota.hasQuota(FAMILY, 3, 'spot')).toBe(true);
    expect(quota.hasQuota(FAMILY, 4, 'spot')).toBe(false);
    // Offered it is all the same: the totals are no reason to hide a size.
    expect(quota.refusal(FAMILY, 4)).toBeUndefined();
  });

  test('VMs requested since the last figures count until the next ones', async () => {
    const { quota, source, world } = aQuotaUsage([usage(FAMILY, 0, 10), usage('cores', 0, 1000)]);
    await quota.refreshIfDue();
    quota.launched(FAMILY, 8, 'on-demand');
    expect(quota.hasQuota(FAMILY, 4, 'on-demand')).toBe(false);
    expect(quota.hasQuota(FAMILY, 2, 'on-demand')).toBe(true);
    expect(quota.hasQuota('standardESv5Family', 64, 'on-demand')).toBe(true);
    await world.clock.advance(QUOTA_REFRESH_MS);
    source.usages = [usage(FAMILY, 0, 10), usage('cores', 0, 1000)];
    await quota.refreshIfDue();
    expect(quota.hasQuota(FAMILY, 4, 'on-demand')).toBe(true);
  });

  test('a VM requested while the figures were in flight still counts', async () => {
    const { quota, world } = aQuotaUsage();
    await world.clock.advance(1_000);
    quota.launched(FAMILY, 8, 'on-demand');
    quota.refresh([usage(FAMILY, 0, 10)], 500);
    expect(quota.hasQuota(FAMILY, 4, 'on-demand')).toBe(false);
  });
});
