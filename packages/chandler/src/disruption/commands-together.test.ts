import { describe, expect, test } from 'vitest';
import type { InstanceType, Overlay, Pod } from '../scheduling/index.ts';
import { aPod, aType, pods } from '../scheduling/testing.ts';
import {
  aCluster,
  aDisruptedPool,
  aManagedNode,
  type ClusterShape,
  NOW,
  type NodeShape,
} from './disruption.fixture.ts';
import { planDisruption } from './disruption-plan.ts';
import type { DisruptionNode, DisruptionOptions } from './model.ts';
import type { RepairPolicy } from './repair-policies.ts';

function plan(nodes: readonly DisruptionNode[], shape: ClusterShape = {}, options: DisruptionOptions = {}) {
  return planDisruption(aCluster(nodes, shape), options, NOW);
}

const DRIFTED = { conditions: { Drifted: true } };

describe('commands of one pass hold together', () => {
  const spreadOver = (topologyKey: string, name: string): Pod =>
    aPod(name, {
      cpu: '2',
      labels: { app: 'web' },
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey,
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: { matchLabels: { app: 'web' } },
        },
      ],
    });

  test('a spread over capacity types holds after all commands', () => {
    const key = 'karpenter.sh/capacity-type';
    const nodes = ['a1', 'a2', 'b1', 'b2'].map((name) =>
      aManagedNode(name, {
        type: 's',
        capacityType: name.startsWith('a') ? 'on-demand' : 'spot',
        pods: [spreadOver(key, `web-${name}`)],
        ...DRIFTED,
      }),
    );
    const { commands } = plan(nodes);
    const launched = commands.flatMap(({ replacements }) => replacements);
    expect(launched.map(({ cheapest }) => cheapest.capacityType).sort()).toEqual([
      'on-demand',
      'on-demand',
      'spot',
      'spot',
    ]);
  });

  test('a spread over a label of instance types holds after all commands', () => {
    const family = (value: string) => [{ key: 'family', operator: 'In', values: [value] }];
    const types: InstanceType[] = [
      aType('d', { cpu: 2, price: 0.1, requirements: family('d') }),
      aType('e', { cpu: 2, price: 0.11, requirements: family('e') }),
    ];
    const nodes = ['d1', 'd2', 'e1', 'e2'].map((name) =>
      aManagedNode(name, {
        type: name[0]!,
        cpu: 2,
        labels: { family: name[0]! },
        pods: [spreadOver('family', `web-${name}`)],
        ...DRIFTED,
      }),
    );
    const pools = [aDisruptedPool('default', { types })];
    const { commands } = plan(nodes, { pools, scheduling: { wellKnownLabels: ['family'] } });
    const launched = commands.flatMap(({ replacements }) => replacements);
    expect(launched.map(({ cheapest }) => cheapest.instanceType).sort()).toEqual(['d', 'd', 'e', 'e']);
  });

  test('replacements together stay within the limits of their NodePool', () => {
    const types = [aType('m', { cpu: 4, price: 0.2 })];
    const pool = aDisruptedPool('default', { types, limits: { cpu: '6' } });
    const nodes = ['a', 'b'].map((name) =>
      aManagedNode(name, { type: 's', pods: [aPod(`web-${name}`, { cpu: '2' })], ...DRIFTED }),
    );
    const summed = plan(nodes, { pools: [pool] });
    expect(summed.commands).toHaveLength(1);
    // The controller counts what the pool uses itself.
    const given = plan(nodes, { pools: [{ ...pool, used: { cpu: '4', nodes: '2' } }] });
    expect(given.commands).toHaveLength(1);
  });

  test('what a command frees is launched by a later pass: until then its nodes count', () => {
    const types = [aType('m', { cpu: 4, price: 0.2 })];
    const pool = aDisruptedPool('default', { types, limits: { cpu: '6', nodes: '2' } });
    const empty = aManagedNode('empty', { type: 'm' });
    const old = aManagedNode('old', { type: 's', pods: [aPod('web', { cpu: '2' })], ...DRIFTED });
    const methods = (nodes: readonly DisruptionNode[], used: Record<string, string>) =>
      plan(nodes, { pools: [{ ...pool, used }] }).commands.map(({ method }) => method);
    expect(methods([empty, old], { cpu: '6', nodes: '2' })).toEqual(['emptiness']);
    expect(methods([old], { cpu: '2', nodes: '1' })).toEqual(['drift']);
  });

  test('nodes of a NodePool at its limits can be replaced: of a node and its replacement the larger counts', () => {
    const types = [aType('s', { cpu: 2, price: 0.1 }), aType('m', { cpu: 4, price: 0.2 })];
    const pool = aDisruptedPool('default', { types, limits: { cpu: '6' } });
    const nodes = (cpu: string) =>
      ['a', 'b'].map((name) =>
        aManagedNode(name, { type: 's', pods: [aPod(`web-${name}`, { cpu })], ...DRIFTED }),
      );
    const full = { ...pool, used: { cpu: '6', nodes: '3' } };
    expect(plan(nodes('1500m'), { pools: [full] }).commands).toHaveLength(2);
    for (const given of [pool, { ...pool, used: { cpu: '4', nodes: '2' } }])
      expect(plan(nodes('3'), { pools: [given] }).commands).toHaveLength(1);
  });
});

