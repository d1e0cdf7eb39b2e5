import { describe, expect, test } from 'vitest';
import { editDistance, similarKey } from './similar-key.ts';

const KNOWN = [
  'karpenter.sh/capacity-type',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
];

describe('an unknown label', () => {
  test.each([
    ['karpenter.sh/capacty-type', 'karpenter.sh/capacity-type', 'a letter is missing'],
    ['kubernetse.io/arch', 'kubernetes.io/arch', 'two letters are swapped'],
    ['topology.kubernetes.io/zones', 'topology.kubernetes.io/zone', 'a letter too many'],
    ['zone', 'topology.kubernetes.io/zone', 'the domain is missing'],
    ['beta.kubernetes.io/os', 'kubernetes.io/os', 'another domain'],
    ['capacity', 'karpenter.sh/capacity-type', 'half of it'],
  ])('%s was perhaps meant to be %s: %s', (key, meant) => {
    expect(similarKey(key, KNOWN)).toBe(meant);
  });

  test.each(['example.com/team', 'gpu', '', 'kubernetes.io/hostname', 'e/one'])(
    '%j is not similar to any known label',
    (key) => {
      expect(similarKey(key, KNOWN)).toBeNull();
    },
  );

  test('gets the nearest known label, and the first by name when several are equally near', () => {
    expect(similarKey('example.com/teem', ['example.com/tee', 'example.com/team'])).toBe('example.com/team');
    expect(similarKey('example.com/te', ['example.com/tea', 'example.com/teb'])).toBe('example.com/tea');
  });
});

describe('the edit distance between two strings', () => {
  test.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
    ['flaw', 'lawn', 2],
    ['same', 'same', 0],
  ])('from %j to %j is %i', (first, second, distance) => {
    expect(editDistance(first, second)).toBe(distance);
    expect(editDistance(second, first)).toBe(distance);
  });
});
