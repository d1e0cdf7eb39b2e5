/** Comparing, extracting and merging by type: what apply is built of. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Structure } from '../structure.ts';
import { compare } from './compare.ts';
import { fieldSetOf, fitToType, withNamedFields } from './extract.ts';
import { difference, isEmpty, setOfPaths, setOfSteps } from './field-set.ts';
import { fieldTypeOf } from './field-type.ts';
import { mergeValues, removePaths } from './merge.ts';
import { misfits } from './validate.ts';

const text: Structure = { type: 'string' };

const SHAPE: Structure = {
  type: 'object',
  properties: {
    name: text,
    size: { type: 'quantity' },
    tags: { type: 'array', listType: 'set', items: text },
    whole: { type: 'array', items: text },
    ports: {
      type: 'array',
      listType: 'map',
      listKeys: ['port', 'protocol'],
      items: {
        type: 'object',
        properties: { port: { type: 'integer' }, protocol: { type: 'string', default: 'TCP' }, name: text },
      },
    },
    legacy: {
      type: 'array',
      patchStrategy: 'merge',
      patchMergeKey: 'uid',
      items: { type: 'object', properties: { uid: text, n: text } },
    },
    labels: { type: 'object', additional: text },
    selector: { type: 'object', mapType: 'atomic', additional: text },
    nested: { type: 'object', properties: { a: text, b: text } },
    free: {
      type: 'object',
      preserveUnknown: true,
      properties: { known: { type: 'array', listType: 'set', items: text } },
    },
    raw: { type: 'any', name: 'io.k8s.apimachinery.pkg.runtime.RawExtension' },
    anything: { type: 'any' },
  },
};
const TYPE = fieldTypeOf(SHAPE);

const name = fc.constantFrom('a', 'b', 'c');
const value = fc.record(
  {
    name,
    tags: fc.uniqueArray(name),
    whole: fc.array(name, { maxLength: 2 }),
    ports: fc.uniqueArray(
      fc.record(
        { port: fc.constantFrom(1, 2), protocol: fc.constantFrom('TCP', 'UDP'), name },
        { requiredKeys: ['port', 'protocol'] },
      ),
      { selector: ({ port, protocol }) => `${port}${protocol}` },
    ),
    labels: fc.dictionary(name, name),
    selector: fc.dictionary(name, name),
    nested: fc.record({ a: name, b: name }, { requiredKeys: [] }),
    free: fc.dictionary(name, fc.oneof(name, fc.dictionary(name, name), fc.array(name, { maxLength: 2 }))),
  },
  { requiredKeys: [] },
);

describe('comparing two values', () => {
  test('finds no change between equals', () => {
    fc.assert(
      fc.property(value, (a) => {
        expect(compare(a, structuredClone(a), TYPE)).toEqual({ added: {}, modified: {}, removed: {} });
      }),
    );
  });

  test('reports an addition as the inverse of a removal', () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        const there = compare(a, b, TYPE);
        const back = compare(b, a, TYPE);
        expect(back).toEqual({ added: there.removed, removed: there.added, modified: there.modified });
      }),
    );
  });

  test('reports an added container as a separate path', () => {
    expect(compare({}, { nested: { a: '1' }, selector: { x: 'y' } }, TYPE).added).toEqual({
      'f:nested': { '.': {}, 'f:a': {} },
      'f:selector': {},
    });
  });

  test('compares atomic lists and maps as a whole', () => {
    const change = compare(
      { whole: ['a'], selector: { x: '1' } },
      { whole: ['b'], selector: { x: '1', y: '2' } },
      TYPE,
    );
    expect(change.modified).toEqual({ 'f:selector': {}, 'f:whole': {} });
  });

  test('identifies list items by key, with defaults for absent keys', () => {
    const change = compare(
      { ports: [{ port: 80, name: 'a' }] },
      { ports: [{ port: 80, protocol: 'TCP', name: 'b' }] },
      TYPE,
    );
    expect(change).toEqual({
      added: { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { 'f:protocol': {} } } },
      modified: { 'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { 'f:name': {} } } },
      removed: {},
    });
  });

  test('treats duplicates as one opaque item', () => {
    const twice = { tags: ['a', 'a'] };
    expect(compare({ tags: ['a'] }, twice, TYPE)).toMatchObject({ added: { 'f:tags': { 'v:"a"': {} } } });
    expect(compare(twice, { tags: ['a', 'a', 'a'] }, TYPE).modified).toEqual({ 'f:tags': { 'v:"a"': {} } });
    expect(compare(twice, { tags: ['a'] }, TYPE)).toMatchObject({ removed: { 'f:tags': { 'v:"a"': {} } } });
  });

  test('sees a value that becomes a map as changed, and what is in the map as added', () => {
    expect(compare({ anything: 'x' }, { anything: { y: 1 } }, TYPE)).toEqual({
      added: { 'f:anything': { 'f:y': {} } },
      modified: { 'f:anything': {} },
      removed: {},
    });
  });
});

describe('the fields that a value sets', () => {
  test('are its leaves, map entries and list items, not the structs around them', () => {
    const config = {
      nested: { a: '1' },
      labels: { x: '1' },
      ports: [{ port: 80 }],
      raw: { k: [1] },
      free: { x: { y: 1 } },
    };
    expect(fieldSetOf(config, TYPE)).toEqual({
      'f:free': { 'f:x': { '.': {}, 'f:y': {} } },
      'f:labels': { 'f:x': {} },
      'f:nested': { 'f:a': {} },
      'f:ports': { 'k:{"port":80,"protocol":"TCP"}': { '.': {}, 'f:port': {} } },
      'f:raw': {},
    });
  });

  test('include empty maps and nulls', () => {
    expect(fieldSetOf({ labels: {}, nested: null, tags: [] }, TYPE)).toEqual({
      'f:labels': {},
      'f:nested': {},
    });
  });

  test('follow the patch strategy where a built-in list has no type', () => {
    expect(fieldSetOf({ legacy: [{ uid: 'u', n: '1' }] }, TYPE)).toEqual({
      'f:legacy': { 'k:{"uid":"u"}': { '.': {}, 'f:n': {}, 'f:uid': {} } },
    });
  });

  test('are all added when the value is new', () => {
    fc.assert(
      fc.property(value, (a) => {
        expect(isEmpty(difference(fieldSetOf(a, TYPE), compare({}, a, TYPE).added))).toBe(true);
      }),
    );
  });
});

describe('merging a configuration', () => {
  test('sets all its fields and keeps the others', () => {
    fc.assert(
      fc.property(value, value, (live, config) => {
        const merged = mergeValues(live, config, TYPE) ?? {};
        const { added, modified } = compare(merged, config, TYPE);
        expect(added).toEqual({});
        expect(modified).toEqual({});
        expect(mergeValues(merged, config, TYPE) ?? {}).toEqual(merged);
      }),
    );
  });

  test('orders shared items as the configuration does, others where they stood', () => {
    const merged = (live: string[], config: string[]): unknown =>
      (mergeValues({ tags: live }, { tags: config }, TYPE) as { tags: string[] }).tags;
    expect(merged(['a', 'b', 'c'], ['c', 'a'])).toEqual(['b', 'c', 'a']);
    expect(merged(['a', 'b'], ['x', 'b'])).toEqual(['a', 'x', 'b']);
    expect(merged(['a', 'a', 'b'], ['b', 'a'])).toEqual(['b', 'a']);
  });
});

describe('removing fields', () => {
  test('removes empty structs when they are named', () => {
    const paths = withNamedFields(
      setOfPaths([
        ['nested', 'a'],
        ['labels', 'x'],
      ]),
      TYPE,
    );
    expect(removePaths({ nested: { a: '1' }, labels: { x: '1' }, name: 'n' }, paths, TYPE)).toEqual({
      name: 'n',
    });
  });

  test('leaves null in the place of a part that is emptied', () => {
    expect(removePaths({ labels: { x: '1' }, name: 'n' }, setOfPaths([['labels', 'x']]), TYPE)).toEqual({
      labels: null,
      name: 'n',
    });
  });

  test('removes list items by key', () => {
    const paths = setOfSteps([
      ['f:ports', 'k:{"port":80,"protocol":"TCP"}'],
      ['f:ports', 'k:{"port":81,"protocol":"TCP"}', 'f:name'],
    ]);
    expect(removePaths({ ports: [{ port: 80 }, { port: 81, name: 'n' }] }, paths, TYPE)).toEqual({
      ports: [{ port: 81 }],
    });
  });
});

describe('a record of owners that is older than the definition', () => {
  test('owns as a whole what has become atomic', () => {
    const old = setOfSteps([
      ['f:whole', 'v:"a"'],
      ['f:selector', 'f:x'],
      ['f:free', 'f:y', 'f:z'],
      ['f:gone', 'f:x'],
    ]);
    expect(fitToType(old, TYPE)).toEqual({
      'f:free': { 'f:y': { 'f:z': {} } },
      'f:gone': { 'f:x': {} },
      'f:selector': {},
      'f:whole': {},
    });
  });

  test('stays as it is otherwise', () => {
    const set = setOfSteps([['f:tags', 'v:"a"'], ['f:nested', 'f:a'], ['f:selector']]);
    expect(fitToType(set, TYPE)).toBe(set);
  });
});

describe('what does not fit its type', () => {
  test.each([
    [{ unknown: 1 }, '.unknown: field not declared in schema'],
    [{ name: 1 }, '.name: expected string, got &value.valueUnstructured{Value:1}'],
    [{ size: {} }, '.size: expected any scalar, got &{map[]}'],
    [{ labels: ['x'] }, '.labels: expected map, got &{[x]}'],
    [{ tags: 'x' }, '.tags: expected list, got &{x}'],
    [{ tags: ['a', 'a'] }, '.tags: duplicate entries for key [="a"]'],
    [{ tags: [{}] }, ".tags: element 0: associative list without keys has an element that's a map type"],
    [{ tags: [[]] }, '.tags: element 0: not supported: associative list with lists as elements'],
    [
      { legacy: [{ n: 'x' }] },
      `.legacy: element 0: associative list with keys has an element that omits all key fields ["uid"] (and doesn't have default values for any key fields)`,
    ],
    [
      { ports: [{ port: 'x' }] },
      '.ports[port="x",protocol="TCP"].port: expected numeric (int or float), got string',
    ],
    [{ whole: ['a', true] }, '.whole[1]: expected string, got &value.valueUnstructured{Value:true}'],
  ])('%j', (given, message) => {
    expect(misfits(given, TYPE)).toEqual([message]);
  });

  test('is not reported for stored duplicates', () => {
    expect(misfits({ tags: ['a', 'a'] }, TYPE, true)).toEqual([]);
  });
});
