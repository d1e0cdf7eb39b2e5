import { describe, expect, test } from 'vitest';
import { mergePatch } from './node-class-status.ts';

describe('the patch of a status', () => {
  test('contains what is new, what changed and what is gone, and nothing else', () => {
    const before = { a: 1, b: { c: 1, d: 2 }, list: [1, 2], gone: 'x' };
    const after = { a: 1, b: { c: 1, d: 3, e: 4 }, list: [1], more: true };
    expect(mergePatch(before, after)).toEqual({ b: { d: 3, e: 4 }, list: [1], gone: null, more: true });
  });

  test('replaces what changes its shape', () => {
    expect(mergePatch({ a: { b: 1 } }, { a: [1] })).toEqual({ a: [1] });
    expect(mergePatch({ a: 1 }, { a: { b: 1 } })).toEqual({ a: { b: 1 } });
  });

  test('is empty where nothing differs', () => {
    expect(mergePatch({ a: { b: 1 } }, { a: { b: 1 } })).toEqual({});
  });
});
