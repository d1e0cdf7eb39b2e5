import type { KubeObject } from '@chandler/kube';
import { expect, test } from 'vitest';
import { ApiError } from '../errors.ts';
import type { Resource } from '../resource.ts';
import { customColumns } from './columns/custom.ts';
import { parseIncludeObject, toTable } from './table.ts';

const NOW_MS = Date.parse('2026-11-15T01:56:34Z');
const WIDGETS = {
  group: 'edge.example.com',
  kind: 'Widget',
  columns: customColumns([]),
} as unknown as Resource;
const ONE: KubeObject = {
  apiVersion: 'edge.example.com/v1',
  kind: 'Widget',
  metadata: { name: 'one', resourceVersion: '433', creationTimestamp: '2026-11-15T01:56:20Z' },
  spec: { size: 1 },
};

test('a list becomes a table with the metadata of the list and of each object', () => {
  const listMeta = { resourceVersion: '438', continue: 'abc', remainingItemCount: 5 };
  expect(toTable(WIDGETS, [ONE], { includeObject: 'Metadata', listMeta, nowMs: NOW_MS })).toEqual({
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: listMeta,
    columnDefinitions: [
      { name: 'Name', type: 'string', format: 'name', description: expect.any(String), priority: 0 },
      { name: 'Age', type: 'date', format: '', description: expect.any(String), priority: 0 },
    ],
    rows: [
      {
        cells: ['one', '14s'],
        object: { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata: ONE.metadata },
      },
    ],
  });
});

test.each([
  ['None', null],
  ['Object', ONE],
] as const)('includeObject=%s decides what travels with a row', (includeObject, object) => {
  const table = toTable(WIDGETS, [ONE], { includeObject, listMeta: {}, nowMs: NOW_MS });
  expect(table).toMatchObject({ rows: [{ cells: ['one', '14s'], object }] });
});

test('events of a watch after the first leave the columns out', () => {
  const options = {
    includeObject: 'None',
    listMeta: { resourceVersion: '433' },
    nowMs: NOW_MS,
    watch: true,
  } as const;
  expect(toTable(WIDGETS, [ONE], options)).toMatchObject({
    columnDefinitions: null,
    rows: [{ cells: ['one', '14s'] }],
  });
});

test('a bookmark has its metadata even when the request excludes objects', () => {
  const metadata = { resourceVersion: '438', annotations: { 'k8s.io/initial-events-end': 'true' } };
  const table = toTable(WIDGETS, [{ metadata }], {
    includeObject: 'None',
    listMeta: { resourceVersion: '438' },
    nowMs: NOW_MS,
    watch: true,
    bookmark: true,
  });
  const object = { kind: 'PartialObjectMetadata', apiVersion: 'meta.k8s.io/v1', metadata };
  expect(table).toMatchObject({ rows: [{ cells: ['', null], object }] });
});

test('an empty list is a table without rows', () => {
  expect(toTable(WIDGETS, [], { includeObject: 'Metadata', listMeta: {}, nowMs: NOW_MS })).toMatchObject({
    rows: [],
  });
});

test('includeObject is Metadata by default and rejected when it is something else', () => {
  expect(parseIncludeObject(null)).toBe('Metadata');
  expect(parseIncludeObject('None')).toBe('None');
  expect(() => parseIncludeObject('Bogus')).toThrow(
    new ApiError(
      400,
      'BadRequest',
      "Unable to convert to Table as requested: includeObject: Invalid value: \"Bogus\": must be 'Metadata', 'Object', 'None', or empty",
    ),
  );
});