describe('a node that is repaired gets no pods of others', () => {
  const policy = (action: RepairPolicy['action']): DisruptionOptions => ({
    repair: {
      policies: [
        { conditionType: 'Ready', conditionStatus: 'False', tolerationMs: 0, fallback: true, action },
      ],
    },
  });
  const small = (name: string) => ({ pods: [aPod(`web-${name}`, { cpu: '500m' })] });
  /** Nothing fits on them, and nothing happens to them. */
  const full = ['f1', 'f2', 'f3', 'f4'].map((name) =>
    aManagedNode(name, { pods: pods(4, name, { cpu: '1' }), conditions: { Consolidatable: undefined } }),
  );
  const ill = (name: string) => aManagedNode(name, { ready: false, ...small(name) });
  const destinations = ({ commands }: ReturnType<typeof plan>) =>
    commands.flatMap((command) => command.destinations.map(({ node }) => node));

  test('by another repair', () => {
    const result = plan([ill('a'), ill('b'), ...full], {}, policy('ReplaceNode'));
    expect(result.commands.map(({ method, candidates }) => [method, candidates[0]!.name])).toEqual([
      ['repair', 'a'],
      ['repair', 'b'],
    ]);
    expect(destinations(result)).toEqual([]);
    expect(
      result.commands.flatMap(({ replacements }) => replacements.flatMap((each) => each.pods)).sort(),
    ).toEqual(['shop/web-a', 'shop/web-b']);
  });

  test('by drift, if it is rebooted', () => {
    const drifted = aManagedNode('old', { ...DRIFTED, ...small('old') });
    const result = plan([ill('a'), drifted, ...full], {}, policy('RebootNode'));
    expect(result.commands.map(({ method }) => method)).toEqual(['repair', 'drift']);
    expect(destinations(result)).toEqual([]);
  });

  test('by drift, while its repair waits for a budget', () => {
    const drifted = aManagedNode('old', { ...DRIFTED, ...small('old') });
    const pools = [aDisruptedPool('default', { budgets: [{ nodes: '0', reasons: ['Unhealthy'] }] })];
    const result = plan([ill('a'), drifted, ...full], { pools }, policy('ReplaceNode'));
    expect(result.commands[0]).toMatchObject({ method: 'drift', destinations: [] });
  });

  test('by consolidation, if it is rebooted', () => {
    const dear = aManagedNode('dear', { type: 'm', ...small('dear') });
    expect(destinations(plan([ill('a'), dear, ...full], {}, policy('RebootNode')))).toEqual([]);
  });

  test('also while a reboot of an earlier pass lasts', () => {
    const rebooting = aManagedNode('r', { ...small('r'), conditions: { Rebooting: true } });
    const drifted = aManagedNode('old', { ...DRIFTED, ...small('old') });
    const result = plan([rebooting, drifted, ...full]);
    expect(result.commands.map(({ method }) => method)).toEqual(['drift']);
    expect(destinations(result)).toEqual([]);
  });
});

