import { expect, test } from 'vitest';
import { GoRand } from './go-rand.ts';

const draw = (seed: number, count: number, n: number) => {
  const random = new GoRand(seed);
  return Array.from({ length: count }, () => random.intn(n));
};

test('seed 1 draws what every Go program without a seed used to draw', () => {
  expect(draw(1, 10, 100)).toEqual([81, 87, 47, 59, 81, 18, 25, 40, 56, 0]);
});

test('seed 42 draws the numbers that Go draws', () => {
  expect(draw(42, 6, 100)).toEqual([5, 87, 68, 50, 23, 45]);
  const random = new GoRand(42);
  expect([random.int63(), random.int63(), random.int63(), random.int63()]).toEqual([
    3440579354231278675n,
    608747136543856411n,
    5571782338101878760n,
    1926012586526624009n,
  ]);
});

test('a power of two is drawn by masking, as Go does', () => {
  const random = new GoRand(42);
  const masked = Array.from({ length: 20 }, () => Number((random.int63() >> 32n) & 7n));
  expect(draw(42, 20, 8)).toEqual(masked);
});
