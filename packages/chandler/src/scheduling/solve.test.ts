import { describe, expect, test } from 'vitest';
import { KarpenterLabel } from '../api/index.ts';
import {
  aNode,
  anOffering,
  aPod,
  aPool,
  aType,
  bound,
  CAPACITY,
  cluster,
  oneOf,
  pods,
  TYPE,
  TYPES,
  ZONE,
} from './cluster.fixture.ts';
import type { Plan, PlannedClaim } from './plan.ts';
import { solve } from './solve.ts';

const values = (claim: PlannedClaim | undefined, key: string) =>
  claim?.requirements.find((requirement) => requirement.key === key)?.values;

function podsOf(plan: Plan): string[][] {
  return plan.claims.map((claim) => claim.pods.map((pod) => pod.split('/')[1]!));
}

describe('a plan for pending pods', () => {
  test('launches nothing without pods', () => {
    expect(solve(cluster({}))).toMatchObject({ claims: [], placements: [], refusals: [], pricePerHour: 0 });
  });

  test('packs pods onto one node while a type has room for them, and lists the types by price', () => {
    const plan = solve(cluster({ pods: pods(3, 'web', { cpu: '1', memory: '1Gi' }) }));
    expect(plan.claims).toHaveLength(1);
    const [claim] = plan.claims;
    expect(claim).toMatchObject({
      id: 'default-1',
      nodePool: 'default',
      instanceTypes: ['medium', 'large'],
      instanceTypeCount: 2,
      requests: { cpu: '3', memory: '3Gi', pods: '3' },
      cheapest: { instanceType: 'medium', zone: 'zone-a', capacityType: 'spot' },
    });
    expect(values(claim, TYPE)).toEqual(['large', 'medium']);
    expect(values(claim, CAPACITY)).toEqual(['on-demand', 'spot']);
    expect(values(claim, KarpenterLabel.nodePool)).toEqual(['default']);
    expect(claim!.labels).toMatchObject({
      'karpenter.sh/nodepool': 'default',
      'example.sh/testnodeclass': 'default',
    });
    expect(claim!.requirements.map(({ key }) => key)).not.toContain('kubernetes.io/hostname');
    expect(plan.pricePerHour).toBeCloseTo(0.08);
  });

  test('places the largest pods first, then the oldest, then by uid', () => {
    const plan = solve(
      cluster({
        pods: [
          aPod('small', { cpu: '1' }),
          aPod('young', { cpu: '2', created: '2026-01-02T00:00:00Z', uid: 'a' }),
          aPod('old', { cpu: '2', created: '2026-01-01T00:00:00Z', uid: 'z' }),
          aPod('older-uid', { cpu: '2', created: '2026-01-02T00:00:00Z', uid: '0' }),
          aPod('big', { cpu: '2', memory: '1Gi', created: '2027-01-01T00:00:00Z' }),
        ],
      }),
    );
    expect(podsOf(plan).flat()).toEqual(['big', 'old', 'older-uid', 'young', 'small']);
  });

  test('orders by priority only when the option is set', () => {
    const list = [aPod('big', { cpu: '2' }), aPod('dear', { cpu: '1', priority: 1000 })];
    expect(podsOf(solve(cluster({ pods: list })))).toEqual([['big', 'dear']]);
    expect(podsOf(solve(cluster({ pods: list, options: { priorityOrder: true } })))).toEqual([
      ['dear', 'big'],
    ]);
  });

  test('fills the claim with the fewest pods first', () => {
    const own = {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'db' } } },
          ],
        },
      },
    };
    const plan = solve(
      cluster({
        pods: [
          ...pods(2, 'db', { cpu: '2', labels: { app: 'db' }, ...own }),
          ...pods(4, 'web', { cpu: '100m' }),
        ],
        options: { improveEffort: 0 },
      }),
    );
    expect(podsOf(plan).map((list) => list.length)).toEqual([3, 3]);
  });

  test('uses existing nodes before new ones, initialized nodes first, then by name', () => {
    const nodes = [aNode('b'), aNode('a', { initialized: false, pool: 'default' }), aNode('c', { cpu: '1' })];
    const plan = solve(
      cluster({
        nodes,
        pods: pods(6, 'web', { cpu: '1' }),
        boundPods: bound('b', aPod('old', { cpu: '2' })),
      }),
    );
    expect(plan.claims).toHaveLength(0);
    expect(plan.placements.map(({ node, pods: placed }) => [node, placed.length])).toEqual([
      ['b', 2],
      ['c', 1],
      ['a', 3],
    ]);
    expect(plan.counts).toMatchObject({ placed: 6, placedOnExisting: 6, refused: 0 });
  });

  test('does not assume undefined labels on an existing node, but does on a new one', () => {
    const nodes = [aNode('bare', { labels: {} })];
    const plan = solve(
      cluster({ nodes, pods: [aPod('arm', { nodeSelector: { 'kubernetes.io/arch': 'amd64' } })] }),
    );
    expect(plan.placements).toEqual([]);
    expect(plan.claims).toHaveLength(1);
  });

  test('is identical for the same input and for any order of the pods', () => {
    const list = [...pods(20, 'web', { cpu: '700m' }), ...pods(20, 'db', { cpu: '300m', memory: '3Gi' })].map(
      (pod, index) => ({ ...pod, metadata: { ...pod.metadata, uid: `u${index}` } }),
    );
    const input = cluster({ pods: list });
    expect(JSON.stringify(solve(input))).toBe(JSON.stringify(solve(input)));
    expect(JSON.stringify(solve(cluster({ pods: [...list].reverse() })))).toBe(JSON.stringify(solve(input)));
  });

  test('shares a catalogue between pools by name', () => {
    const plan = solve({
      pools: [aPool('a', { types: 'cloud' })],
      catalogues: { cloud: TYPES },
      pods: [aPod('x')],
    });
    expect(plan.claims).toHaveLength(1);
  });
});

