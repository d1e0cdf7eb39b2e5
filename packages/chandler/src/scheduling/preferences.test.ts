import { describe, expect, test } from 'vitest';
import {
  affinityTo,
  aNode,
  anOffering,
  aPod,
  aPool,
  aType,
  bound,
  CAPACITY,
  cluster,
  HOST,
  oneOf,
  pods,
  TYPES,
  ZONE,
} from './cluster.fixture.ts';
import type { Pod } from './model.ts';
import { solve } from './solve.ts';

const term = (key: string, ...values: string[]) => ({ matchExpressions: [oneOf(key, ...values)] });

function withTerms(name: string, required: object[], preferred: object[] = []): Pod {
  return aPod(name, {
    affinity: {
      nodeAffinity: {
        ...(required.length === 0
          ? {}
          : { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: required } }),
        preferredDuringSchedulingIgnoredDuringExecution: preferred as never,
      },
    },
  });
}

const zoneOf = (pod: Pod, input = {}) =>
  solve(cluster({ pods: [pod], ...input })).claims[0]?.requirements.find(({ key }) => key === ZONE)?.values;

describe('preferences of a pod', () => {
  test('alternatives of required affinity are tried in their order', () => {
    expect(
      zoneOf(withTerms('x', [term(ZONE, 'zone-x'), term(ZONE, 'zone-b'), term(ZONE, 'zone-c')])),
    ).toEqual(['zone-b']);
  });

  test('the preference with the highest weight is kept as long as possible', () => {
    const preferred = [
      { weight: 1, preference: term(ZONE, 'zone-a') },
      { weight: 9, preference: term(ZONE, 'zone-b') },
    ];
    expect(zoneOf(withTerms('x', [], preferred))).toEqual(['zone-b']);
    const impossible = [{ weight: 99, preference: term(ZONE, 'zone-x') }, ...preferred];
    expect(zoneOf(withTerms('x', [], impossible))).toEqual(['zone-b']);
    expect(
      zoneOf(withTerms('x', [], preferred), { options: { preferencePolicy: 'Ignore' } }),
    ).toBeUndefined();
  });

  test('earlier required terms are tried again after all preferences are dropped', () => {
    const soft = {
      maxSkew: 1,
      topologyKey: 'rack',
      whenUnsatisfiable: 'ScheduleAnyway',
      labelSelector: { matchLabels: { a: 'b' } },
    };
    const pod = withTerms('x', [term(ZONE, 'zone-a'), term(ZONE, 'zone-x')]);
    expect(zoneOf({ ...pod, spec: { ...pod.spec, topologySpreadConstraints: [soft] } })).toEqual(['zone-a']);
  });

  test('preferred pod affinity and anti-affinity are dropped, the highest weight first', () => {
    const preferred = (kind: 'podAffinity' | 'podAntiAffinity', app: string) => ({
      affinity: {
        [kind]: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 10, podAffinityTerm: affinityTo(HOST, app) },
          ],
        },
      },
    });
    const nodes = [aNode('n1'), aNode('n2', { cpu: '1' })];
    const boundPods = bound('n2', aPod('db', { labels: { app: 'db' } }));
    const node = (pod: Pod) => solve(cluster({ nodes, boundPods, pods: [pod] })).placements[0]?.node;
    expect(node(aPod('x', preferred('podAffinity', 'db')))).toBe('n2');
    expect(node(aPod('x', preferred('podAffinity', 'nobody')))).toBe('n1');
    const apart = solve(
      cluster({
        pools: [],
        nodes: [aNode('n2')],
        boundPods,
        pods: [aPod('x', preferred('podAntiAffinity', 'db'))],
      }),
    );
    expect(apart.placements).toHaveLength(1);
  });

  test('matchFields on metadata.name selects one node', () => {
    const fields = (name: string) => withTerms('x', [{ matchFields: [oneOf('metadata.name', name)] }]);
    const nodes = [aNode('n1'), aNode('n2')];
    expect(solve(cluster({ nodes, pods: [fields('n2')] })).placements).toEqual([
      { node: 'n2', pods: ['shop/x'] },
    ]);
    expect(solve(cluster({ nodes, pods: [fields('n9')] })).counts.refused).toBe(1);
  });

  test('contradicting requirements are refused by name', () => {
    const pod = aPod('x', {
      nodeSelector: { team: 'red' },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term('team', 'blue')] },
        },
      },
    });
    const plan = solve(cluster({ pods: [pod], nodes: [aNode('n')] }));
    expect(plan.refusals[0]!.pools[0]!.refusal).toMatchObject({
      code: 'RequirementIncompatible',
      key: 'team',
    });
  });
});

