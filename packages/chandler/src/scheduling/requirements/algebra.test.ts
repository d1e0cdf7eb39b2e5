import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Algebra, excludes, type Requirement } from './algebra.ts';
import { anyValue, requirementText, serializeRequirement } from './text.ts';

const VALUES = ['a', 'b', 'c', '1', '2', '3', '7', '-4', '1.5', ''];
/** Values that no requirement names, so that complements are tried with strangers too. */
const OTHER_VALUES = ['z', '0', '4', '5', '6', '100', '-100'];

interface RawRequirement {
  readonly operator: string;
  readonly values: string[];
}

const rawRequirement: fc.Arbitrary<RawRequirement> = fc.oneof(
  fc.record({
    operator: fc.constantFrom('In', 'NotIn'),
    values: fc.uniqueArray(fc.constantFrom(...VALUES), { minLength: 1, maxLength: 5 }),
  }),
  fc.record({ operator: fc.constantFrom('Exists', 'DoesNotExist'), values: fc.constant([] as string[]) }),
  fc.record({
    operator: fc.constantFrom('Gt', 'Lt', 'Gte', 'Lte'),
    values: fc.integer({ min: -5, max: 8 }).map((bound) => [`${bound}`]),
  }),
);

/** The same, said with sets: what a label may be. */
function allows({ operator, values }: RawRequirement, label: string): boolean {
  const integer = /^-?[0-9]+$/.test(label) ? Number(label) : Number.NaN;
  const bound = Number(values[0]);
  switch (operator) {
    case 'In':
      return values.includes(label);
    case 'NotIn':
      return !values.includes(label);
    case 'Exists':
      return true;
    case 'Gt':
      return integer > bound;
    case 'Gte':
      return integer >= bound;
    case 'Lt':
      return integer < bound;
    case 'Lte':
      return integer <= bound;
    default:
      return false;
  }
}

function build(algebra: Algebra, { operator, values }: RawRequirement): Requirement {
  return algebra.parse('key', operator, values) as Requirement;
}

function hasLabel(algebra: Algebra, requirement: Requirement, label: string): boolean {
  return algebra.has(requirement, algebra.labels.value(requirement.key, label));
}

describe('requirements', () => {
  test('of which one is enough allow what any of them allows, whatever values are known', () => {
    fc.assert(
      fc.property(fc.array(rawRequirement, { minLength: 1, maxLength: 4 }), (raws) => {
        const bounded = raws.some(({ operator }) => /^[GL]t/.test(operator));
        const algebra = new Algebra();
        const key = algebra.labels.key('key');
        if (bounded) for (const value of OTHER_VALUES) algebra.labels.value(key, value);
        const union = algebra.anyOf(
          key,
          raws.map((raw) => build(algebra, raw)),
        );
        for (const label of [...VALUES, ...OTHER_VALUES]) {
          if (bounded && algebra.labels.findValue(key, label) === undefined) continue;
          const allowed = union === undefined || hasLabel(algebra, union, label);
          expect(allowed, label).toBe(raws.some((raw) => allows(raw, label)));
        }
      }),
    );
  });

  test('combine like sets, in any order', () => {
    fc.assert(
      fc.property(fc.array(rawRequirement, { minLength: 1, maxLength: 4 }), (list) => {
        const algebra = new Algebra();
        const parts = list.map((one) => build(algebra, one));
        const forward = parts.reduce((first, second) => algebra.meet(first, second));
        const backward = parts.reduceRight((first, second) => algebra.meet(first, second));
        for (const label of [...VALUES, ...OTHER_VALUES]) {
          const wanted = list.every((one) => allows(one, label));
          expect(hasLabel(algebra, forward, label)).toBe(wanted);
          expect(hasLabel(algebra, backward, label)).toBe(wanted);
        }
      }),
    );
  });

  test('intersect when some value meets both, and two open sets unless their bounds cross', () => {
    fc.assert(
      fc.property(rawRequirement, rawRequirement, (one, two) => {
        const algebra = new Algebra();
        const [first, second] = [build(algebra, one), build(algebra, two)];
        const common = [...VALUES, ...OTHER_VALUES].some((label) => allows(one, label) && allows(two, label));
        const intersects = algebra.intersects(first, second);
        if (common) expect(intersects).toBe(true);
        if (!first.complement || !second.complement) expect(intersects).toBe(common);
        if (excludes(first) && excludes(second)) expect(algebra.overlaps(first, second)).toBe(true);
        else expect(algebra.overlaps(first, second)).toBe(intersects);
      }),
    );
  });

  test('are the same object when they are equal', () => {
    const algebra = new Algebra();
    expect(algebra.parse('k', 'In', ['b', 'a'])).toBe(algebra.parse('k', 'In', ['a', 'b', 'a']));
    expect(algebra.parse('k', 'Gt', ['3'])).toBe(algebra.parse('k', 'Gte', ['4']));
    const both = algebra.meet(algebra.exists(0), algebra.label('k', 'a'));
    expect(both).toBe(algebra.label('k', 'a'));
  });

  test('drop excluded values that their bounds exclude anyway', () => {
    const algebra = new Algebra();
    const met = algebra.meet(
      build(algebra, { operator: 'NotIn', values: ['3'] }),
      build(algebra, { operator: 'Gt', values: ['5'] }),
    );
    expect(met.operator).toBe('Exists');
    expect(met.gte).toBe(6);
  });

  test('keep the larger minValues', () => {
    const algebra = new Algebra();
    const first = algebra.parse('k', 'In', ['a', 'b', 'c'], 2) as Requirement;
    const second = algebra.parse('k', 'In', ['b', 'c'], 3) as Requirement;
    expect(algebra.meet(first, second).minValues).toBe(3);
    expect(algebra.withMinValues(first, null)).toBe(algebra.parse('k', 'In', ['a', 'b', 'c']));
  });

  test('reject unknown operators and bounds that are not integers', () => {
    const algebra = new Algebra();
    expect(algebra.parse('k', 'constructor', ['1'])).toEqual({ problem: 'unknown operator "constructor"' });
    expect(algebra.parse('k', 'Gt', ['many'])).toEqual({
      problem: 'operator Gt requires exactly one integer',
    });
    expect(algebra.parse('k', 'Lte', [])).toHaveProperty('problem');
  });

  test('match nothing above the largest integer', () => {
    const algebra = new Algebra();
    expect((algebra.parse('k', 'Gt', ['9223372036854775807']) as Requirement).operator).toBe('DoesNotExist');
  });

  test('merge into one per label in a set', () => {
    const algebra = new Algebra();
    const set = algebra.set([
      algebra.label('b', '1'),
      algebra.label('a', '1'),
      algebra.exists(algebra.labels.key('b')),
    ]);
    expect(set.items).toHaveLength(2);
    expect(set).toBe(algebra.set([algebra.label('a', '1'), algebra.label('b', '1')]));
    expect(algebra.requirement(set.items[0]!.id)).toBe(set.items[0]);
    expect(algebra.setCount).toBeGreaterThan(1);
  });
});

