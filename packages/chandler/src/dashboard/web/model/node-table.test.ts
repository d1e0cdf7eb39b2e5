import { expect, test } from 'vitest';
import { nodeTable, sortNodes } from './node-table.ts';
import { aNode, aPod, aStore } from './store.fixture.ts';

test('what is not known comes last, in both directions', () => {
  const nodes = () => [
    aNode('unknown', { pricePerHour: null }),
    aNode('dear', { pricePerHour: 2 }),
    aNode('cheap', { pricePerHour: 1 }),
  ];
  const names = (sign: 1 | -1) =>
    sortNodes(nodes(), ({ pricePerHour }) => pricePerHour, sign).map(({ name }) => name);
  expect(names(1)).toEqual(['cheap', 'dear', 'unknown']);
  expect(names(-1)).toEqual(['dear', 'cheap', 'unknown']);
});

test('a file of the nodes has units, a time and what belongs to a node', () => {
  const node = aNode('a', {
    claim: 'claim-a',
    version: 'v1.33.1',
    createdMs: Date.UTC(2026, 0, 1),
    maxPods: 30,
  });
  const store = aStore([node], [aPod('web', 'a', 'r', 1500)]);
  const { columns, rows } = nodeTable([node], store);
  expect(Object.fromEntries(columns.map((column, at) => [column, rows[0]?.[at]]))).toMatchObject({
    name: 'a',
    claim: 'claim-a',
    version: 'v1.33.1',
    created: '2026-01-01T00:00:00.000Z',
    cpuRequestedMillis: 1500,
    cpuAllocatableMillis: 4000,
    memoryRequestedBytes: 10,
    pods: 1,
    maxPods: 30,
    pricePerHour: 0.5,
  });
});
