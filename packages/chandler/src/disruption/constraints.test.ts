/** Consolidation with the constraints of pods and the kinds of capacity that the planner knows. */
import { describe, expect, test } from 'vitest';
import { finish, type InstanceType, type Pod, type PoolInput } from '../scheduling/index.ts';
import { anOffering, aPod, aType, pods } from '../scheduling/testing.ts';
import { aCluster, aDisruptedPool, aManagedNode, type ClusterShape, NOW } from './disruption.fixture.ts';
import { planDisruption } from './disruption-plan.ts';
import type { DisruptionNode } from './model.ts';
import { Simulation } from './simulation.ts';

const ON_DEMAND: readonly InstanceType[] = [
  aType('s', { cpu: 2, price: 0.1, capacityTypes: ['on-demand'] }),
  aType('m', { cpu: 4, price: 0.2, capacityTypes: ['on-demand'] }),
];

function plan(nodes: readonly DisruptionNode[], types = ON_DEMAND, shape: ClusterShape = {}) {
  const pools: PoolInput[] = [aDisruptedPool('default', { types })];
  return planDisruption(aCluster(nodes, { pools, ...shape }), {}, NOW);
}

describe('reserved capacity', () => {
  const types = (capacity: number): InstanceType[] => [
    aType('m', {
      cpu: 4,
      capacityTypes: ['reserved', 'spot', 'on-demand'],
      offerings: [
        anOffering('zone-a', 'on-demand', 0.2),
        anOffering('zone-a', 'spot', 0.1),
        anOffering('zone-a', 'reserved', 0.001, { reservation: { id: 'r-1', capacity } }),
      ],
    }),
  ];
  const node = (capacityType: string) =>
    aManagedNode('a', { capacityType, pods: pods(1, 'web', { cpu: '3' }) });

  test.each(['on-demand', 'spot'])('replaces a node from %s', (capacityType) => {
    const [command] = plan([node(capacityType)], types(1)).commands;
    expect(command!.replacements[0]!.cheapest).toMatchObject({ capacityType: 'reserved', price: 0.001 });
  });

  test('that is used up is not counted on', () => {
    const { commands } = plan([node('spot')], types(0));
    expect(commands).toEqual([]);
  });
});

describe('the rules of pods hold', () => {
  const apart = (name: string): Pod =>
    aPod(name, {
      cpu: '500m',
      labels: { app: 'web' },
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } },
          ],
        },
      },
    });

  test('pods that must not share a node do not', () => {
    const nodes = ['a', 'b'].map((name) => aManagedNode(name, { type: 's', pods: [apart(`web-${name}`)] }));
    expect(plan(nodes).commands).toEqual([]);
  });

  test('pods spread over zones stay spread: each node is replaced in its zone', () => {
    const spread = (name: string): Pod =>
      aPod(name, {
        cpu: '500m',
        labels: { app: 'web' },
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'topology.kubernetes.io/zone',
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector: { matchLabels: { app: 'web' } },
          },
        ],
      });
    const zones = ['zone-a', 'zone-b', 'zone-c'];
    const nodes = zones.map((zone) => aManagedNode(zone, { zone, type: 'm', pods: [spread(`web-${zone}`)] }));
    const { commands } = plan(nodes);
    const launched = commands.flatMap(({ replacements }) => replacements);
    expect(commands.flatMap(({ candidates }) => candidates)).toHaveLength(3);
    expect(launched.map(({ cheapest }) => cheapest.zone).sort()).toEqual(zones);
    for (const { requirements, cheapest } of launched)
      expect(requirements).toContainEqual({
        key: 'topology.kubernetes.io/zone',
        operator: 'In',
        values: [cheapest.zone],
      });
  });

  test('a pod that tolerates a taint may move to a tainted node, another may not', () => {
    const tainted = aManagedNode('tainted', {
      pods: [aPod('own', { cpu: '3' })],
      annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
    });
    const taints = [{ key: 'team', value: 'a', effect: 'NoSchedule' }];
    const target = { ...tainted, node: { ...tainted.node!, spec: { taints } } };
    const moving = (pod: Pod) => plan([aManagedNode('a', { type: 's', pods: [pod] }), target]).commands;
    expect(moving(aPod('web', { cpu: '1' }))).toEqual([]);
    const tolerant = aPod('web', { cpu: '1', tolerations: [{ key: 'team', operator: 'Exists' }] });
    expect(moving(tolerant)[0]).toMatchObject({ decision: 'delete', destinations: [{ node: 'tainted' }] });
  });
});

