import { expect, test } from 'vitest';
import {
  cores,
  count,
  duration,
  memory,
  percent,
  price,
  pricePerHour,
  pricePerMonth,
  seconds,
  sentence,
  shortTime,
  thousands,
} from './format.ts';

test('prices have as many digits as they need', () => {
  expect([0.391, 12.4, 1204.4, -0.2, 0, null].map(price)).toEqual([
    '$0.391',
    '$12.40',
    '$1,204',
    '-$0.200',
    '$0',
    '–',
  ]);
  expect(pricePerHour(0.943)).toBe('$0.943/h');
  expect(pricePerMonth(0.943)).toBe('$688 a month');
  expect(pricePerMonth(null)).toBe('–');
});

test('resources are as kubectl has them', () => {
  expect([0, 250, 7920, 128_000, null].map(cores)).toEqual(['0', '250m', '7.92', '128', '–']);
  expect([64 * 1024 ** 2, 29.5 * 1024 ** 3, 2.5 * 1024 ** 4].map(memory)).toEqual([
    '64 Mi',
    '29.5 Gi',
    '2.5 Ti',
  ]);
});

test('a time of today has no date', () => {
  const noon = new Date(2026, 5, 1, 12, 0, 5).getTime();
  expect(shortTime(noon, noon + 3_600_000)).toBe('12:00:05');
  expect(shortTime(noon, noon + 86_400_000)).toBe('2026-06-01 12:00:05');
});

test('shares, numbers and times', () => {
  expect(percent(1, 3)).toBe('33%');
  expect(percent(1, 0)).toBe('–');
  expect(thousands(1_234_567)).toBe('1,234,567');
  expect([count(1, 'node'), count(2, 'node')]).toEqual(['1 node', '2 nodes']);
  expect([-5, 52_000, 720_000, 12_000_000, 7_200_000, 400_000_000].map(duration)).toEqual([
    '0s',
    '52s',
    '12m',
    '3h20m',
    '2h',
    '4d',
  ]);
  expect([900, 38_000, 125_000, 180_000].map(seconds)).toEqual(['0.9 s', '38 s', '2 min 5 s', '3 min']);
});

test('an error is shown as a sentence', () => {
  expect(sentence('the server does not answer')).toBe('The server does not answer.');
  expect(sentence('Check it.')).toBe('Check it.');
  expect(sentence('')).toBe('');
});
