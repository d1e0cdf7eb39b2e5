import { expect, test } from 'vitest';
import { groupsOf } from '../model/choose-nodes.ts';
import { aNode, aStore } from '../model/store.fixture.ts';
import { headerText } from './paint.ts';

const headerOf = (...prices: readonly (number | null)[]) => {
  const nodes = prices.map((pricePerHour, at) => aNode(`n${at}`, { pricePerHour }));
  return headerText(groupsOf(aStore(nodes, []), nodes, 'pool')[0]!, false);
};

test('the price of a group of nodes is whole, is a part and says so, or is not known', () => {
  expect(headerOf(0.5, 0.5)).toBe('2 nodes · $1.00/h');
  expect(headerOf(0.5, null, null)).toBe('3 nodes · $0.500/h · 2 nodes without a price');
  expect(headerOf(null)).toBe('1 node · price not known');
});