test('pods may move to nodes of someone else, which are never removed', () => {
  const managed = aManagedNode('foreign', { labels: { 'karpenter.sh/nodepool': undefined } });
  const foreign = { ...managed, claim: undefined } as unknown as DisruptionNode;
  const result = plan([aManagedNode('a', { pods: pods(2, 'web', { cpu: '1' }) }), foreign]);
  expect(result.commands).toMatchObject([{ decision: 'delete', destinations: [{ node: 'foreign' }] }]);
  expect(result.nodes.find(({ name }) => name === 'foreign')!.keeps).toMatchObject([
    { block: { code: 'NotManaged' } },
  ]);
});

describe('a pod that goes with its node gets a place, or its node stays', () => {
  const [web] = pods(1, 'web', { cpu: '1.9' });
  const labelled = (more: Partial<Pod['spec']>, metadata: Partial<Pod['metadata']> = {}): Pod => ({
    ...web!,
    metadata: { ...web!.metadata, labels: { app: 'web' }, ...metadata },
    spec: { ...web!.spec, ...more },
  });
  const closedBudget = {
    metadata: { name: 'web', namespace: 'shop' },
    spec: { selector: { matchLabels: { app: 'web' } }, maxUnavailable: 0 },
    status: { disruptionsAllowed: 0 },
  };
  const own = (pod: Pod) => [aManagedNode('a', { type: 's', pods: [pod] })];

  test('one that tolerates the disrupted taint, whatever its PodDisruptionBudget says', () => {
    const pod = labelled({ tolerations: [{ operator: 'Exists' }] });
    expect(plan(own(pod), ON_DEMAND, { budgets: [closedBudget] }).commands).toEqual([]);
    const both = [...own(pod), aManagedNode('b', { type: 's' })];
    const [moved] = plan(both, ON_DEMAND, { budgets: [closedBudget] }).commands;
    expect(moved).toMatchObject({ candidates: [{ name: 'b' }] });
  });

  test('one of a StatefulSet that is restarted, whatever do-not-disrupt says', () => {
    const pod = labelled(
      {},
      {
        deletionTimestamp: new Date(NOW - 10_000).toISOString(),
        annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'u', controller: true },
        ],
      },
    );
    expect(plan(own(pod), ON_DEMAND).commands).toEqual([]);
  });
});

test('a pod that is pending for good is not tried again in every simulation, so judgements are kept', () => {
  const nodes = [
    aManagedNode('a', { pods: pods(1, 'a', { cpu: '3.5' }) }),
    aManagedNode('b', { pods: pods(1, 'b', { cpu: '3.4' }) }),
  ];
  const never = aPod('never', { nodeSelector: { disk: 'nvme' } });
  const simulationOf = (pending: readonly Pod[]) =>
    finish(
      Simulation.of(aCluster(nodes, { pools: [aDisruptedPool('default', { types: ON_DEMAND })], pending }), {
        nowMs: NOW,
        typeOf: () => undefined,
      }),
    );
  expect(simulationOf([never]).hasPending).toBe(false);
  expect(simulationOf([never, aPod('new', { cpu: '3' })]).hasPending).toBe(true);
});

test('a pod that is pending for good does not stop consolidation', () => {
  const nodes = [
    aManagedNode('a', { pods: pods(1, 'a', { cpu: '1' }) }),
    aManagedNode('b', { pods: pods(1, 'b', { cpu: '1' }) }),
  ];
  const pending = [aPod('never', { nodeSelector: { disk: 'nvme' } })];
  expect(plan(nodes, ON_DEMAND, { pending }).commands).toHaveLength(1);
});

test('a NodePool without instance types keeps its own nodes and no others', () => {
  const pools = [aDisruptedPool('default', { types: ON_DEMAND }), aDisruptedPool('broken', { types: [] })];
  const nodes = [
    aManagedNode('a', { pods: pods(1, 'a', { cpu: '1' }) }),
    aManagedNode('b', { pods: pods(1, 'b', { cpu: '1' }) }),
    aManagedNode('c', { pool: 'broken' }),
  ];
  const result = plan(nodes, ON_DEMAND, { pools });
  // Their pods fit on the node of the other pool.
  const removed = result.commands.flatMap(({ candidates }) => candidates.map(({ name }) => name));
  expect(removed.sort()).toEqual(['a', 'b']);
  expect(result.nodes.find(({ name }) => name === 'c')!.keeps).toMatchObject([
    { block: { code: 'InstanceTypesUnknown' } },
  ]);
});
