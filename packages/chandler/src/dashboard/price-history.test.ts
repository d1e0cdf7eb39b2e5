import { expect, test } from 'vitest';
import { PriceHistory } from './price-history.ts';

test('a window begins with the price that holds there, and a price that stays is one point', () => {
  const prices = new PriceHistory();
  for (const [atMs, price] of [
    [10, 1],
    [20, 1],
    [30, 2],
    [40, 0],
  ] as const)
    prices.add(atMs, price);
  expect(prices.between(25, 35)).toEqual([
    { atMs: 25, pricePerHour: 1 },
    { atMs: 30, pricePerHour: 2 },
  ]);
  expect(prices.between(0, 100)).toHaveLength(3);
});

test('it stays bounded, and recent points are all there', () => {
  const prices = new PriceHistory();
  for (let at = 0; at < 10_000; at++) prices.add(at, at);
  const all = prices.between(0, 10_000);
  expect(all.length).toBeLessThanOrEqual(1_000);
  expect(all.slice(-100).map(({ atMs }) => atMs)).toEqual(Array.from({ length: 100 }, (_, at) => 9_900 + at));
  expect(all[0]).toEqual({ atMs: 0, pricePerHour: 0 });
});
