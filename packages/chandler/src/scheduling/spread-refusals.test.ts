/** A domain in which only nodes that the pods cannot use are possible keeps pods out of the others: the reason names it. */
import { expect, test } from 'vitest';
import { aPool, aType, pods, spreadOver, ZONE } from './cluster.fixture.ts';
import type { PoolInput } from './model.ts';
import { solve } from './solve.ts';

const general = aPool('general', { types: [aType('m', { cpu: 4, zones: ['zone-a', 'zone-b'] })] });
const tainted = aPool('gpu', {
  types: [aType('g', { cpu: 4 })],
  taints: [{ key: 'gpu', effect: 'NoSchedule' }],
});
const tiny = aPool('tiny', { types: [aType('s', { cpu: 1 })] });

function refusalOf(other: PoolInput) {
  const { refusals, counts } = solve({
    pools: [general, other],
    pods: pods(6, 'web', { cpu: '2', ...spreadOver(ZONE, 'web') }),
  });
  expect(counts).toMatchObject({ placed: 2, refused: 4 });
  return refusals[0]!.pools.find(({ nodePool }) => nodePool === 'general')!.refusal;
}

test('a zone where only a tainted NodePool has nodes is named with its count', () => {
  expect(refusalOf(tainted)).toMatchObject({
    code: 'TopologyUnsatisfiable',
    kind: 'topology spread',
    counts: { 'zone-a': 1, 'zone-b': 1, 'zone-c': 0 },
  });
});

test('a zone where only types without room exist is named with its count', () => {
  expect(refusalOf(tiny)).toMatchObject({
    code: 'TopologyUnsatisfiable',
    counts: { 'zone-a': 1, 'zone-b': 1, 'zone-c': 0 },
  });
});