describe('pools', () => {
  test('are tried by weight, then by name in descending order', () => {
    const pools = [
      aPool('b'),
      aPool('heavy', { weight: 10, limits: { nodes: '1' } }),
      aPool('c'),
      aPool('a'),
    ];
    const plan = solve({ pools, pods: pods(2, 'big', { cpu: '15' }) });
    expect(plan.claims.map(({ nodePool }) => nodePool)).toEqual(['heavy', 'c']);
  });

  test('that are static or being deleted are ignored', () => {
    const fixed = aPool('fixed');
    const leaving = aPool('leaving');
    const pools = [
      { ...fixed, nodePool: { ...fixed.nodePool, spec: { ...fixed.nodePool.spec, replicas: 3 } } },
      {
        ...leaving,
        nodePool: { ...leaving.nodePool, metadata: { name: 'leaving', deletionTimestamp: 'now' } },
      },
    ];
    const plan = solve({ pools, pods: [aPod('x')] });
    expect(plan.refusals[0]!.problem).toEqual({ code: 'NoPools' });
  });

  test('do not exceed their resource limits or node limit in one batch', () => {
    const apart = {
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'x' } } },
          ],
        },
      },
      labels: { app: 'x' },
    };
    const batch = pods(10, 'x', { cpu: '1', ...apart });
    const byNodes = solve({ pools: [aPool('n', { limits: { nodes: '3' } })], pods: batch });
    expect(byNodes.claims).toHaveLength(3);
    const byCpu = solve({ pools: [aPool('c', { limits: { cpu: '40' } })], pods: batch });
    const most = (types: readonly string[]) =>
      Math.max(...types.map((name) => ({ small: 2, medium: 4, large: 16 })[name]!));
    expect(byCpu.claims.reduce((sum, claim) => sum + most(claim.instanceTypes), 0)).toBeLessThanOrEqual(40);
    expect(byCpu.claims.length).toBeGreaterThan(2);
    expect(byCpu.refusals[0]!.pools[0]!.refusal).toMatchObject({
      code: 'LimitExceeded',
      resource: 'cpu',
      limit: '40',
      remaining: '0',
    });
  });

  test('count the capacity of their nodes against their limits', () => {
    const limits = { cpu: '8', nodes: '5' };
    const nodes = [
      aNode('old', { pool: 'default', taints: [{ key: 'x', effect: 'NoSchedule' }], capacity: { cpu: '6' } }),
    ];
    const plan = solve(
      cluster({ pools: [aPool('default', { limits })], nodes, pods: pods(1, 'x', { cpu: '3' }) }),
    );
    expect(plan.refusals[0]!.pools[0]!.refusal).toMatchObject({
      code: 'LimitExceeded',
      remaining: '2',
      needed: '4',
    });
    const reported = solve(
      cluster({
        pools: [aPool('default', { limits, used: { cpu: '4' } })],
        nodes,
        pods: pods(1, 'x', { cpu: '3' }),
      }),
    );
    expect(reported.claims[0]!.instanceTypes).toEqual(['medium']);
  });

  test('repel pods with taints; soft taints only while there is an alternative', () => {
    const hard = aPool('hard', { taints: [{ key: 'gpu', effect: 'NoSchedule' }], weight: 9 });
    const soft = aPool('soft', { taints: [{ key: 'spare', effect: 'PreferNoSchedule' }], weight: 5 });
    expect(solve({ pools: [hard, soft, aPool('plain')], pods: [aPod('x')] }).claims[0]!.nodePool).toBe(
      'plain',
    );
    expect(solve({ pools: [hard, soft], pods: [aPod('x')] }).claims[0]!.nodePool).toBe('soft');
    const tolerant = aPod('x', { tolerations: [{ key: 'gpu', operator: 'Exists' }] });
    expect(solve({ pools: [hard, soft], pods: [tolerant] }).claims[0]!.nodePool).toBe('hard');
  });

  test('set the custom labels that a pod selects, and refuse undefined labels', () => {
    const team = { key: 'example.com/team', operator: 'In' as const, values: ['red', 'blue'] };
    const pools = [aPool('default', { requirements: [team] })];
    const plan = solve({
      pools,
      pods: [
        aPod('red', { nodeSelector: { 'example.com/team': 'red' } }),
        aPod('odd', { nodeSelector: { 'example.com/crew': 'red' } }),
      ],
    });
    expect(plan.claims[0]!.labels['example.com/team']).toBe('red');
    expect(plan.refusals[0]!.pods).toEqual(['shop/odd']);
    expect(plan.refusals[0]!.pools[0]!.refusal).toMatchObject({
      code: 'LabelUndefined',
      key: 'example.com/crew',
    });
  });
});

