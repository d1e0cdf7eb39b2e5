/**
 * Instance types against upstream's: the numbers in `expected.json` were computed by upstream's own code. `record.ts` compares
 * every type in every setup.
 */
import { describe, expect, test } from 'vitest';
import { offlineTypes } from '../../packages/chandler/src/cloud/aws/testing.ts';

import { amountsOf, CHOSEN, CHOSEN_IN_SETUPS, readExpected, vectorOf } from './expected.ts';
import { ownFigures } from './figures.ts';
import { SETUPS } from './setups.ts';

const expected = readExpected();
const types = offlineTypes();
const named = (names: readonly string[]) =>
  types.filter(({ InstanceType }) => names.includes(InstanceType ?? ''));

describe('instance types have the numbers that upstream computes', () => {
  test('every built-in type, for AL2023: pods, memory, reservations, allocatable', () => {
    const figures = ownFigures(SETUPS[0]!, types);
    expect(figures.size).toBeGreaterThan(1_300);
    expect(Object.fromEntries([...figures].map(([name, own]) => [name, vectorOf(own)]))).toEqual(
      expected.vectors,
    );
  });

  test('the labels of types of all kinds', () => {
    const figures = ownFigures(SETUPS[0]!, named(CHOSEN));
    expect(Object.fromEntries([...figures].map(([name, { labels }]) => [name, labels]))).toEqual(
      expected.labels,
    );
  });

  test.each(SETUPS)('all amounts of types of all kinds: $name', (setup) => {
    const figures = ownFigures(setup, named(CHOSEN_IN_SETUPS));
    expect(figures.size).toBe(CHOSEN_IN_SETUPS.length);
    expect(Object.fromEntries([...figures].map(([name, own]) => [name, amountsOf(own)]))).toEqual(
      expected.amounts[setup.name],
    );
  });
});
