import { describe, expect, test } from 'vitest';
import type { InstanceType, Overlay, Pod } from '../scheduling/index.ts';
import { aPod, aType, pods } from '../scheduling/testing.ts';
import { aCluster, aDisruptedPool, aManagedNode, type ClusterShape, NOW } from './disruption.fixture.ts';
import { planDisruption } from './disruption-plan.ts';
import type { DisruptionNode } from './model.ts';

function plan(nodes: readonly DisruptionNode[], shape: ClusterShape = {}) {
  return planDisruption(aCluster(nodes, shape), {}, NOW);
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

  test('what a command frees may be launched by the next one, also for another NodePool', () => {
    const types = [aType('m', { cpu: 4, price: 0.2 })];
    const pool = aDisruptedPool('default', { types, limits: { cpu: '6', nodes: '2' } });
    const nodes = [
      aManagedNode('empty', { type: 'm' }),
      aManagedNode('old', { type: 's', pods: [aPod('web', { cpu: '2' })], ...DRIFTED }),
    ];
    const used = { cpu: '6', nodes: '2' };
    const { commands } = plan(nodes, { pools: [{ ...pool, used }] });
    expect(commands.map(({ method }) => method)).toEqual(['emptiness', 'drift']);
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