describe('instance types', () => {
  test('are truncated to the maximum number, keeping the cheapest', () => {
    const plan = solve(cluster({ pods: [aPod('x')], options: { maxInstanceTypes: 2 } }));
    expect(plan.claims[0]).toMatchObject({ instanceTypes: ['small', 'medium'], instanceTypeCount: 3 });
  });

  test('must meet minValues of the pool: strictly, or with best effort', () => {
    const pools = [aPool('default', { requirements: [{ key: TYPE, operator: 'Exists', minValues: 3 }] })];
    const list = [aPod('x', { cpu: '3' })];
    const strict = solve({ pools, pods: list });
    expect(strict.refusals[0]!.pools[0]!.refusal).toEqual({
      code: 'MinValuesUnmet',
      key: TYPE,
      wanted: 3,
      found: 2,
    });
    const best = solve({ pools, pods: list, options: { minValuesPolicy: 'BestEffort' } });
    expect(best.claims[0]).toMatchObject({
      minValuesRelaxed: true,
      annotations: { 'karpenter.sh/nodeclaim-min-values-relaxed': 'true' },
    });
    expect(best.claims[0]!.requirements.find(({ key }) => key === TYPE)).toMatchObject({ minValues: 2 });
    const open = solve({ pools, pods: pods(3, 'y', { cpu: '1' }) });
    expect(open.claims.map((claim) => claim.pods.length)).toEqual([2, 1]);
  });

  test('still meet minValues when the list is truncated', () => {
    const family = (name: string) => [oneOf('example.com/family', name)];
    const types = [
      aType('a1', { cpu: 2, requirements: family('a') }),
      aType('a2', { cpu: 3, requirements: family('a') }),
      aType('b1', { cpu: 8, requirements: family('b') }),
    ];
    const requirements = [{ key: 'example.com/family', operator: 'Exists' as const, minValues: 2 }];
    const plan = solve({
      pools: [aPool('p', { types, requirements })],
      wellKnownLabels: ['example.com/family'],
      pods: [aPod('x')],
      options: { maxInstanceTypes: 2 },
    });
    expect(plan.claims[0]!.instanceTypes).toEqual(['a1', 'b1']);
  });

  test('with capacity overrides are evaluated per offering', () => {
    const types = [
      aType('flex', {
        cpu: 2,
        offerings: [
          anOffering('zone-a', 'on-demand', 1),
          anOffering('zone-b', 'on-demand', 1, { capacityOverride: { cpu: '8' } }),
        ],
      }),
    ];
    const plan = solve({ pools: [aPool('p', { types })], pods: [aPod('x', { cpu: '5' })] });
    expect(plan.claims[0]!.cheapest).toMatchObject({ instanceType: 'flex', zone: 'zone-b' });
  });

  test('exclude system reservations, including huge pages', () => {
    const types = [
      aType('t', {
        cpu: 2,
        memoryGi: 8,
        capacity: { 'hugepages-2Mi': '2Gi' },
        overhead: { kubeReserved: { cpu: '100m', memory: '1Gi' } },
      }),
    ];
    const fits = (cpu: string, memory: string) =>
      solve({ pools: [aPool('p', { types })], pods: [aPod('x', { cpu, memory })] }).claims.length;
    expect([fits('1900m', '5Gi'), fits('1901m', '5Gi'), fits('1900m', '5121Mi')]).toEqual([1, 0, 0]);
  });

  test('are not launched without an available offering', () => {
    const types = [
      aType('t', { offerings: [anOffering('zone-a', 'spot', 1, { available: false })] }),
      aType('none', { offerings: [] }),
    ];
    const plan = solve({
      pools: [aPool('p', { types })],
      pods: [aPod('x', { nodeSelector: { [ZONE]: 'zone-a' } })],
    });
    expect(plan.refusals[0]!.pools[0]!.refusal).toEqual({ code: 'PoolWithoutTypes', soldOut: true });
  });
});
