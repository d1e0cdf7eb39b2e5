import { describe, expect, test } from 'vitest';
import { compareVersions, isNewer, newest } from './resource-version.ts';

describe('comparing resourceVersions', () => {
  test('orders whole numbers, also those beyond what a double can hold', () => {
    expect(compareVersions('9', '10')).toBeLessThan(0);
    expect(compareVersions('10', '10')).toBe(0);
    expect(compareVersions('90071992547409931', '90071992547409930')).toBeGreaterThan(0);
  });

  test('cannot order anything else, but knows equals', () => {
    expect(compareVersions('abc', 'abd')).toBeUndefined();
    expect(compareVersions('abc', 'abc')).toBe(0);
    expect(compareVersions('007', '8')).toBeUndefined();
    expect(isNewer('abc', '1')).toBe(false);
  });

  test('prefers the later one where they cannot be ordered', () => {
    expect(newest('5', '3')).toBe('5');
    expect(newest('x', 'y')).toBe('y');
    expect(newest(undefined, '3')).toBe('3');
  });
});
