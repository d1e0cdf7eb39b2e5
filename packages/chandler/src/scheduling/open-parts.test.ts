/** Whether a new node takes part in a spread, where it has no value of a label, or where its types decide it. */
import { expect, test } from 'vitest';
import { KubernetesLabel } from '../api/index.ts';
import { aNode, aPod, aPool, aType, pods, spreadOver, ZONE } from './cluster.fixture.ts';
import type { PodSpec } from './model.ts';
import { solve } from './solve.ts';

const types = [aType('one', { cpu: 2, zones: ['zone-a'], capacityTypes: ['on-demand'] })];

function where(key: string, operator: 'In' | 'NotIn' | 'DoesNotExist', ...values: string[]) {
  const nodeSelectorTerms = [
    { matchExpressions: [{ key, operator, ...(values.length > 0 ? { values } : {}) }] },
  ];
  const requiredDuringSchedulingIgnoredDuringExecution = { nodeSelectorTerms };
  return { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution } } };
}

function inTwoZones(
  app: string,
): Pick<PodSpec, 'topologySpreadConstraints'> & { labels: Record<string, string> } {
  const { topologySpreadConstraints, labels } = spreadOver(ZONE, app);
  return {
    labels: labels!,
    topologySpreadConstraints: topologySpreadConstraints!.map((one) => ({ ...one, minDomains: 2 })),
  };
}

test('a node without a label is no domain of a spread that asks for the label', () => {
  const nodes = [aNode('old', { cpu: '4', labels: { rack: 'r1', [ZONE]: 'zone-b' } })];
  const racked = pods(2, 'web', { cpu: '100m', nodeSelector: { rack: 'r1' }, ...inTwoZones('web') });
  const elsewhere = aPod('web-elsewhere', {
    cpu: '1',
    labels: { app: 'web' },
    ...where('rack', 'DoesNotExist'),
  });
  const plan = solve({ pools: [aPool('default', { types })], nodes, pods: [elsewhere, ...racked] });
  // Two zones are asked for, and nodes in a rack are in one only: a second pod there is one too many.
  expect(plan.counts).toMatchObject({ placed: 2, refused: 1 });
});

test('types without a GPU are no domain of a spread that asks for one', () => {
  const plain = aType('plain', {
    cpu: 2,
    zones: ['zone-a'],
    capacityTypes: ['on-demand'],
    requirements: [{ key: 'example.sh/gpu-name', operator: 'DoesNotExist' }],
  });
  const nodes = [aNode('old', { cpu: '4', labels: { 'example.sh/gpu-name': 't4', [ZONE]: 'zone-b' } })];
  const trained = pods(2, 'web', {
    cpu: '100m',
    nodeSelector: { 'example.sh/gpu-name': 't4' },
    ...inTwoZones('web'),
  });
  const other = aPod('web-other', { cpu: '1', labels: { app: 'web' }, ...where(ZONE, 'In', 'zone-a') });
  const plan = solve({
    pools: [aPool('default', { types: [plain] })],
    nodes,
    pods: [other, ...trained],
    wellKnownLabels: ['example.sh/gpu-name'],
  });
  expect(plan.counts).toMatchObject({ placed: 2, refused: 1 });
});

test('a label that a node lacks does not keep it from a spread that excludes the label', () => {
  const pools = [
    aPool('default', {
      types: [aType('one', { cpu: 2 })],
      requirements: [{ key: 'rack', operator: 'In', values: ['r3'] }],
    }),
  ];
  const nodes = [aNode('full', { cpu: '100m', labels: { rack: 'r2' } })];
  const { affinity: notUnknown } = where('unknown', 'DoesNotExist');
  const everywhere = aPod('web-1', {
    cpu: '1500m',
    ...spreadOver('rack', 'web', { nodeAffinityPolicy: 'Ignore' }),
    affinity: notUnknown,
  });
  const { affinity: notZoneC } = where(ZONE, 'NotIn', 'zone-c');
  notZoneC.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0]!.matchExpressions.push(
    {
      key: 'unknown',
      operator: 'DoesNotExist',
    },
  );
  const inTwo = aPod('web-2', { cpu: '1500m', ...spreadOver('rack', 'web'), affinity: notZoneC });
  const plan = solve({ pools, nodes, pods: [everywhere, inTwo] });
  // Both could only be placed if the first one were in the zone that the second one does not count.
  const first = plan.claims.find((claim) => claim.pods.includes('shop/web-1'));
  const zones = first?.requirements.find(({ key }) => key === ZONE)?.values;
  expect(plan.counts.placed === 1 || zones?.join() === 'zone-c').toBe(true);
});

test('a pod counts for a spread if the type that is launched decides it', () => {
  const arch = KubernetesLabel.arch;
  const both = [aType('amd', { cpu: 2 }), aType('arm', { cpu: 2, arch: 'arm64', price: 1 })];
  const pools = [
    aPool('both', {
      types: both,
      labels: { rack: 'r2' },
      weight: 10,
      limits: { cpu: '2' },
      requirements: [{ key: KubernetesLabel.instanceType, operator: 'Exists', minValues: 2 }],
    }),
    aPool('amd', { types: [aType('amd', { cpu: 2 })], labels: { rack: 'r2' } }),
  ];
  const nodes = [aNode('full', { cpu: '100m', labels: { rack: 'r3', [arch]: 'amd64' } })];
  const anyArch = pods(2, 'web', { cpu: '1500m', ...spreadOver('rack', 'web', { maxSkew: 2 }) });
  const amd = aPod('web-amd', {
    cpu: '1500m',
    ...spreadOver('rack', 'web', { maxSkew: 2 }),
    nodeSelector: { [arch]: 'amd64' },
  });
  const plan = solve({ pools, nodes, pods: [...anyArch, amd], options: { improveEffort: 0 } });
  expect(plan.counts).toMatchObject({ placed: 2, refused: 1 });
});
