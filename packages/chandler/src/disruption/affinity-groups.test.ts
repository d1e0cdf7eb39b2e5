/**
 * Groups with affinity by zone to themselves. Their pods leave a node one after the other, and kube-scheduler keeps a group in
 * the zone of those that still exist: a group that a PodDisruptionBudget holds can never move to another zone.
 */
import { describe, expect, test } from 'vitest';
import { aPod, aType } from '../scheduling/testing.ts';
import {
  aCluster,
  aDisruptedPool,
  aManagedNode,
  aPdb,
  type ClusterShape,
  NOW,
} from './disruption.fixture.ts';
import { planDisruption } from './disruption-plan.ts';
import type { DisruptionNode } from './model.ts';

const ZONE = 'topology.kubernetes.io/zone';

const TERM = { topologyKey: ZONE, labelSelector: { matchLabels: { app: 'web' } } };
const web = (name: string, cpu = '500m', terms = [TERM]) =>
  aPod(name, {
    cpu,
    labels: { app: 'web' },
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: terms } },
  });

const group = (more: Parameters<typeof aManagedNode>[1] = {}) =>
  aManagedNode('group', { zone: 'zone-c', pods: [web('web-1'), web('web-2')], ...more });
const ON_DEMAND = ['s', 'm'].map((name, index) =>
  aType(name, { cpu: 2 + 2 * index, price: 0.1 + 0.1 * index, capacityTypes: ['on-demand'] }),
);
const other = (zone: string) => aManagedNode('other', { zone, pods: [aPod('own', { cpu: '2500m' })] });

function plan(nodes: readonly DisruptionNode[], shape: ClusterShape = {}) {
  return planDisruption(aCluster(nodes, shape), {}, NOW);
}

const zonesOf = ({ replacements }: ReturnType<typeof plan>['commands'][number]) =>
  replacements.map(({ requirements }) => requirements.find(({ key }) => key === ZONE)?.values);

const withoutZone = (budgets: ClusterShape['budgets'] = []): ClusterShape => ({
  budgets,
  pools: [
    aDisruptedPool('default', {
      requirements: [{ key: ZONE, operator: 'In', values: ['zone-a', 'zone-b'] }],
    }),
  ],
});

describe('consolidation', () => {
  const pools = [aDisruptedPool('default', { types: ON_DEMAND })];

  test('moves pods that only prefer each other', () => {
    const prefers = aPod('web-1', {
      cpu: '500m',
      labels: { app: 'web' },
      affinity: {
        podAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 1,
              podAffinityTerm: { topologyKey: ZONE, labelSelector: { matchLabels: { app: 'web' } } },
            },
          ],
        },
      },
    });
    const [command] = plan([group({ type: 's', pods: [prefers] }), other('zone-b')], { pools }).commands;
    expect(command).toMatchObject({ destinations: [{ node: 'other' }], replacements: [] });
  });

  test('does not move a group with two terms either', () => {
    const anyApp = { ...TERM, labelSelector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] } };
    const both = [TERM, anyApp as unknown as typeof TERM];
    const pods = ['web-1', 'web-2'].map((name) => web(name, '500m', both));
    expect(plan([group({ type: 's', pods }), other('zone-b')], { pools }).commands).toEqual([]);
  });

  test('does not move a group to a node with room in another zone', () => {
    expect(plan([group({ type: 's' }), other('zone-b')], { pools }).commands).toEqual([]);
  });

  test('moves a group to a node with room in its own zone', () => {
    const { commands } = plan([group({ type: 's' }), other('zone-c')], { pools });
    expect(commands).toMatchObject([{ decision: 'delete', destinations: [{ node: 'other' }] }]);
  });
});

describe('drift', () => {
  const drifted = group({ conditions: { Drifted: true } });
  test('replaces the node of a group in its zone', () => {
    const { commands } = plan([drifted], { budgets: [aPdb('web', 'web', 1)] });
    expect(commands.map(zonesOf)).toEqual([[['zone-c']]]);
  });

  test('lets a group leave a zone that its NodePool no longer has, if its pods can leave together', () => {
    const { commands } = plan([drifted], withoutZone());
    expect(commands.map(zonesOf)).toEqual([[['zone-a']]]);
  });

  test('keeps a group that a PodDisruptionBudget holds where it is, if its zone has no other node', () => {
    const { commands, nodes } = plan([drifted], withoutZone([aPdb('web', 'web', 1)]));
    expect(commands).toEqual([]);
    expect(nodes[0]!.keeps).toMatchObject([{ rejection: { code: 'PodsUnschedulable' } }]);
  });
});

test('repair lets a group leave its zone in any case: its pods do not survive on the node', () => {
  const broken = group();
  const condition = { type: 'Bad', status: 'True', lastTransitionTime: '2026-06-01T00:00:00Z' } as const;
  const { node } = broken;
  const ill: DisruptionNode = {
    ...broken,
    node: {
      ...node!,
      metadata: { ...node!.metadata, creationTimestamp: '2026-06-01T00:00:00Z' },
      status: { ...node!.status, conditions: [...node!.status!.conditions!, condition] },
    },
  };
  const well = ['a', 'b', 'c', 'd'].map((name) =>
    aManagedNode(name, { pods: [aPod(name, { cpu: '4' })], conditions: { Consolidatable: undefined } }),
  );
  const policies = [
    { conditionType: 'Bad', conditionStatus: 'True', tolerationMs: 0, action: 'ReplaceNode' } as const,
  ];
  const input = aCluster([ill, ...well], withoutZone([aPdb('web', 'web', 1)]));
  const { commands } = planDisruption(input, { repair: { policies } }, NOW);
  expect(commands).toMatchObject([{ method: 'repair' }]);
  expect(commands.map(zonesOf)).toEqual([[['zone-a']]]);
});
