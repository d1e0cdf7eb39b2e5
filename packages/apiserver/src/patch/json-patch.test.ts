import type { KubeObject } from '@chandler/kube';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../errors.ts';
import { applyPatch, unknownOperationFields } from './index.ts';

const CURRENT: KubeObject = Object.freeze({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: Object.freeze({
    name: 'demo',
    labels: Object.freeze({ a: '1', 'x/y': '2', 't~u': '3' }),
    finalizers: ['f/one', 'f/two'],
  }),
  data: Object.freeze({ k: 'v' }),
}) as KubeObject;

function patched(...operations: unknown[]): KubeObject {
  return applyPatch('json', CURRENT, operations, { type: 'object' });
}

function refusal(patch: unknown): Partial<ApiError> {
  try {
    applyPatch('json', CURRENT, patch, { type: 'object' });
  } catch (error) {
    if (error instanceof ApiError) return { code: error.code, reason: error.reason, message: error.message };
    throw error;
  }
  throw new Error('was not refused');
}

const DOES_NOT_APPLY = {
  code: 422,
  reason: 'Invalid',
  message: 'the server rejected our request due to an error in our request',
};

describe('a JSON patch', () => {
  test('adds to maps and lists', () => {
    const next = patched(
      { op: 'add', path: '/metadata/labels/b', value: '9' },
      { op: 'add', path: '/metadata/finalizers/-', value: 'f/last' },
      { op: 'add', path: '/metadata/finalizers/0', value: 'f/first' },
      { op: 'add', path: '/metadata/finalizers/-1', value: 'f/end' },
    );
    expect(next.metadata.labels?.['b']).toBe('9');
    expect(next.metadata.finalizers).toEqual(['f/first', 'f/one', 'f/two', 'f/last', 'f/end']);
  });

  test('reads escapes in pointers', () => {
    const next = patched(
      { op: 'remove', path: '/metadata/labels/x~1y' },
      { op: 'remove', path: '/metadata/labels/t~0u' },
    );
    expect(next.metadata.labels).toEqual({ a: '1' });
  });

  test('removes, also counted from the end', () => {
    expect(patched({ op: 'remove', path: '/metadata/finalizers/-2' }).metadata.finalizers).toEqual(['f/two']);
    expect(patched({ op: 'remove', path: '/data' })).not.toHaveProperty('data');
  });

  test('adds a map key that it was to replace', () => {
    expect(patched({ op: 'replace', path: '/data/new', value: 'n' })['data']).toEqual({ k: 'v', new: 'n' });
  });

  test('replaces the whole document', () => {
    expect(patched({ op: 'replace', path: '', value: { kind: 'Other' } })).toEqual({ kind: 'Other' });
  });

  test('moves and copies', () => {
    const next = patched(
      { op: 'move', from: '/data/k', path: '/data/moved' },
      { op: 'copy', from: '/metadata/labels', path: '/data/copied' },
      { op: 'add', path: '/data/copied/own', value: 'x' },
    );
    expect(next['data']).toEqual({ moved: 'v', copied: { a: '1', 'x/y': '2', 't~u': '3', own: 'x' } });
    expect(next.metadata.labels).not.toHaveProperty('own');
  });

  test('tests values regardless of key order; a missing key equals null', () => {
    expect(() =>
      patched(
        { op: 'test', path: '/metadata/labels', value: { 't~u': '3', a: '1', 'x/y': '2' } },
        { op: 'test', path: '/data/none', value: null },
        { op: 'test', path: '/data/none' },
        { op: 'test', path: '', value: CURRENT },
      ),
    ).not.toThrow();
  });

  test('puts null where a value is missing', () => {
    expect(patched({ op: 'add', path: '/data/k' })['data']).toEqual({ k: null });
    expect(patched({ op: 'copy', from: '/data/none', path: '/data/q' })['data']).toEqual({ k: 'v', q: null });
  });

  test('takes null for no operations', () => {
    expect(applyPatch('json', CURRENT, null, { type: 'object' })).toEqual(CURRENT);
  });

  test('shows the maps that it went through with their keys in order', () => {
    const next = patched({ op: 'add', path: '/metadata/labels/0', value: 'z' });
    expect(JSON.stringify(next)).toBe(
      '{"apiVersion":"v1","data":{"k":"v"},"kind":"ConfigMap","metadata":{"finalizers":["f/one","f/two"],"labels":{"0":"z","a":"1","t~u":"3","x/y":"2"},"name":"demo"}}',
    );
  });

  test.each([
    ['a test that fails', { op: 'test', path: '/data/k', value: 'w' }],
    ['a test without a value of a key that is there', { op: 'test', path: '/data/k' }],
    ['a test of the document that fails', { op: 'test', path: '', value: {} }],
    ['removing what is not there', { op: 'remove', path: '/data/none' }],
    ['removing the end marker', { op: 'remove', path: '/metadata/finalizers/-' }],
    ['removing before the start', { op: 'remove', path: '/metadata/finalizers/-3' }],
    ['removing the document', { op: 'remove', path: '' }],
    ['adding under a missing parent', { op: 'add', path: '/none/x', value: 1 }],
    ['adding under a scalar', { op: 'add', path: '/data/k/x', value: 1 }],
    ['adding past the end', { op: 'add', path: '/metadata/finalizers/3', value: 'x' }],
    ['adding at what is no index', { op: 'add', path: '/metadata/finalizers/x', value: 'x' }],
    ['a pointer without a slash', { op: 'add', path: 'data', value: 1 }],
    ['no pointer', { op: 'add', value: 1 }],
    ['replacing past the end', { op: 'replace', path: '/metadata/finalizers/5', value: 'x' }],
    ['replacing the document by a scalar', { op: 'replace', path: '', value: 'x' }],
    ['moving what is not there', { op: 'move', from: '/data/none', path: '/data/q' }],
    ['moving from nowhere', { op: 'move', path: '/data/q' }],
    ['copying to nowhere', { op: 'copy', from: '/data/k' }],
    ['an unknown operation', { op: 'ADD', path: '/data/k', value: 1 }],
    ['no operation', { path: '/data/k' }],
    ['null', null],
  ])('is rejected for %s, without saying why', (_, operation) => {
    expect(refusal([operation])).toEqual(DOES_NOT_APPLY);
  });

  test.each([
    [{}, 'object into Go value of type []handlers.jsonPatchOp'],
    ['x', 'string into Go value of type []handlers.jsonPatchOp'],
    [[1], 'number into Go value of type handlers.jsonPatchOp'],
    [[{ op: 1 }], 'number into Go struct field jsonPatchOp.op of type string'],
    [[{ op: 'add', path: {} }], 'object into Go struct field jsonPatchOp.path of type string'],
    [[{ op: 'move', from: [] }], 'array into Go struct field jsonPatchOp.from of type string'],
    [[{ op: true }], 'bool into Go struct field jsonPatchOp.op of type string'],
  ])('is a bad request when it is %j', (patch, what) => {
    expect(refusal(patch)).toEqual({
      code: 400,
      reason: 'BadRequest',
      message: `error decoding patch: json: cannot unmarshal ${what}`,
    });
  });

  test('has at most ten thousand operations', () => {
    const many = Array.from({ length: 10_001 }, () => ({ op: 'test', path: '/kind', value: 'ConfigMap' }));
    expect(refusal(many)).toMatchObject({ code: 413, reason: 'RequestEntityTooLarge' });
    expect(() => patched(...many.slice(1))).not.toThrow();
  });

  test('reports unknown fields of operations with strict validation', () => {
    expect(
      unknownOperationFields([
        { op: 'test', path: '', value: 1 },
        { op: 'add', foo: 1 },
      ]),
    ).toEqual(['json patch unknown field "[1].foo"']);
  });
});

describe('a JSON patch law', () => {
  const json = fc.jsonValue({ maxDepth: 2 });

  test('what was added can be tested, and removed again', () => {
    fc.assert(
      fc.property(fc.string(), json, (name, value) => {
        const pointer = `/data/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
        fc.pre(name !== 'k');
        const operations = [
          { op: 'add', path: pointer, value },
          { op: 'test', path: pointer, value },
          { op: 'remove', path: pointer },
        ];
        expect(patched(...operations)).toEqual(CURRENT);
      }),
    );
  });
});
