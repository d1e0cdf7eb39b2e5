import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeOf } from './list-change.ts';

const objects = Array.from({ length: 400 }, (_, id) => ({ id }));

function sorted(list: readonly { readonly id: number }[]): number[] {
  return list.map(({ id }) => id).sort((one, other) => one - other);
}

describe('the change between two lists', () => {
  test('names what was replaced, inserted and removed', () => {
    const before = objects.slice(0, 300);
    const after = before.slice();
    after[10] = objects[350]!;
    after.splice(100, 1);
    after.splice(200, 0, objects[360]!, objects[361]!);
    const change = changeOf(before, after)!;
    expect(sorted(change.removed)).toEqual([10, 100]);
    expect(sorted(change.added)).toEqual([350, 360, 361]);
  });

  test('leads from the first list to the second, also with elements that occur twice', () => {
    const list = fc.array(fc.constantFrom(...objects.slice(0, 30)), { maxLength: 60 });
    fc.assert(
      fc.property(list, list, (before, after) => {
        const { removed, added } = changeOf(before, after)!;
        expect(sorted([...before, ...added])).toEqual(sorted([...after, ...removed]));
      }),
    );
  });

  test('is not given for lists that have little in common', () => {
    expect(changeOf(objects.slice(0, 200), objects.slice(200))).toBeUndefined();
    expect(changeOf(objects, objects)).toEqual({ removed: [], added: [] });
  });
});
