import { expect, test } from 'vitest';
import { chosenNodes, groupsOf } from './choose-nodes.ts';
import { pendingByWorkload } from './pending-groups.ts';
import { aNode, aPod, aStore } from './store.fixture.ts';

const store = aStore(
  [
    aNode('n1', { createdMs: 2 }),
    aNode('n2', { pool: null, pricePerHour: null }),
    aNode('n3', { createdMs: 1, phase: 'failed', type: 'Standard_D8' }),
  ],
  [aPod('web-1', 'n1', 'r', 1000), aPod('a', '', 'p'), aPod('b', '', 'p')],
);
const names = (q: string, only = '') => chosenNodes(store, { q, only }).map(({ name }) => name);

test('nodes are found by what they say and by their pods; all words must be found', () => {
  expect(names('')).toEqual(['n1', 'n2', 'n3']);
  expect(names('standard_d8')).toEqual(['n3']);
  expect(names('WEB-1')).toEqual(['n1']);
  expect(names('general n1')).toEqual(['n1']);
  expect(names('', 'failed')).toEqual(['n3']);
});

test('groups have sums; the one without a name is last, the oldest node is first', () => {
  const groups = groupsOf(store, [...store.nodes.values()], 'pool');
  expect(groups.map(({ name, nodes }) => [name, nodes.map((node) => node.name)])).toEqual([
    ['general', ['n3', 'n1']],
    ['no NodePool', ['n2']],
  ]);
  expect(groups[0]).toMatchObject({
    pricePerHour: 1,
    unpriced: 0,
    cpuMillis: 8000,
    cpuRequestedMillis: 1000,
  });
  expect(groups[1]).toMatchObject({ pricePerHour: 0, unpriced: 1 });
});

test('pending pods are grouped by workload', () => {
  expect(
    pendingByWorkload(store.pending.values(), '').map(({ workload, pods }) => [workload, pods.length]),
  ).toEqual([['Deployment/web', 2]]);
  expect(pendingByWorkload(store.pending.values(), 'nothing')).toEqual([]);
});
