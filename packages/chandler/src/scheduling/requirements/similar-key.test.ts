import { describe, expect, test } from 'vitest';
import { editDistance, similarKey } from './similar-key.ts';

const KNOWN = [
  'karpenter.sh/capacity-type',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
];

describe('a label that nobody knows', () => {
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
    '%j looks like none',
    (key) => {
      expect(similarKey(key, KNOWN)).toBeNull();
    },
  );

  test('is compared with the nearest, and of equally near ones with the first by name', () => {
    expect(similarKey('example.com/teem', ['example.com/tee', 'example.com/team'])).toBe('example.com/team');
    expect(similarKey('example.com/te', ['example.com/tea', 'example.com/teb'])).toBe('example.com/tea');
  });
});

describe('the distance between two words', () => {
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
