import { expect, test } from 'vitest';
import { percent } from './format.ts';
import { requestsOf, shareOf } from './node-requests.ts';
import { aNode, aPod, aStore } from './store.fixture.ts';

const NODE = aNode('a');
const POD = aPod('web', 'a', 'r', 1000);

test('a node has the share that its pods request', () => {
  const { cpuMillis, memoryBytes, pods } = requestsOf(aStore([NODE], [POD]), NODE);
  expect(percent(cpuMillis.part, cpuMillis.whole)).toBe('25%');
  expect(percent(memoryBytes.part, memoryBytes.whole)).toBe('1%');
  expect(pods).toBe(1);
});

test('a node without pods is idle; where pods may not be read nobody knows', () => {
  const store = aStore([NODE], []);
  expect(shareOf(requestsOf(store, NODE).cpuMillis)).toBe(0);
  store.apply([['missing', [{ resource: 'pods', reason: 'denied', text: '' }]]], 8);
  const { cpuMillis, memoryBytes, pods } = requestsOf(store, NODE);
  expect(percent(cpuMillis.part, cpuMillis.whole)).toBe('–');
  expect(percent(memoryBytes.part, memoryBytes.whole)).toBe('–');
  expect([shareOf(cpuMillis), pods]).toEqual([null, null]);
});
