import { describe, expect, test } from 'vitest';
import { virtualWorld } from '../testing/virtual-world.ts';
import { backoffWithBucket, itemBackoff, reasonableLimiter, TokenBucket } from './rate-limiter.ts';

describe('a token bucket', () => {
  test('is full at first and fills up again with time', async () => {
    const { clock } = virtualWorld();
    const bucket = new TokenBucket(clock, { perSecond: 5, burst: 10 });
    const taken = () => Array.from({ length: 20 }, () => bucket.tryTake()).filter(Boolean).length;
    expect(taken()).toBe(10);
    await clock.advance(1000);
    expect(taken()).toBe(5);
    await clock.advance(60_000);
    expect(taken()).toBe(10);
  });

  test('rejects invalid rates', () => {
    const { clock } = virtualWorld();
    expect(() => new TokenBucket(clock, { perSecond: 0, burst: 1 })).toThrow('perSecond > 0');
    expect(() => new TokenBucket(clock, { perSecond: 1, burst: 0 })).toThrow('burst >= 1');
  });
});

describe('the delay of an item that failed', () => {
  test('doubles up to the limit, for each item on its own, until it is forgotten', () => {
    const limiter = itemBackoff({ baseMs: 100, maxMs: 1000 });
    expect([1, 2, 3, 4, 5].map(() => limiter.nextMs('a'))).toEqual([100, 200, 400, 800, 1000]);
    expect(limiter.nextMs('b')).toBe(100);
    expect(limiter.failures('a')).toBe(5);
    limiter.forget('a');
    expect(limiter.nextMs('a')).toBe(100);
  });

  test('never overflows', () => {
    const limiter = itemBackoff();
    for (let failure = 0; failure < 5000; failure++) limiter.nextMs('a');
    expect(limiter.nextMs('a')).toBe(1_000_000);
  });

  test('waits for the bucket when many items fail at once', () => {
    const { clock } = virtualWorld();
    const limiter = backoffWithBucket(clock, { baseMs: 1, maxMs: 10, perSecond: 1, burst: 2 });
    expect(['a', 'b', 'c', 'd'].map((key) => limiter.nextMs(key))).toEqual([1, 1, 1000, 2000]);
  });

  test('is 100 ms to a minute for most controllers', () => {
    const limiter = reasonableLimiter(virtualWorld().clock);
    expect(limiter.nextMs('a')).toBe(100);
    for (let failure = 0; failure < 20; failure++) limiter.nextMs('a');
    expect(limiter.nextMs('a')).toBe(60_000);
  });
});
