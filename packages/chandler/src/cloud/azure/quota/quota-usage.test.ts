import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { type ComputeUsage, QUOTA_REFRESH_MS, QUOTA_TTL_MS, QuotaUsage } from './quota-usage.ts';

function usage(value: string, currentValue: number, limit: number): ComputeUsage {
  return { name: { value }, currentValue, limit };
}

function aBook(usages: readonly ComputeUsage[] = []) {
  const world = virtualWorld();
  const source = { usages, calls: 0, error: undefined as Error | undefined };
  const book = new QuotaUsage({
    clock: world.clock,
    log: world.log,
    listUsages: async () => {
      source.calls += 1;
      if (source.error !== undefined) throw source.error;
      return source.usages;
    },
  });
  return { book, source, world };
}

const FAMILY = 'standardDSv5Family';

describe('quota of a family decides what is offered on demand', () => {
  test('a size fits when its cores are left, up to the last one', async () => {
    const { book } = aBook([usage(FAMILY, 90, 100)]);
    await book.refreshIfDue();
    expect(book.refusal(FAMILY, 10)).toBeUndefined();
    expect(book.refusal('STANDARDDSV5FAMILY', 11)).toEqual({
      code: 'QuotaExceeded',
      family: 'STANDARDDSV5FAMILY',
      limit: 100,
      used: 90,
      needed: 11,
    });
  });

  test('what is not known is allowed', async () => {
    const { book } = aBook([{ name: { value: FAMILY } }, { limit: 0, currentValue: 0 }]);
    expect(book.refusal(FAMILY, 64)).toBeUndefined();
    await book.refreshIfDue();
    expect(book.refusal(FAMILY, 64)).toBeUndefined();
    expect(book.refusal('', 64)).toBeUndefined();
    expect(book.hasQuota(FAMILY, 64, 'spot')).toBe(true);
  });
});

describe('figures grow old', () => {
  test('Azure is asked every ten minutes; the number grows only when figures differ', async () => {
    const { book, source, world } = aBook([usage(FAMILY, 0, 10)]);
    await Promise.all([book.refreshIfDue(), book.refreshIfDue()]);
    const first = book.sequence;
    expect([source.calls, await book.refreshIfDue()]).toEqual([1, false]);
    await world.clock.advance(QUOTA_REFRESH_MS);
    await book.refreshIfDue();
    expect([source.calls, book.sequence]).toEqual([2, first]);
    source.usages = [usage(FAMILY, 4, 10)];
    await world.clock.advance(QUOTA_REFRESH_MS);
    await book.refreshIfDue();
    expect(book.sequence).toBeGreaterThan(first);
  });

  test('after fifteen minutes without an answer everything is allowed again', async () => {
    const { book, source, world } = aBook([usage(FAMILY, 10, 10)]);
    await book.refreshIfDue();
    const first = book.sequence;
    source.error = new Error('ARM is away');
    await world.clock.advance(QUOTA_REFRESH_MS);
    await expect(book.refreshIfDue()).rejects.toThrow('ARM is away');
    expect(book.refusal(FAMILY, 2)).toBeDefined();
    await world.clock.advance(QUOTA_TTL_MS - QUOTA_REFRESH_MS + 1);
    expect(book.refusal(FAMILY, 2)).toBeUndefined();
    expect(book.sequence).toBeGreaterThan(first);
    expect(world.lines.map(({ message }) => message)).toEqual(['quota usage is outdated and is ignored']);
  });
});

describe('what is tried first', () => {
  test('the total of the region counts on demand, that of spot for spot', async () => {
    const { book } = aBook([usage(FAMILY, 0, 100), usage('cores', 98, 100), usage('lowPriorityCores', 0, 3)]);
    await book.refreshIfDue();
    expect(book.hasQuota(FAMILY, 2, 'on-demand')).toBe(true);
    expect(book.hasQuota(FAMILY, 4, 'on-demand')).toBe(false);
    expect(book.hasQuota(FAMILY, 3, 'spot')).toBe(true);
    expect(book.hasQuota(FAMILY, 4, 'spot')).toBe(false);
    // Offered it is all the same: the totals are no reason to hide a size.
    expect(book.refusal(FAMILY, 4)).toBeUndefined();
  });

  test('machines asked for since the last figures count until the next ones', async () => {
    const { book, source, world } = aBook([usage(FAMILY, 0, 10), usage('cores', 0, 1000)]);
    await book.refreshIfDue();
    book.launched(FAMILY, 8, 'on-demand');
    expect(book.hasQuota(FAMILY, 4, 'on-demand')).toBe(false);
    expect(book.hasQuota(FAMILY, 2, 'on-demand')).toBe(true);
    expect(book.hasQuota('standardESv5Family', 64, 'on-demand')).toBe(true);
    await world.clock.advance(QUOTA_REFRESH_MS);
    source.usages = [usage(FAMILY, 0, 10), usage('cores', 0, 1000)];
    await book.refreshIfDue();
    expect(book.hasQuota(FAMILY, 4, 'on-demand')).toBe(true);
  });

  test('a machine asked for while the figures were on their way still counts', async () => {
    const { book, world } = aBook();
    await world.clock.advance(1_000);
    book.launched(FAMILY, 8, 'on-demand');
    book.refresh([usage(FAMILY, 0, 10)], 500);
    expect(book.hasQuota(FAMILY, 4, 'on-demand')).toBe(false);
  });
});
