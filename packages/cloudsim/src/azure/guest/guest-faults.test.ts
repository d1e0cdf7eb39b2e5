import { describe, expect, test } from 'vitest';
import { FAULTS } from '../faults/catalogue.table.ts';
import { GUEST_FAULTS } from './guest-faults.ts';

describe('the faults of VM guests', () => {
  test('every fault of a guest has an effect', () => {
    const machine = FAULTS.filter(({ points }) => points.includes('machine')).map(({ name }) => name);
    expect(machine.filter((name) => !(name in GUEST_FAULTS))).toEqual([]);
  });
});
