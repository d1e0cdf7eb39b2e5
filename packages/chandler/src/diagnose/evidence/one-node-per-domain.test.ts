import { expect, test } from 'vitest';
import type { Pod } from '../../scheduling/index.ts';
import { oneNodePerDomain } from './one-node-per-domain.ts';
import type { PodShape } from './shapes.ts';

const ZONE = 'topology.kubernetes.io/zone';
const RACK = 'example.com/rack';

const node = (name: string, zone: string, rack: string) => ({
  name,
  labels: { 'kubernetes.io/hostname': name, [ZONE]: zone, [RACK]: rack },
  taints: [],
  allocatable: {},
});
const pod = (nodeName?: string, spec: object = {}) =>
  ({
    metadata: { name: 'web' },
    spec: { containers: [], ...(nodeName ? { nodeName } : {}), ...spec },
  }) as unknown;
const WHOLE = {
  nodes: [node('a', '1', 'x'), node('b', '1', 'y'), node('c', '2', 'x')],
  boundPods: [pod('a'), pod('b'), pod('c')] as Pod[],
};
const nodesOf = (rules: readonly string[], spec: object = {}, whole = WHOLE) => {
  const { nodes = [], boundPods = [] } = oneNodePerDomain(pod(undefined, spec) as PodShape, rules, whole);
  return [nodes.map(({ name }) => name), boundPods.map((each) => each.spec.nodeName)];
};

test('nodes that no rule tells apart become one, with the pods of all of them', () => {
  expect(nodesOf([ZONE])).toEqual([
    ['a', 'c'],
    ['a', 'a', 'c'],
  ]);
});

test('what the pod selects tells nodes apart, and rules by host name all of them', () => {
  expect(nodesOf([ZONE], { nodeSelector: { [RACK]: 'x' } })[0]).toEqual(['a', 'b', 'c']);
  expect(nodesOf([ZONE, 'kubernetes.io/hostname'])[0]).toEqual(['a', 'b', 'c']);
});

test('so does where pods that run allow no other pod', () => {
  const term = { topologyKey: RACK, labelSelector: {} };
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  const whole = { ...WHOLE, boundPods: [pod('a', { affinity }) as Pod] };
  expect(nodesOf([ZONE], {}, whole)[0]).toEqual(['a', 'b', 'c']);
});
