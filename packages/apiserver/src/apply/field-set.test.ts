import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  canonicalSet,
  childrenOf,
  difference,
  EMPTY,
  exclude,
  type FieldSet,
  has,
  include,
  intersection,
  isEmpty,
  isMember,
  pathsOf,
  printPaths,
  setOfPaths,
  setOfSteps,
  union,
} from './field-set.ts';

const step = fc.constantFrom(
  'f:a',
  'f:b',
  'f:c',
  'k:{"name":"x"}',
  'k:{"name":"y","port":80}',
  'v:"s"',
  'v:10',
  'v:9',
);
const path = fc.array(step, { minLength: 1, maxLength: 4 });
const set = fc.array(path, { maxLength: 8 }).map(setOfSteps);

/** The plain meaning of a set: its paths as texts. */
function meaning(of: FieldSet): Set<string> {
  return new Set(pathsOf(of).map((steps) => JSON.stringify(steps)));
}

function expectMeaning(of: FieldSet, keep: (path: string) => boolean, ...sources: FieldSet[]): void {
  const all = new Set(sources.flatMap((source) => [...meaning(source)]));
  expect(meaning(of)).toEqual(new Set([...all].filter(keep)));
}

describe('sets of field paths', () => {
  test('have the union, intersection and difference of their paths', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const [left, right] = [meaning(a), meaning(b)];
        expectMeaning(union(a, b), () => true, a, b);
        expectMeaning(intersection(a, b), (text) => right.has(text), a);
        expectMeaning(difference(a, b), (text) => !right.has(text), a);
        expect(left).toEqual(meaning(a));
      }),
    );
  });

  test('lose, when others are excluded, also what lies below', () => {
    fc.assert(
      fc.property(set, set, (a, b) => {
        const gone = pathsOf(b);
        expectMeaning(
          exclude(a, b),
          (text) => {
            const steps = JSON.parse(text) as string[];
            return !gone.some((prefix) => prefix.every((key, i) => steps[i] === key));
          },
          a,
        );
      }),
    );
  });

  test('obey the laws of set algebra', () => {
    fc.assert(
      fc.property(set, set, set, (a, b, c) => {
        expect(union(a, b)).toEqual(union(b, a));
        expect(union(union(a, b), c)).toEqual(union(a, union(b, c)));
        expect(intersection(a, b)).toEqual(intersection(b, a));
        expect(intersection(a, union(b, c))).toEqual(union(intersection(a, b), intersection(a, c)));
        expect(difference(a, union(b, c))).toEqual(difference(difference(a, b), c));
        expect(union(difference(a, b), intersection(a, b))).toEqual(a);
        expect(isEmpty(difference(a, a))).toBe(true);
        expect(union(a, EMPTY)).toEqual(a);
      }),
    );
  });

  test('are written the same in whatever order they were built', () => {
    fc.assert(
      fc.property(fc.array(path, { maxLength: 8 }), fc.infiniteStream(fc.nat()), (paths, order) => {
        const shuffled = [...paths].sort(() => (Number(order.next().value) % 2 === 0 ? 1 : -1));
        expect(JSON.stringify(setOfSteps(shuffled))).toBe(JSON.stringify(setOfSteps(paths)));
      }),
    );
  });

  test('survive being written and read', () => {
    fc.assert(
      fc.property(set, (a) => {
        const wire = JSON.parse(JSON.stringify(a)) as unknown;
        expect(canonicalSet(wire)).toEqual(a);
        expect(JSON.stringify(canonicalSet(wire))).toBe(JSON.stringify(a));
      }),
    );
  });

  test('know their members', () => {
    fc.assert(
      fc.property(set, path, (a, steps) => {
        expect(has(a, steps)).toBe(meaning(a).has(JSON.stringify(steps)));
      }),
    );
  });

  test('share equal nodes, so that a thousand pods of one workload cost one set', () => {
    const one = setOfPaths([
      ['spec', 'containers'],
      ['metadata', 'labels', 'app'],
    ]);
    const other = union(setOfPaths([['metadata', 'labels', 'app']]), setOfPaths([['spec', 'containers']]));
    expect(other).toBe(one);
  });
});

