import { expect, test } from 'vitest';
import { Algebra } from '../requirements/algebra.ts';
import { TopologyGroup } from './group.ts';

const [A, B] = [0, 1];

function aSpread(maxSkew: number): TopologyGroup {
  return new TopologyGroup(0, {
    kind: 'spread',
    key: 0,
    host: false,
    maxSkew,
    minDomains: null,
    selector: { matches: () => true } as never,
    namespaces: new Set(['shop']),
    filter: undefined,
    zonesOnly: false,
  });
}

test('pods that may count are too many for another domain, and lift the minimum of their own', () => {
  const algebra = new Algebra();
  const group = aSpread(1);
  group.learnDomain(A);
  group.addPossible(A, 3);
  expect(group.spreadHolds(algebra, undefined, A)).toBe(true);
  expect(group.spreadAllowsWith(algebra, undefined, A, true, 0)).toBe(true);
  group.learnDomain(B);
  expect(group.spreadHolds(algebra, undefined, A)).toBe(false);
  expect(group.spreadAllowsWith(algebra, undefined, A, true, 0)).toBe(false);
  expect(group.spreadAllowsWith(algebra, undefined, B, true, 0)).toBe(true);
  group.add(B, 2);
  expect(group.spreadHolds(algebra, undefined, A)).toBe(true);
  expect(group.spreadHolds(algebra, undefined, B)).toBe(false);
});
