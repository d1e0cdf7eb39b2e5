import { describe, expect, test } from 'vitest';
import { inOneUnit } from './one-unit.ts';

describe('amounts of one resource', () => {
  test.each([
    ['CPUs are plain numbers', ['5k', '285020m', '4714980m'], ['5000', '285.02', '4714.98']],
    ['a fraction of a CPU', ['500m', '400m', '100m'], ['0.5', '0.4', '0.1']],
    [
      'memory in the unit of the smallest amount',
      ['64Gi', '28615948Ki', '38492916Ki'],
      ['64Gi', '27.29Gi', '36.71Gi'],
    ],
    ['a small missing amount is not rounded to zero', ['8Gi', '8189Mi', '3Mi'], ['8192Mi', '8189Mi', '3Mi']],
    ['zero has no unit', ['1Gi', '0', '1Gi'], ['1Gi', '0', '1Gi']],
    ['an overcommitted node', ['1Gi', '-512Mi', '1536Mi'], ['1024Mi', '-512Mi', '1536Mi']],
    ['a misspelled unit of CPUs', ['5M', '285020m', '4999714980m'], ['5000000', '285.02', '4999714.98']],
    ['bytes in decimal units', ['64G', '32G', '32G'], ['64G', '32G', '32G']],
    ['nothing at all', ['0', '0', '0'], ['0', '0', '0']],
    ['an amount that is not a quantity', ['5k', 'unlimited', '1'], ['5k', 'unlimited', '1']],
  ])('%s', (_, amounts, expected) => {
    expect(inOneUnit(...amounts)).toEqual(expected);
  });
});
