import { expect, test } from 'vitest';
import { overlaidTypes } from '../../scheduling/index.ts';
import { ClosedPools } from './closed-pools.ts';
import type { PoolTypes } from './plan-input.ts';
import type { PodShape } from './shapes.ts';

const ZONE = 'topology.kubernetes.io/zone';
const TYPES: PoolTypes['types'] = [];

interface PoolWords {
  readonly labels?: Readonly<Record<string, string>>;
  readonly requirements?: readonly object[];
  readonly taints?: readonly object[];
  readonly types?: PoolTypes['types'];
}

function aPool(name: string, { labels = {}, types = TYPES, ...spec }: PoolWords = {}): PoolTypes {
  const pool = { metadata: { name }, spec: { template: { metadata: { labels }, spec } } };
  return { types, pool } as unknown as PoolTypes;
}

function besideFirst(pools: readonly PoolTypes[], pod: object = {}): readonly string[] {
  const topologySpreadConstraints = [{ topologyKey: ZONE, whenUnsatisfiable: 'DoNotSchedule', maxSkew: 1 }];
  const shape = { metadata: { name: 'web' }, spec: { containers: [], topologySpreadConstraints, ...pod } };
  const closed = new ClosedPools(shape as unknown as PodShape, pools, new Set([ZONE]));
  return closed.beside(pools[0]!.pool.metadata.name).map(({ pool }) => pool.metadata.name);
}

/** One for each team, with a label and a taint of its own. */
const TEAMS = Array.from({ length: 100 }, (_, index) =>
  aPool(`team-${index}`, {
    labels: { team: `${index}` },
    taints: [{ key: 'team', value: `${index}`, effect: 'NoSchedule' }],
  }),
);

test('NodePools that a spread cannot tell apart are one beside the NodePool in question, and without room', () => {
  expect(besideFirst(TEAMS)).toEqual(['team-1']);
  const [beside] = new ClosedPools({ spec: { containers: [] } } as never, TEAMS, new Set()).beside('team-7');
  expect(beside).toMatchObject({ pool: { metadata: { name: 'team-0' }, spec: { limits: { nodes: '0' } } } });
});

const spreadOver = (topologyKey: string, more: object = {}) => ({
  topologySpreadConstraints: [{ topologyKey, whenUnsatisfiable: 'DoNotSchedule', maxSkew: 1, ...more }],
});
const select = (key: string) => ({ matchExpressions: [{ key, operator: 'Exists' }] });

test.each([
  ['counts only nodes whose taints it tolerates', spreadOver(ZONE, { nodeTaintsPolicy: 'Honor' })],
  ['is over their label', spreadOver('team')],
  ['is over their names', spreadOver('karpenter.sh/nodepool')],
  ['selects a label of theirs', { nodeSelector: { team: '1' } }],
  [
    'prefers a label of theirs',
    {
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: select('team') }],
        },
      },
    },
  ],
  [
    'has a volume, which may be in any domain',
    { volumes: [{ name: 'a', persistentVolumeClaim: { claimName: 'a' } }] },
  ],
])('each NodePool counts where the pod %s', (_, pod) => {
  expect(besideFirst(TEAMS, pod)).toHaveLength(99);
});

test('NodePools of other zones, or with other instance types, count', () => {
  const inZone = (zone: string) => ({ requirements: [{ key: ZONE, operator: 'In', values: [zone] }] });
  const pools = [
    aPool('a', inZone('1')),
    aPool('b', inZone('1')),
    aPool('c', inZone('2')),
    aPool('d', { types: [] }),
  ];
  expect(besideFirst(pools)).toEqual(['b', 'c', 'd']);
});

test('with a NodeOverlay they are as few as without', () => {
  const type = { name: 'a', requirements: [], offerings: [], capacity: { cpu: '4' } };
  const types = [type];
  const overlays = [
    { metadata: { name: 'o' }, spec: { requirements: [], capacity: { 'example.com/chip': '1' } } },
  ];
  const pools = TEAMS.map(({ pool }) => ({
    pool,
    types: overlaidTypes(types, pool as unknown as Parameters<typeof overlaidTypes>[1], overlays),
  }));
  expect(pools[0]!.types[0]!.capacity).toEqual({ cpu: '4', 'example.com/chip': '1' });
  expect(besideFirst(pools)).toEqual(['team-1']);
});
