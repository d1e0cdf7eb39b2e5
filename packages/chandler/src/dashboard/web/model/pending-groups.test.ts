import { expect, test } from 'vitest';
import type { PodRow } from '../../wire.ts';
import { requestsText } from './pending-groups.ts';

const GIB = 1024 ** 3;
const aPod = (cpuMillis: number, gib: number): PodRow => [
  'shop',
  'a',
  '',
  'p',
  cpuMillis,
  gib * GIB,
  'Job/a',
];

test('beside a number of pods requests say that they are of each', () => {
  expect(requestsText([aPod(2000, 96)])).toBe('CPU 2 and 96 Gi');
  expect(requestsText([aPod(2000, 96), aPod(2000, 96)])).toBe('CPU 2 and 96 Gi each');
});

test('pods of a workload that differ have a range', () => {
  expect(requestsText([aPod(2000, 96), aPod(500, 96), aPod(1000, 8)])).toBe(
    'CPU 500m to 2 and 8 Gi to 96 Gi each',
  );
});
