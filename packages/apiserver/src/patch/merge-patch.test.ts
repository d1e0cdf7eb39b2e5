import type { KubeObject } from '@chandler/kube';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyPatch } from './index.ts';

const CURRENT: KubeObject = {
  kind: 'ConfigMap',
  apiVersion: 'v1',
  metadata: { name: 'demo', labels: { a: '1', b: '2' } },
  data: { k: 'v' },
};

function patched(patch: unknown, current: KubeObject = CURRENT): KubeObject {
  return applyPatch('merge', current, patch, { type: 'object' });
}

describe('a merge patch', () => {
  test('merges maps, removes by null and replaces the rest', () => {
    const next = patched({
      metadata: { labels: { a: null, c: '3' } },
      data: { list: [1, { x: null, y: 1 }, null] },
    });
    expect(next.metadata.labels).toEqual({ b: '2', c: '3' });
    expect(next['data']).toEqual({ k: 'v', list: [1, { y: 1 }, null] });
  });

  test('leaves both of its inputs alone', () => {
    const patch = { metadata: { labels: { a: null } }, data: { deep: { x: null } } };
    const before = JSON.stringify([CURRENT, patch]);
    patched(patch);
    expect(JSON.stringify([CURRENT, patch])).toBe(before);
  });

  test('drops nulls where there was nothing to remove', () => {
    expect(patched({ extra: { x: null, y: { z: null } } })['extra']).toEqual({ y: {} });
  });

  test('replaces a scalar by a map', () => {
    expect(patched({ data: { k: { now: 'map', gone: null } } })['data']).toEqual({ k: { now: 'map' } });
  });

  test('replaces a map by a list as it is', () => {
    expect(patched({ data: [{ kept: null }] })['data']).toEqual([{ kept: null }]);
  });

  test('takes any name for a name', () => {
    const next = patched(JSON.parse('{"data":{"__proto__":"x","constructor":null}}'));
    expect(JSON.stringify(next['data'])).toBe('{"__proto__":"x","k":"v"}');
  });

  test.each([
    [[], 'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}'],
    [
      'x',
      'error decoding patch: json: cannot unmarshal string into Go value of type map[string]interface {}',
    ],
    [1, 'error decoding patch: json: cannot unmarshal number into Go value of type map[string]interface {}'],
    [true, 'error decoding patch: json: cannot unmarshal bool into Go value of type map[string]interface {}'],
    [null, 'Invalid JSON Patch'],
  ])('is a bad request when it is %j', (patch, message) => {
    expect(() => patched(patch)).toThrow(
      expect.objectContaining({ code: 400, reason: 'BadRequest', message }),
    );
  });
});

describe('a merge patch law', () => {
  // No lists: a real server keeps the nulls of a list that replaces a map, and drops them the next time.
  const name = fc.constantFrom('a', 'b', 'c');
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.constant(null));
  const map = fc.dictionary(name, fc.oneof(leaf, fc.dictionary(name, leaf)));

  test('applying twice is applying once', () => {
    fc.assert(
      fc.property(map, map, (data, patch) => {
        const once = patched({ data: patch }, { ...CURRENT, data });
        expect(patched({ data: patch }, once)).toEqual(once);
      }),
    );
  });

  test('an empty patch changes nothing', () => {
    fc.assert(
      fc.property(map, (data) => {
        expect(patched({}, { ...CURRENT, data })).toEqual({ ...CURRENT, data });
      }),
    );
  });
});