describe('requirements as text', () => {
  const algebra = new Algebra();
  const parse = (...parameters: Parameters<Algebra['parse']>) => algebra.parse(...parameters) as Requirement;

  test.each([
    [parse('zone', 'In', ['b', 'a']), 'zone In [a b]'],
    [parse('zone', 'NotIn', ['a', 'b', 'c', 'd', 'e', 'f', 'g']), 'zone NotIn [a b c d e and 2 others]'],
    [parse('cpu', 'Gt', ['3'], 2), 'cpu Exists >=4 minValues 2'],
    [parse('cpu', 'Lt', ['3']), 'cpu Exists <=2'],
    [parse('x', 'DoesNotExist'), 'x DoesNotExist'],
  ])('%o is printed', (requirement, text) => {
    expect(requirementText(algebra, requirement)).toBe(text);
  });

  test('are written into a NodeClaim in API form', () => {
    const bounds = algebra.meet(parse('n', 'Gt', ['3']), parse('n', 'Lt', ['9']));
    expect(serializeRequirement(algebra, bounds)).toEqual([
      { key: 'n', operator: 'Gte', values: ['4'] },
      { key: 'n', operator: 'Lte', values: ['8'] },
    ]);
    const without = algebra.meet(bounds, parse('n', 'NotIn', ['5']));
    expect(serializeRequirement(algebra, without)).toContainEqual({
      key: 'n',
      operator: 'NotIn',
      values: ['5'],
    });
    expect(serializeRequirement(algebra, parse('x', 'Exists'))).toEqual([{ key: 'x', operator: 'Exists' }]);
    expect(serializeRequirement(algebra, parse('x', 'In', ['b', 'a'], 2))).toEqual([
      { key: 'x', operator: 'In', values: ['a', 'b'], minValues: 2 },
    ]);
  });

  test('give a concrete value that meets them', () => {
    expect(anyValue(algebra, parse('x', 'In', ['b', 'a']))).toBe('a');
    expect(anyValue(algebra, algebra.meet(parse('y', 'NotIn', ['0', '1']), parse('y', 'Exists')))).toBe('2');
    expect(anyValue(algebra, parse('y', 'NotIn', ['0', '1']))).toBeUndefined();
    expect(anyValue(algebra, parse('y', 'Gt', ['1']))).toBe('2');
    expect(
      anyValue(algebra, algebra.meet(parse('y', 'Lt', ['1']), parse('y', 'NotIn', ['0']))),
    ).toBeUndefined();
    expect(anyValue(algebra, parse('x', 'DoesNotExist'))).toBeUndefined();
  });
});
