import { describe, expect, test } from 'vitest';
import { internalPodSpec } from './layout.ts';
import { jsonDifference } from './unified-diff.ts';

describe('the difference that an error shows', () => {
  test('has three lines around each change', () => {
    const before = { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, i: 9 };
    expect(jsonDifference(before, { ...before, e: 0 })).toBe(
      '@@ -3,7 +3,7 @@\n  "b": 2,\n  "c": 3,\n  "d": 4,\n- "e": 5,\n+ "e": 0,\n  "f": 6,\n  "g": 7,\n  "h": 8,\n',
    );
  });

  test('is empty where nothing changed', () => {
    expect(jsonDifference({ a: [1] }, { a: [1] })).toBe('');
  });

  test('keeps changes that are far apart in hunks of their own', () => {
    const before = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`k${index}`, index]));
    const text = jsonDifference(before, { ...before, k1: 'x', k38: 'y' });
    expect(text.match(/^@@/gm)).toHaveLength(2);
  });

  test('shows a pod as the server keeps it inside', () => {
    expect(internalPodSpec({ containers: [], hostNetwork: true })).toMatchObject({
      Volumes: null,
      Containers: [],
      NodeName: '',
      SecurityContext: { HostNetwork: true, HostPID: false, RunAsUser: null },
    });
  });
});
