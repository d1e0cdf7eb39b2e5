import type { KubeObject } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import type { Resource } from '../resource.ts';
import { cloneJson, equalJson, freezeJson } from './json.ts';
import { Stored, toStorage } from './stored.ts';

const object = (): KubeObject => ({
  apiVersion: 'x.io/v2',
  kind: 'Note',
  metadata: { name: 'a' },
  text: 'hi',
});

const resource = (version: string, storage: Partial<Resource['storage']> = {}) =>
  ({
    group: 'x.io',
    version,
    kind: 'Note',
    storage: { key: 'notes.x.io', apiVersion: 'x.io/v2', kind: 'Note', ...storage },
  }) as Resource;

describe('a stored object', () => {
  test('is written with kind and apiVersion first, and without them for lists', () => {
    const stored = Stored.unsaved(object(), 1);
    expect(stored.text).toBe('{"kind":"Note","apiVersion":"x.io/v2","metadata":{"name":"a"},"text":"hi"}');
    expect(stored.bareText).toBe('{"metadata":{"name":"a"},"text":"hi"}');
  });

  test('is itself in the stored version, and one shared view in each other version', () => {
    const stored = Stored.unsaved(object(), 1);
    const other = resource('v1');
    expect(stored.as(resource('v2'))).toBe(stored);
    expect(stored.as(other).object.apiVersion).toBe('x.io/v1');
    expect(stored.as(other)).toBe(stored.as(other));
  });

  test('is converted where versions differ, and anew when the resource was redefined', () => {
    const stored = Stored.unsaved(object(), 1);
    const converting = (mark: string) =>
      resource('v1', { decode: (from) => ({ ...from, apiVersion: 'x.io/v1', text: mark }) });
    expect(stored.as(converting('one')).object['text']).toBe('one');
    expect(stored.as(converting('two')).object['text']).toBe('two');
    const renaming = resource('v1', {
      decode: ({ text, ...from }) => ({ ...from, apiVersion: 'x.io/v1', words: text }) as KubeObject,
    });
    expect(stored.as(renaming).as(renaming).object['words']).toBe('hi');
    expect(toStorage({ ...object(), apiVersion: 'x.io/v1' }, resource('v1')).apiVersion).toBe('x.io/v2');
  });
});

describe('JSON values', () => {
  test('are copied all the way down', () => {
    const original = freezeJson({ list: [{ deep: 1 }], none: null });
    const copy = cloneJson(original) as { list: { deep: number }[] };
    copy.list[0]!.deep = 2;
    expect(original.list[0]!.deep).toBe(1);
  });

  test('are equal whatever the order of their keys, and when a field is undefined or absent', () => {
    expect(equalJson({ a: 1, b: [1, { c: 2 }] }, { b: [1, { c: 2 }], a: 1, d: undefined })).toBe(true);
    expect(equalJson({ a: 1 }, { a: 1, b: 2 })).toBe(false);
    expect(equalJson([1, 2], [2, 1])).toBe(false);
    expect(equalJson({}, [])).toBe(false);
    expect(equalJson(null, {})).toBe(false);
  });
});
