import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { ClaimRequirements } from './claim-requirements.ts';
import { aType, names, offering, oneOf, ZONE_A } from './launch.fixture.ts';
import type { LaunchType } from './launch-types.ts';
import { truncateTypes, unmetMinValues } from './truncate.ts';

const FAMILY = 'karpenter.k8s.aws/instance-family';
const CPU = 'karpenter.k8s.aws/instance-cpu';
const TYPE = 'node.kubernetes.io/instance-type';

function priced(name: string, price: number, cpu = '2'): LaunchType {
  const type = aType(name, { offerings: [offering('spot', ZONE_A, price)] });
  return { ...type, requirements: [...type.requirements, oneOf(CPU, cpu)] };
}

const atLeast = (...minimums: readonly (readonly [string, number])[]) =>
  new ClaimRequirements(minimums.map(([key, minValues]) => ({ key, operator: 'Exists', minValues })));
const ANY = new ClaimRequirements([]);
const STRICT = { minValuesPolicy: 'Strict' } as const;

describe('at most 60 types', () => {
  const hundred = Array.from({ length: 100 }, (_, index) => priced(`m${index}.large`, 100 - index));

  test('the cheapest, in the order of their prices, and by name where prices are equal', () => {
    const kept = truncateTypes(hundred, ANY, STRICT);
    expect(kept).toHaveLength(60);
    expect(names(kept).slice(0, 2)).toEqual(['m99.large', 'm98.large']);
    const equal = ['c', 'a', 'b'].map((family) => priced(`${family}.large`, 1));
    expect(names(truncateTypes(equal, ANY, { ...STRICT, maxTypes: 2 }))).toEqual(['a.large', 'b.large']);
  });

  test('with an expensive one where minValues needs it', () => {
    const types = [
      priced('m5.large', 1),
      priced('m5.xlarge', 2),
      priced('m5.2xlarge', 3),
      priced('c5.large', 9),
    ];
    const kept = truncateTypes(types, atLeast([FAMILY, 2]), { ...STRICT, maxTypes: 3 });
    expect(names(kept)).toEqual(['m5.large', 'm5.xlarge', 'c5.large']);
  });

  test('all of them expensive where minValues needs every place', () => {
    const types = ['m5.large', 'm5.xlarge', 'c5.large', 'r5.large'].map((name, index) => priced(name, index));
    const kept = truncateTypes(types, atLeast([FAMILY, 3]), { ...STRICT, maxTypes: 3 });
    expect(names(kept)).toEqual(['m5.large', 'c5.large', 'r5.large']);
  });

  test('values that the claim does not allow do not count', () => {
    const claim = new ClaimRequirements([
      { key: FAMILY, operator: 'In', values: ['m5', 'c5'], minValues: 2 },
    ]);
    expect(unmetMinValues([priced('m5.large', 1), priced('r5.large', 1)], claim)).toEqual([
      { key: FAMILY, found: 1, minimum: 2 },
    ]);
  });

  test('too few values are a lack of capacity, or accepted, as the policy says', () => {
    const types = [priced('m5.large', 1), priced('m5.xlarge', 2)];
    const strict = () => truncateTypes(types, atLeast([FAMILY, 3]), STRICT);
    expect(strict).toThrow(/instance-family has 1 of 3 values/);
    expect(strict).toThrow(expect.objectContaining({ kind: 'InsufficientCapacity' }));
    expect(truncateTypes(types, atLeast([FAMILY, 3]), { minValuesPolicy: 'BestEffort' })).toHaveLength(2);
  });

  test('values that no choice of so many types has are named, too', () => {
    const types = ['a', 'b', 'c'].map((family, index) => priced(`${family}.large`, index));
    expect(() => truncateTypes(types, atLeast([FAMILY, 3]), { ...STRICT, maxTypes: 2 })).toThrow(
      /at most 2 of them in one request: .*instance-family has 2 of 3 values/,
    );
  });

  test('keep minValues whenever there are enough values and places for them', () => {
    const type = fc.record({
      family: fc.integer({ min: 0, max: 6 }),
      cpu: fc.integer({ min: 0, max: 6 }),
      price: fc.integer({ min: 1, max: 9 }),
    });
    const minimum = fc.integer({ min: 0, max: 4 });
    fc.assert(
      fc.property(
        fc.array(type, { minLength: 1, maxLength: 40 }),
        minimum,
        minimum,
        minimum,
        fc.integer({ min: 12, max: 20 }),
        (rows, families, cpus, count, maxTypes) => {
          const types = rows.map(({ family, cpu, price }, index) =>
            priced(`f${family}.s${index}`, price, String(cpu)),
          );
          const claim = atLeast([FAMILY, families], [CPU, cpus], [TYPE, count]);
          // At most 4 + 4 + 4 types are needed, so there is room for them.
          const possible = unmetMinValues(types, claim).length === 0;
          if (!possible) {
            expect(() => truncateTypes(types, claim, { ...STRICT, maxTypes })).toThrow('minValues');
            return;
          }
          const kept = truncateTypes(types, claim, { ...STRICT, maxTypes });
          expect(unmetMinValues(kept, claim)).toEqual([]);
          expect(kept.length).toBe(Math.min(types.length, maxTypes));
          expect(new Set(kept).size).toBe(kept.length);
          expect(kept.every((each) => types.includes(each))).toBe(true);
        },
      ),
    );
  });
});