describe('the canonical form', () => {
  test('puts fields before keyed items before scalars, numbers by size', () => {
    const wire = {
      'v:10': {},
      'v:9': {},
      'k:{"n":2}': {},
      'k:{"n":10}': {},
      'k:{"n":"a"}': {},
      'f:z': {},
      'f:a': {},
    };
    expect(Object.keys(canonicalSet(wire))).toEqual([
      'f:a',
      'f:z',
      'k:{"n":2}',
      'k:{"n":10}',
      'k:{"n":"a"}',
      'v:9',
      'v:10',
    ]);
  });

  test('orders the names within a key and drops kinds of steps that it does not know', () => {
    expect(canonicalSet({ 'f:x': { 'k:{"b":1,"a":"<"}': {}, 'q:?': {} } })).toEqual({
      'f:x': { 'k:{"a":"\\u003c","b":1}': {} },
    });
  });

  test('marks a member that has members below with a dot, and no other', () => {
    expect(setOfPaths([['a'], ['a', 'b']])).toEqual({ 'f:a': { '.': {}, 'f:b': {} } });
    expect(setOfPaths([['a', 'b']])).toEqual({ 'f:a': { 'f:b': {} } });
    expect(canonicalSet({ 'f:a': { '.': {} } })).toEqual({ 'f:a': {} });
  });

  test.each([
    ['f', 'key must be 2 characters long:'],
    ['name', 'missing colon: name'],
    ['v:{', /JSON/],
    ['i:x', 'strconv.Atoi: parsing "x": invalid syntax'],
  ])('rejects the step %s', (key, message) => {
    expect(() => canonicalSet({ [key]: {} })).toThrow(message);
  });

  test('rejects what is no set', () => {
    expect(() => canonicalSet({ 'f:a': 1 })).toThrow('a field set is an object');
  });
});

describe('paths in messages', () => {
  test('read as a real server writes them, members before what is below', () => {
    const shown = setOfSteps([
      ['f:spec', 'f:ports', 'k:{"port":80,"protocol":"TCP"}', 'f:name'],
      ['f:spec', 'f:ports', 'k:{"port":80,"protocol":"TCP"}'],
      ['f:spec', 'f:list', 'v:"x"'],
      ['f:spec', 'f:replicas'],
      ['f:spec', 'f:at', 'i:3'],
    ]);
    expect(printPaths(shown)).toEqual([
      '.spec.replicas',
      '.spec.at[3]',
      '.spec.list[="x"]',
      '.spec.ports[port=80,protocol="TCP"]',
      '.spec.ports[port=80,protocol="TCP"].name',
    ]);
  });
});

describe('a filter by path', () => {
  const owned = setOfSteps([
    ['f:spec', 'f:containers', 'k:{"name":"a"}', 'f:resources', 'f:limits'],
    ['f:spec', 'f:containers', 'k:{"name":"a"}', 'f:image'],
    ['f:spec', 'f:containers', 'k:{"name":"a"}'],
    ['f:metadata', 'f:labels'],
  ]);

  test('keeps what lies under a path with a wildcard', () => {
    expect(printPaths(include(owned, [['spec', 'containers', '*', 'resources']]))).toEqual([
      '.spec.containers[name="a"]',
      '.spec.containers[name="a"].resources.limits',
    ]);
  });

  test('keeps nothing when no path matches', () => {
    expect(include(owned, [['status']])).toEqual({});
  });
});

describe('a node', () => {
  test('is a member when nothing is below it or it says so', () => {
    expect(isMember({})).toBe(true);
    expect(isMember({ '.': {}, 'f:a': {} })).toBe(true);
    expect(isMember({ 'f:a': {} })).toBe(false);
  });

  test('has children apart from its own membership', () => {
    expect(childrenOf({ '.': {}, 'f:a': {} })).toEqual({ 'f:a': {} });
    expect(childrenOf({})).toBeUndefined();
  });
});
