import { describe, expect, test } from 'vitest';
import { FAULTS } from '../faults/catalogue.table.ts';
import { TROUBLES } from './machine-faults.ts';

describe('the faults of machines', () => {
  test('every fault of machines is something that a machine can have', () => {
    const machine = FAULTS.filter(({ points }) => points.includes('machine')).map(({ name }) => name);
    expect(machine.filter((name) => !(name in TROUBLES))).toEqual([]);
  });
});
