import { expect, test } from 'vitest';
import type { Totals } from '../../wire.ts';
import { poolPrice, priceNotes, priceOverBound } from './cluster-price.ts';
import { aNode } from './store.fixture.ts';

const totals = (pricePerHour: number | null, lowerBoundPerHour: number | null) =>
  ({ pricePerHour, lowerBoundPerHour }) as Totals;

test.each([
  [1.2, 1, '+20%'],
  [0.8, 1, '−20%'],
  [1, 1, '+0%'],
  [null, 1, '–'],
  [1, null, '–'],
  [1, 0, '–'],
])('a price of %s over a bound of %s is %s', (price, bound, value) => {
  expect(priceOverBound(totals(price, bound), [aNode('a')]).value).toBe(value);
});

test.each([
  ['computing', 'being computed'],
  ['too-many-pods', 'not computed with more than 5,000 pods'],
  ['not-permitted', 'not known: it needs pods, NodeClaims and NodePools, which may not be read'],
  ['not-found', 'not known'],
  ['off', 'not computed by the controller'],
  [undefined, 'not known'],
] as const)('a bound that is missing (%s) says why, and not that it is coming', (noLowerBound, text) => {
  const missing = { ...totals(1, null), ...(noLowerBound === undefined ? {} : { noLowerBound }) };
  expect(priceOverBound(missing, [aNode('a')])).toEqual({ value: '–', text });
});

test('while nodes are being launched there is no share: their pods are not in the bound', () => {
  const nodes = [aNode('a'), aNode('b', { phase: 'booting' }), aNode('c', { phase: 'planned' })];
  expect(priceOverBound(totals(11, 1), nodes)).toEqual({
    value: '–',
    text: 'bound $1.00/h for running pods · 2 nodes being launched',
  });
});

test('while nodes are being removed there is no share either: their pods may be gone', () => {
  const nodes = [aNode('a'), aNode('b', { phase: 'deleting' }), aNode('c', { phase: 'disrupting' })];
  expect(priceOverBound(totals(11, 1), nodes)).toEqual({
    value: '–',
    text: 'bound $1.00/h for running pods · 2 nodes being removed',
  });
  expect(priceOverBound(totals(11, 1), [...nodes, aNode('d', { phase: 'booting' })]).text).toBe(
    'bound $1.00/h for running pods · 1 node being launched · 2 nodes being removed',
  );
});

test('one node of a hundred does not hide the share', () => {
  const nodes = Array.from({ length: 99 }, (_, at) => aNode(`n${at}`));
  expect(priceOverBound(totals(1.2, 1), [...nodes, aNode('b', { phase: 'booting' })]).value).toBe('+20%');
});

test('nodes that are not managed are distinguished from those whose price is not known; spot is at list price', () => {
  const unmanaged = aNode('s', { pool: null, claim: null, pricePerHour: null });
  expect(priceNotes([aNode('a', { capacity: 'on-demand' })])).toEqual([]);
  expect(priceNotes([aNode('a'), unmanaged, unmanaged, aNode('b', { pricePerHour: null })])).toEqual([
    '1 node without a price',
    'without 2 unmanaged nodes',
    'spot nodes at list price',
  ]);
});

test('the price of a NodePool is not 0 where it is not known, and is a part where some of it is not', () => {
  const unpriced = aNode('u', { pricePerHour: null });
  expect(poolPrice([])).toBe('$0/h, $0 a month');
  expect(poolPrice([aNode('a'), aNode('b')])).toBe('$1.00/h, $730 a month');
  expect(poolPrice([aNode('a'), unpriced])).toBe('$0.500/h, $365 a month · 1 node without a price');
  expect(poolPrice([unpriced, unpriced])).toBe('not known');
});