describe('a pod gets one new node', () => {
  const planned = ({ commands }: ReturnType<typeof plan>) =>
    commands.flatMap(({ replacements }) => replacements.flatMap((each) => each.pods)).sort();

  test('also if it is pending', () => {
    const nodes = ['a', 'b'].map((name) =>
      aManagedNode(name, { type: 's', pods: [aPod(`web-${name}`, { cpu: '1500m' })], ...DRIFTED }),
    );
    const result = plan(nodes, { pending: [aPod('new', { cpu: '1' })] });
    expect(result.commands).toHaveLength(2);
    expect(planned(result)).toEqual(['shop/new', 'shop/web-a', 'shop/web-b']);
  });

  /** A static NodePool that launches one type, and a drifted node of another NodePool. */
  const withStatic = (launches: string, moving: readonly Pod[], shape: NodeShape = {}) => {
    const types = [aType(launches, { cpu: launches === 's' ? 2 : 4, price: 0.1 })];
    const nodes = [
      aManagedNode('fixed', { pool: 'static', pods: moving, ...DRIFTED, ...shape }),
      aManagedNode('old', { type: 's', pods: [aPod('web', { cpu: '1' })], ...DRIFTED }),
    ];
    return plan(nodes, { pools: [aDisruptedPool('static', { types, replicas: 1 }), aDisruptedPool()] });
  };

  test('also if that is a replacement of a static NodePool', () => {
    const result = withStatic('m', pods(3, 'fixed', { cpu: '900m' }));
    expect(result.commands.map(({ method }) => method)).toEqual(['static-drift', 'drift']);
    expect(planned(result)).toEqual(['shop/web']);
  });

  test('of a static NodePool, as far as it has room', () => {
    const result = withStatic('s', pods(3, 'fixed', { cpu: '900m' }));
    expect(planned(result)).toEqual(['shop/fixed-003', 'shop/web']);
  });

  test('of a static NodePool, unless it is in another zone', () => {
    const there = { nodeSelector: { 'topology.kubernetes.io/zone': 'zone-b' } };
    const result = withStatic('m', [aPod('fixed', { cpu: '1', ...there })], { zone: 'zone-b' });
    expect(planned(result)).toEqual(['shop/fixed', 'shop/web']);
  });
});

describe('a price that is equal is not lower', () => {
  test('also when the sum of the prices is rounded', () => {
    const types = [
      aType('s', { cpu: 2, price: 0.1, capacityTypes: ['on-demand'] }),
      aType('x', { cpu: 6, price: 0.3, capacityTypes: ['on-demand'] }),
    ];
    // 0.1 + 0.1 + 0.1 is more than 0.3 for a computer.
    const nodes = ['a', 'b', 'c'].map((name) =>
      aManagedNode(name, { type: 's', pods: pods(2, name, { cpu: '1' }) }),
    );
    expect(plan(nodes, { pools: [aDisruptedPool('default', { types })] }).commands).toEqual([]);
  });

  test('also for the most expensive type of a replacement', () => {
    for (const [low, price] of ROUNDED) {
      const types = [
        aType('cheap', { cpu: 4, price: low, capacityTypes: ['on-demand'] }),
        aType('same', { cpu: 4, price, capacityTypes: ['on-demand'] }),
        aType('own', { cpu: 4, price, capacityTypes: ['on-demand'] }),
      ];
      const node = aManagedNode('a', { type: 'own', pods: pods(2, 'a', { cpu: '1' }) });
      const { commands } = plan([node], { pools: [aDisruptedPool('default', { types })] });
      expect(commands[0]!.replacements[0]!.instanceTypes).toEqual(['cheap']);
    }
  });
});

/** `low + (price - low)` is more than `price`. */
const ROUNDED: [number, number][] = [];
for (let price = 2; price < 100; price++)
  for (let low = 1; low < price; low++)
    if (low / 100 + (price / 100 - low / 100) > price / 100) ROUNDED.push([low / 100, price / 100]);

test('an overlay for another node class changes no price', () => {
  const overlay: Overlay = {
    metadata: { name: 'discount' },
    spec: {
      requirements: [{ key: 'example.sh/testnodeclass', operator: 'In', values: ['other'] }],
      priceAdjustment: '-90%',
    },
  };
  const node = aManagedNode('a', { type: 'm', pods: pods(4, 'a', { cpu: '1' }) });
  const { nodes } = plan([node], { scheduling: { overlays: [overlay] } });
  expect(nodes[0]!.price).toBe(0.2);
  const own = {
    ...overlay,
    spec: { ...overlay.spec, requirements: [{ ...overlay.spec.requirements![0]!, values: ['default'] }] },
  };
  expect(plan([node], { scheduling: { overlays: [own] } }).nodes[0]!.price).toBeCloseTo(0.02);
});