describe('host ports', () => {
  test('separate pods on nodes and claims', () => {
    const plan = solve(cluster({ nodes: [aNode('n')], pods: pods(3, 'web', { hostPort: 80 }) }));
    expect(plan.placements[0]!.pods).toHaveLength(1);
    expect(plan.claims.map((claim) => claim.pods.length)).toEqual([1, 1]);
  });

  test('of daemons exclude the types that they run on', () => {
    const daemonSets = [
      {
        metadata: { name: 'd', namespace: 's' },
        spec: {
          template: {
            spec: {
              containers: [{ name: 'agent', ports: [{ hostPort: 80 }] }],
              nodeSelector: { 'kubernetes.io/arch': 'amd64' },
            },
          },
        },
      },
    ];
    const types = [aType('a'), aType('b', { arch: 'arm64', price: 9 })];
    const plan = solve({ pools: [aPool('p', { types })], daemonSets, pods: [aPod('x', { hostPort: 80 })] });
    expect(plan.claims[0]!.instanceTypes).toEqual(['b']);
    const closed = solve({
      pools: [aPool('p', { types: types.slice(0, 1) })],
      daemonSets,
      pods: [aPod('x', { hostPort: 80 })],
    });
    expect(closed.refusals[0]!.pools[0]!.types[0]!.refusal).toEqual({
      code: 'HostPortTaken',
      ip: '0.0.0.0',
      port: 80,
      protocol: 'TCP',
    });
  });
});

describe('daemons', () => {
  const daemon = (cpu: string, spec: object = {}) => ({
    metadata: { name: `d${cpu}`, namespace: 'kube-system' },
    spec: {
      template: { spec: { containers: [{ name: 'agent', resources: { limits: { cpu } } }], ...spec } },
    },
  });

  test('reserve resources on every new node', () => {
    const plan = solve(cluster({ daemonSets: [daemon('500m')], pods: [aPod('x', { cpu: '1700m' })] }));
    expect(plan.claims[0]).toMatchObject({
      instanceTypes: ['medium', 'large'],
      daemonRequests: { cpu: '500m', pods: '1' },
      requests: { cpu: '2200m', pods: '2' },
    });
  });

  test('may differ by type: a claim lists the minimum', () => {
    const types = [aType('a'), aType('b', { arch: 'arm64' })];
    const daemonSets = [daemon('1', { nodeSelector: { 'kubernetes.io/arch': 'arm64' } }), daemon('200m')];
    const plan = solve({ pools: [aPool('p', { types })], daemonSets, pods: [aPod('x', { cpu: '1' })] });
    expect(plan.claims[0]!.daemonRequests).toEqual({ cpu: '200m', pods: '1' });
  });

  test('that cannot run there, or use dynamic resources, reserve nothing', () => {
    const daemonSets = [
      daemon('1', { nodeSelector: { unknown: 'label' } }),
      daemon('2', { resourceClaims: [{ name: 'gpu' }] }),
    ];
    const tainted = [aPool('p', { taints: [{ key: 't', effect: 'NoSchedule' }] })];
    const pod = aPod('x', { cpu: '1', tolerations: [{ operator: 'Exists' }] });
    expect(
      solve({ pools: tainted, daemonSets: [...daemonSets, daemon('3')], pods: [pod] }).claims[0]!
        .daemonRequests,
    ).toEqual({});
  });

  test('reserve resources on nodes where they are not running yet, by their newest pod', () => {
    const waiting = {
      ...daemon('1'),
      pod: aPod('seen', {
        cpu: '3',
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term(HOST, 'other')] },
          },
        },
      }),
    };
    const plan = (more: object) =>
      solve(
        cluster({
          pools: [],
          nodes: [aNode('n')],
          daemonSets: [waiting],
          pods: [aPod('x', { cpu: '2' })],
          ...more,
        }),
      );
    expect(plan({}).counts.refused).toBe(1);
    const there = bound('n', aPod('running', { cpu: '3', owner: 'DaemonSet' }));
    expect(plan({ boundPods: there, pods: [aPod('x', { cpu: '1' })] }).counts.placed).toBe(1);
  });
});

