import { describe, expect, test } from 'vitest';
import { inPlaceAnnotations, inPlaceHash, inPlacePatch, isInPlace, readMark } from './in-place.ts';

const claim = (annotations: Record<string, string>) => ({ metadata: { name: 'c', annotations } });

describe('the hash of what can be changed in place', () => {
  test('is FNV-1a of the JSON that Go writes, in decimal', () => {
    // The bytes `{}` under FNV-1a with 32 bits; the others by the plain formula below, on whole numbers.
    expect(inPlaceHash({ identities: [], tags: {} })).toBe('1415952421');
    expect(inPlaceHash({ identities: [], tags: { a: 'b' } })).toBe(fnv1a('{"tags":{"a":"b"}}'));
    expect(inPlaceHash({ identities: ['/b', '/a'], tags: { x: '<&>' } })).toBe(
      fnv1a('{"identities":{"/a":{},"/b":{}},"tags":{"x":"\\u003c\\u0026\\u003e"}}'),
    );
  });

  test('does not depend on the order of tags and identities', () => {
    expect(inPlaceHash({ identities: ['/a', '/b'], tags: { a: '1', b: '2' } })).toBe(
      inPlaceHash({ identities: ['/b', '/a'], tags: { b: '2', a: '1' } }),
    );
  });
});

describe('a running VM', () => {
  const goal = { identities: ['/ID/one'], tags: { team: 'a' } };

  test('is trusted to be right only when we wrote the hash ourselves', () => {
    expect(isInPlace(claim(inPlaceAnnotations(goal)), goal)).toBe(true);
    const { 'karpenter.azure.com/in-place-update-hash': upstream } = inPlaceAnnotations(goal);
    expect(isInPlace(claim({ 'karpenter.azure.com/in-place-update-hash': upstream! }), goal)).toBe(false);
    expect(isInPlace(claim(inPlaceAnnotations(goal)), { ...goal, tags: { team: 'b' } })).toBe(false);
  });

  test('that is as it should be is not patched, whatever else others put on it', () => {
    const actual = {
      tags: { TEAM: 'a', policy: 'x' },
      identity: { type: 'UserAssigned' as const, userAssignedIdentities: { '/id/ONE': {}, '/id/two': {} } },
    };
    expect(inPlacePatch(goal, actual, undefined)).toBeUndefined();
  });

  test('gets the tags that differ and keeps foreign tags', () => {
    const actual = {
      tags: { Team: 'old', policy: 'x' },
      identity: { userAssignedIdentities: { '/ID/one': {} } },
    };
    expect(inPlacePatch(goal, actual, undefined)).toEqual({
      tags: { policy: 'x', team: 'a' },
      update: { tags: { policy: 'x', team: 'a' } },
    });
  });

  test('loses a tag that we set and no longer want', () => {
    const mark = readMark(claim(inPlaceAnnotations({ ...goal, tags: { team: 'a', old: '1' } })));
    const actual = {
      tags: { team: 'a', old: '1', policy: 'x' },
      identity: { userAssignedIdentities: { '/ID/one': {} } },
    };
    expect(inPlacePatch(goal, actual, mark)?.tags).toEqual({ team: 'a', policy: 'x' });
    expect(inPlacePatch(goal, actual, undefined), 'without our mark nothing is removed').toBeUndefined();
  });

  test('gets identities that are missing and loses none', () => {
    const actual = { tags: { team: 'a' }, identity: { type: 'SystemAssigned' as const } };
    expect(inPlacePatch(goal, actual, undefined)).toEqual({
      update: {
        identity: { type: 'SystemAssigned, UserAssigned', userAssignedIdentities: { '/ID/one': {} } },
      },
    });
  });

  test('with an unreadable mark is checked again', () => {
    expect(readMark(claim({ 'chandler.sh/in-place-update': '{' }))).toBeUndefined();
    expect(readMark(claim({ 'chandler.sh/in-place-update': '{"hash":1}' }))).toBeUndefined();
  });
});

function fnv1a(text: string): string {
  let hash = 2166136261n;
  for (const byte of Buffer.from(text)) hash = ((hash ^ BigInt(byte)) * 16777619n) % 2n ** 32n;
  return String(hash);
}
