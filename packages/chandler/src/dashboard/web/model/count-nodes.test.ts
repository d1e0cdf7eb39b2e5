import { expect, test } from 'vitest';
import { countNodes } from './count-nodes.ts';
import { aNode } from './store.fixture.ts';

const aClaim = (name: string, phase: Parameters<typeof aNode>[1] = {}) =>
  aNode(name, { node: null, ...phase });

test('a NodeClaim without a node is no node: it is being launched, being removed, or failed', () => {
  const rows = [
    aNode('a'),
    // It registered: kubectl lists it.
    aNode('b', { phase: 'booting' }),
    aClaim('c', { phase: 'planned' }),
    aClaim('d', { phase: 'booting' }),
    aClaim('e', { phase: 'deleting' }),
    aClaim('f', { phase: 'failed' }),
  ];
  expect(countNodes(rows)).toEqual({ nodes: 2, others: ['2 being launched', '1 being removed', '1 failed'] });
  expect(countNodes(rows.slice(0, 2)).others).toEqual([]);
});