describe('reserved capacity', () => {
  const reserved = (id: string, capacity: number) =>
    anOffering('zone-a', 'reserved', 0.001, { reservation: { id, capacity } });
  const types = [
    aType('t', {
      cpu: 2,
      requirements: [],
      offerings: [reserved('r1', 1), anOffering('zone-a', 'on-demand', 1)],
      capacityTypes: ['reserved', 'on-demand'],
    }),
  ];
  const pools = [aPool('p', { types })];
  const list = pods(2, 'x', { cpu: '2' });

  test('is held by one claim only; others use other capacity or wait', () => {
    const fallback = solve({ pools, pods: list, reservationLabel: 'example.com/reservation' });
    expect(fallback.claims.map(({ reservations, cheapest }) => [reservations, cheapest.price])).toEqual([
      [['r1'], 0.001],
      [[], 1],
    ]);
    expect(fallback.claims[0]!.requirements).toContainEqual(oneOf('example.com/reservation', 'r1'));
    expect(fallback.claims[0]!.requirements).toContainEqual(oneOf(CAPACITY, 'reserved'));
    expect(fallback.claims[1]!.requirements).toContainEqual(oneOf(CAPACITY, 'on-demand'));
    const strict = solve({ pools, pods: list, options: { reservedMode: 'strict' } });
    expect(strict.counts).toMatchObject({ placed: 1, refused: 1 });
    expect(strict.refusals[0]!.pools[0]!.refusal).toEqual({ code: 'ReservedOnly', reservations: ['r1'] });
  });

  test('is listed alone, whatever minValues asks for', () => {
    const requirements = [
      { key: CAPACITY, operator: 'In' as const, values: ['reserved', 'on-demand', 'spot'], minValues: 2 },
    ];
    const both = [
      aType('t', {
        cpu: 2,
        offerings: [
          reserved('r1', 1),
          anOffering('zone-a', 'on-demand', 1),
          anOffering('zone-a', 'spot', 0.5),
        ],
        capacityTypes: ['reserved', 'on-demand', 'spot'],
      }),
    ];
    const { claims } = solve({ pools: [aPool('p', { types: both, requirements })], pods: list });
    expect(claims.map((claim) => claim.requirements.find(({ key }) => key === CAPACITY))).toEqual([
      oneOf(CAPACITY, 'reserved'),
      { key: CAPACITY, operator: 'In', values: ['on-demand', 'spot'], minValues: 2 },
    ]);
  });

  test('is not released for a pod that cannot use it', () => {
    const mixed = [
      aType('t', {
        cpu: 4,
        offerings: [reserved('r1', 5), anOffering('zone-b', 'on-demand', 1)],
        capacityTypes: ['reserved', 'on-demand'],
        zones: ['zone-a', 'zone-b'],
      }),
    ];
    const plan = solve({
      pools: [aPool('p', { types: mixed })],
      pods: [aPod('a', { cpu: '2' }), aPod('b', { cpu: '1', nodeSelector: { [ZONE]: 'zone-b' } })],
      options: { reservedMode: 'strict' },
    });
    expect(plan.claims.map(({ pods: placed, reservations }) => [placed, reservations])).toEqual([
      [['shop/a'], ['r1']],
      [['shop/b'], []],
    ]);
  });

  test('is released when a claim can no longer use it', () => {
    const two = [
      aType('t', {
        cpu: 4,
        offerings: [reserved('r1', 1), anOffering('zone-b', 'on-demand', 1)],
        capacityTypes: ['reserved', 'on-demand'],
        zones: ['zone-a', 'zone-b'],
      }),
    ];
    const plan = solve({
      pools: [aPool('p', { types: two })],
      pods: [
        aPod('a', { cpu: '2', hostPort: 80 }),
        aPod('b', { cpu: '1', nodeSelector: { [ZONE]: 'zone-b' } }),
        aPod('c', { cpu: '500m', hostPort: 80 }),
      ],
    });
    expect(plan.claims.map(({ reservations }) => reservations)).toEqual([[], ['r1']]);
  });
});

describe('overlays', () => {
  const overlay = (name: string, spec: object) => ({
    metadata: { name },
    spec: { requirements: [], ...spec } as never,
  });

  test('adjust prices and add resources; the highest weight wins', () => {
    const overlays = [
      overlay('cheap', {
        requirements: [oneOf('node.kubernetes.io/instance-type', 'large')],
        price: '0.001',
        weight: 5,
      }),
      overlay('dear', { priceAdjustment: '+100%' }),
      overlay('fpga', {
        requirements: [oneOf('node.kubernetes.io/instance-type', 'large')],
        capacity: { 'example.com/fpga': '1' },
      }),
    ];
    const plan = solve(cluster({ overlays, pods: [aPod('x', { requests: { 'example.com/fpga': '1' } })] }));
    expect(plan.claims[0]).toMatchObject({
      instanceTypes: ['large'],
      cheapest: { price: 0.001 },
      annotations: {
        'karpenter.sh/price-overlay-applied': 'true',
        'karpenter.sh/capacity-overlay-applied': 'true',
      },
    });
    const other = solve(
      cluster({
        overlays,
        pods: [aPod('x', { nodeSelector: { 'node.kubernetes.io/instance-type': 'small' } })],
      }),
    );
    expect(other.claims[0]!.cheapest.price).toBeCloseTo(0.08);
  });

  test('of equal weight that conflict are reported and not applied', () => {
    const overlays = [
      overlay('a', { price: '1' }),
      overlay('b', { priceAdjustment: '-0.01' }),
      overlay('bad', { price: 'free' }),
    ];
    const plan = solve(cluster({ overlays, pods: [aPod('x')] }));
    expect(plan.claims[0]!.cheapest.price).toBeCloseTo(0.04);
    expect(plan.inputErrors.map(({ object }) => object).sort()).toEqual([
      'NodeOverlay/a',
      'NodeOverlay/b',
      'NodeOverlay/bad',
    ]);
  });

  test('for one pool do not affect other pools', () => {
    const overlays = [overlay('a', { requirements: [oneOf('karpenter.sh/nodepool', 'dear')], price: '7' })];
    const pools = [aPool('dear', { types: TYPES }), aPool('plain', { weight: 1 })];
    expect(solve({ pools, overlays, pods: [aPod('x')] }).claims[0]!.cheapest.price).toBeCloseTo(0.04);
  });
});
