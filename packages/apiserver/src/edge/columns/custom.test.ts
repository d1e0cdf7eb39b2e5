import type { KubeObject } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { type ColumnDefinition, customColumns } from './custom.ts';
import { compileJsonPath, PathError } from './json-path.ts';

const NOW_MS = Date.parse('2026-11-15T01:56:34Z');

const DEFINITIONS: readonly ColumnDefinition[] = [
  {
    name: 'Ready',
    type: 'string',
    jsonPath: '.status.conditions[?(@.type=="Ready")].status',
    description: 'is it',
  },
  { name: 'Replicas', type: 'integer', jsonPath: '.spec.replicas' },
  { name: 'Factor', type: 'number', jsonPath: '.spec.factor' },
  { name: 'Dotted', type: 'string', jsonPath: '.metadata.labels.a\\.b/c', priority: 1 },
  { name: 'Whole', type: 'string', jsonPath: '.spec.whole' },
  { name: 'Null', type: 'string', jsonPath: '.spec.nothing' },
  { name: 'Flag', type: 'boolean', jsonPath: '.spec.flag' },
  { name: 'When', type: 'date', jsonPath: '.spec.when' },
  { name: 'Second', type: 'string', jsonPath: '.spec.list[1]' },
  { name: 'Last', type: 'string', jsonPath: '.spec.list[-1]' },
  { name: 'First of all', type: 'string', jsonPath: '.spec.list[*]' },
  { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
];

const FULL: KubeObject = {
  metadata: { name: 'one', labels: { 'a.b/c': 'deep' }, creationTimestamp: '2026-11-15T01:56:20Z' },
  spec: {
    replicas: 3,
    factor: 2.5,
    flag: true,
    when: '2020-01-01T00:00:00Z',
    list: ['x', 'y'],
    nothing: null,
    whole: { k: [1, { z: 2 }] },
  },
  status: {
    conditions: [
      { type: 'Other', status: 'x' },
      { type: 'Ready', status: 'True' },
    ],
  },
};

const SPARSE: KubeObject = {
  metadata: { name: 'two', creationTimestamp: '2026-11-15T01:56:20Z' },
  spec: { replicas: 'many', when: 'hello', list: ['only'] },
};

function cells(object: KubeObject, definitions = DEFINITIONS): unknown[] {
  return customColumns(definitions).map((column) => column.cell(object, NOW_MS));
}

describe('columns of custom resources', () => {
  test('show what their paths lead to', () => {
    expect(cells(FULL)).toEqual([
      'one',
      'True',
      3,
      2.5,
      'deep',
      '{"k":[1,{"z":2}]}',
      '<no value>',
      true,
      '6y320d',
      'y',
      'y',
      'x',
      '14s',
    ]);
  });

  test('are empty where the path leads nowhere or to another type', () => {
    const shown = ['two', null, null, null, null, null, null, null, '<invalid>', null, 'only', 'only', '14s'];
    expect(cells(SPARSE)).toEqual(shown);
  });

  test('describe themselves by their path unless the definition says more', () => {
    const [name, ready, replicas, , dotted] = customColumns(DEFINITIONS);
    expect(name).toMatchObject({ name: 'Name', type: 'string', format: 'name', priority: 0 });
    expect(ready?.description).toBe('is it');
    expect(replicas?.description).toBe(
      'Custom resource definition column (in JSONPath format): .spec.replicas',
    );
    expect(dotted?.priority).toBe(1);
  });

  test('are name and age when none are defined', () => {
    expect(customColumns([]).map((column) => [column.name, column.type])).toEqual([
      ['Name', 'string'],
      ['Age', 'date'],
    ]);
    expect(cells(FULL, [])).toEqual(['one', '14s']);
    expect(cells({ metadata: {} }, [])).toEqual(['', null]);
  });

  test('end at the first path that cannot be read', () => {
    const broken = { name: 'Broken', type: 'string', jsonPath: '.spec.list["x"]' };
    const columns = customColumns([DEFINITIONS[1]!, broken, DEFINITIONS[2]!]);
    expect(columns.map((column) => column.name)).toEqual(['Name', 'Replicas']);
  });
});

describe('JSONPath', () => {
  const data = {
    items: [
      { name: 'a', size: 1, tags: ['x'] },
      { name: 'b', size: 5, ok: true },
      { name: 'c)', size: 9, tags: ['y', 'z'] },
    ],
    map: { 'with.dot': 1, plain: { deep: 'here' } },
  };

  test.each([
    ['.items[0].name', ['a']],
    ['.items[*].name', ['a', 'b', 'c)']],
    ['.items[0:2].name', ['a', 'b']],
    ['.items[::2].name', ['a', 'c)']],
    ['.items[-2:].name', ['b', 'c)']],
    ['.items[0,2].name', ['a', 'c)']],
    ['.items[?(@.size>4)].name', ['b', 'c)']],
    ['.items[?(@.size<=1)].name', ['a']],
    ['.items[?(@.name!="a")].size', [5, 9]],
    [".items[?(@.name=='c)')].size", [9]],
    ['.items[?(@.ok==true)].name', ['b']],
    ['.items[?(@.tags)].name', ['a', 'c)']],
    ["['map']['plain']['deep']", ['here']],
    ['.map.with\\.dot', [1]],
    ['$.map.*.deep', ['here']],
    ['..deep', ['here']],
    ['.map.nope.deeper', []],
    ['.toString', []],
  ])('%s', (path, expected) => {
    expect(compileJsonPath(path)(data)).toEqual(expected);
  });

  test.each(['.items[9]', '.map[0]', '.map[?(@.x==1)]', '.items[?(@.name>3)]'])(
    '%s does not fit the data',
    (path) => {
      expect(() => compileJsonPath(path)(data)).toThrow(PathError);
    },
  );

  test.each(['.items[', '.items[x]', '.items[?(@.a=="b"]', '.a[?(@.x=~"y")]', 'range'])(
    '%s cannot be read',
    (path) => {
      expect(() => compileJsonPath(path)).toThrow(PathError);
    },
  );
});
