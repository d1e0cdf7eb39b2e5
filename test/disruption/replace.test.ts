import { describe, expect, test } from 'vitest';
import type { DisruptionOptions } from '../../packages/chandler/src/disruption/index.ts';
import { aDisruptedPool, aManagedNode, aPdb } from '../../packages/chandler/src/disruption/testing.ts';
import { anOffering, aPod, aType } from '../../packages/chandler/src/scheduling/testing.ts';
import {
  ASSORTED,
  assorted,
  big,
  CHEAPEST,
  cheap,
  DEAREST,
  DO_NOT_DISRUPT,
  eventsOf,
  gone,
  keepsOf,
  onDemandOnly,
  plan,
  protectedPod,
  replicas,
  TYPE_LABEL,
} from './specs.fixture.ts';

const SPOT_TO_SPOT: DisruptionOptions = { spotToSpot: true };
const POOLS = [assorted()];
const minTypes = (minValues: number) => [{ key: TYPE_LABEL, operator: 'Exists' as const, minValues }];

describe.each(['on-demand', 'spot'])('a node of the most expensive type on %s', (capacityType) => {
  const node = (name: string, own = replicas(1, name), shape = {}) =>
    big(name, own, { capacityType, ...shape });

  test('is replaced by a cheaper one', () => {
    const { commands } = plan([node('a')], { pools: POOLS }, SPOT_TO_SPOT);
    expect(commands).toMatchObject([{ decision: 'replace', candidates: [{ name: 'a' }] }]);
    expect(commands[0]!.replacements).toHaveLength(1);
    if (capacityType === 'spot') expect(commands[0]!.replacements[0]!.instanceTypes).not.toContain(DEAREST);
    expect(commands[0]!.savingPerHour).toBeGreaterThan(0);
  });

  test('is replaced although another NodePool has no instance types', () => {
    const pools = [assorted(), aDisruptedPool('other', { types: [] })];
    expect(plan([node('a')], { pools }, SPOT_TO_SPOT).commands).toMatchObject([{ decision: 'replace' }]);
  });

  test('stays while a disruption budget allows no eviction of its pods', () => {
    const result = plan(
      [node('a', replicas(3, 'a'))],
      { pools: POOLS, budgets: [aPdb('pdb', 'a', 0)] },
      SPOT_TO_SPOT,
    );
    expect(gone(result)).toEqual([]);
    expect(keepsOf(result, 'a')).toContain('PodDisruptionBudget');
  });

  test('is replaced if the budget lets go of pods that are not ready', () => {
    const pdb = aPdb('pdb', 'a', 0);
    const budget = {
      ...pdb,
      spec: { ...pdb.spec, maxUnavailable: 0, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
    };
    const unready = replicas(3, 'a').map((pod) => ({
      ...pod,
      status: { conditions: [{ type: 'Ready', status: 'False' }] },
    }));
    expect(gone(plan([node('a', unready)], { pools: POOLS, budgets: [budget] }, SPOT_TO_SPOT))).toEqual([
      'a',
    ]);
  });

  test('is replaced if the budget is in another namespace', () => {
    const pdb = aPdb('pdb', 'a', 0);
    const elsewhere = { ...pdb, metadata: { ...pdb.metadata, namespace: 'bank' } };
    expect(gone(plan([node('a')], { pools: POOLS, budgets: [elsewhere] }, SPOT_TO_SPOT))).toEqual(['a']);
  });

  test('is replaced, and one with the annotation stays', () => {
    const kept = node('kept', replicas(1, 'k', '32'), { annotations: { [DO_NOT_DISRUPT]: 'true' } });
    const result = plan([node('a', replicas(2, 'a')), kept], { pools: POOLS }, SPOT_TO_SPOT);
    expect(result.commands).toMatchObject([{ decision: 'replace', candidates: [{ name: 'a' }] }]);
  });

  test('is replaced, and one with a pod with the annotation stays', () => {
    const kept = node('kept', [...replicas(1, 'k', '31900m'), protectedPod('held')]);
    const result = plan([node('a', replicas(2, 'a')), kept], { pools: POOLS }, SPOT_TO_SPOT);
    expect(result.commands).toMatchObject([{ decision: 'replace', candidates: [{ name: 'a' }] }]);
    expect(keepsOf(result, 'kept')).toContain('PodDoNotDisrupt');
  });

  test('stays if too few types are cheaper for minValues', () => {
    // 15 types are cheaper than t16, and 16 are asked for.
    const types = ASSORTED.map((type) =>
      capacityType === 'spot'
        ? type
        : { ...type, offerings: type.offerings.filter(({ price }) => price >= 0.1) },
    );
    const requirements = [
      ...minTypes(16),
      { key: 'karpenter.sh/capacity-type', operator: 'In' as const, values: [capacityType] },
    ];
    const sixteenth = aManagedNode('a', { type: 't16', cpu: 32, capacityType, pods: replicas(1, 'a') });
    const result = plan([sixteenth], { pools: [assorted({ requirements, types })] }, SPOT_TO_SPOT);
    expect(keepsOf(result, 'a')).toEqual(['MinValues']);
  });
});

describe('a spot node', () => {
  const spot = (type = DEAREST) =>
    aManagedNode('a', { type, cpu: 32, capacityType: 'spot', pods: replicas(1, 'a') });
  /** 18 types with rising prices; the 17th is the cheapest of all. */
  const eighteen = Array.from({ length: 18 }, (_, at) =>
    aType(`p${String(at).padStart(2, '0')}`, {
      cpu: 32,
      capacityTypes: ['spot'],
      offerings: [anOffering('zone-a', 'spot', at === 16 ? 0.001 : 1 + at / 10)],
    }),
  );
  const cheapestNames = (count: number) => ['p16', ...eighteen.map(({ name }) => name)].slice(0, count);
  const ofEighteen = (requirements: ReturnType<typeof minTypes> = []) =>
    plan(
      [spot('p17')],
      { pools: [aDisruptedPool('default', { types: eighteen, requirements })] },
      SPOT_TO_SPOT,
    ).commands[0]!.replacements[0]!.instanceTypes;

  test('stays with fewer than 15 cheaper types, and the event has the numbers', () => {
    const result = plan([spot('t02')], { pools: [assorted({ types: ASSORTED.slice(0, 5) })] }, SPOT_TO_SPOT);
    expect(gone(result)).toEqual([]);
    expect(eventsOf(result, 'a')).toEqual([
      'Unconsolidatable: SpotToSpotConsolidation requires 15 cheaper instance type options than the current candidate to consolidate, got 1',
    ]);
  });

  test('stays without the gate, and the event says so', () => {
    const result = plan([spot()], { pools: POOLS });
    expect(gone(result)).toEqual([]);
    expect(eventsOf(result, 'a')).toEqual([
      "Unconsolidatable: SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node",
    ]);
  });

  test('stays if it is one of the 15 cheapest types', () => {
    expect(gone(plan([spot('t02')], { pools: POOLS }, SPOT_TO_SPOT))).toEqual([]);
  });

  test('may become one of the 15 cheapest types, wherever they are in the list', () => {
    expect(ofEighteen()).toEqual(cheapestNames(15));
  });

  test('may become one of more types where minValues asks for more than 15', () => {
    expect(ofEighteen(minTypes(16))).toEqual(cheapestNames(16));
  });

  test('may become one of 15 types where minValues asks for fewer', () => {
    expect(ofEighteen(minTypes(10))).toEqual(cheapestNames(15));
  });
});

describe('a replacement that is not cheaper', () => {
  const soldOut = aType('current', {
    cpu: 4,
    offerings: [anOffering('zone-a', 'on-demand', 0.5, { available: false })],
  });
  const current = () => aManagedNode('a', { type: 'current', pods: replicas(1, 'a') });

  test('in one of its zones on spot keeps the node', () => {
    const dear = aType('dear', { cpu: 4, offerings: [anOffering('zone-a', 'spot', 1)] });
    const types = [soldOut, dear];
    expect(gone(plan([current()], { pools: [aDisruptedPool('default', { types })] }))).toEqual([]);
    const anywhere = aType('dear', {
      cpu: 4,
      offerings: [1, 0.2, 0.4].map((price, zone) =>
        anOffering(['zone-a', 'zone-b', 'zone-c'][zone]!, 'spot', price),
      ),
    });
    const pools = [aDisruptedPool('default', { types: [soldOut, anywhere] })];
    expect(gone(plan([current()], { pools }))).toEqual([]);
  });

  test('on demand keeps a node of a NodePool that allows nothing else', () => {
    const mixed = aType('mixed', {
      cpu: 4,
      offerings: [
        anOffering('zone-a', 'on-demand', 0.6),
        anOffering('zone-b', 'on-demand', 0.6),
        anOffering('zone-b', 'spot', 0.2),
        anOffering('zone-c', 'spot', 0.3),
      ],
    });
    const requirements = [
      { key: 'karpenter.sh/capacity-type', operator: 'In' as const, values: ['on-demand'] },
    ];
    const pools = [aDisruptedPool('default', { types: [soldOut, mixed], requirements })];
    expect(gone(plan([current()], { pools }))).toEqual([]);
  });

  test('of the type of the nodes is no replacement for two, and minValues does not stop the deletion of one', () => {
    const types = [onDemandOnly('current', 5, 0.5), onDemandOnly('other', 5, 0.4)];
    const pools = [aDisruptedPool('default', { types, requirements: minTypes(2) })];
    const four = (name: string, count: number) =>
      aManagedNode(name, { type: 'current', cpu: 4, pods: replicas(count, name, '2') });
    const result = plan([four('a', 1), four('b', 1), four('c', 2)], { pools }, { maxReplacements: 1 });
    expect(result.commands).toMatchObject([{ decision: 'delete' }]);
    expect(gone(result)).toHaveLength(1);
    expect(['a', 'b']).toContain(gone(result)[0]);
  });
});

describe('reserved capacity', () => {
  const LABEL = 'example.sh/reservation';
  const reserved = (id: string, price: number) =>
    anOffering('zone-a', 'reserved', price, { reservation: { id, capacity: 10 } });
  const typeOn = (name: string, cpu: number, price: number, ...offerings: ReturnType<typeof reserved>[]) =>
    aType(name, {
      cpu,
      capacityTypes: ['on-demand', 'spot', 'reserved'],
      offerings: [
        anOffering('zone-a', 'on-demand', price),
        anOffering('zone-a', 'spot', price / 2),
        ...offerings,
      ],
    });
  const planned = (node: ReturnType<typeof big>, types: ReturnType<typeof typeOn>[]) =>
    plan([node], { pools: [aDisruptedPool('default', { types })], scheduling: { reservationLabel: LABEL } });

  test('of one reservation is left for a cheaper one', () => {
    const types = [
      typeOn('small', 2, 0.1, reserved('r-small', 1e-7)),
      typeOn('large', 16, 0.8, reserved('r-large', 1e-6)),
    ];
    const node = aManagedNode('a', {
      type: 'large',
      cpu: 16,
      capacityType: 'reserved',
      labels: { [LABEL]: 'r-large' },
      pods: replicas(1, 'a'),
    });
    expect(planned(node, types).commands[0]!.replacements).toMatchObject([
      { cheapest: { instanceType: 'small', capacityType: 'reserved', price: 1e-7 } },
    ]);
  });

  test.each(['on-demand', 'spot'])('of the same type replaces a node on %s', (capacityType) => {
    const types = [typeOn('small', 2, 0.1), typeOn('large', 16, 0.8, reserved('r-large', 1e-6))];
    const node = aManagedNode('a', { type: 'large', cpu: 16, capacityType, pods: replicas(1, 'a') });
    expect(planned(node, types).commands[0]!.replacements).toMatchObject([
      { cheapest: { instanceType: 'large', capacityType: 'reserved' } },
    ]);
  });
});

describe('preferences that are ignored', () => {
  const scheduling = { options: { preferencePolicy: 'Ignore' as const } };

  test('do not keep pods apart: a node is deleted', () => {
    const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'foo' } } };
    const foo = (name: string, count: number) =>
      replicas(count, name, '100m', { app: 'foo' }).map((pod) => ({
        ...pod,
        spec: {
          ...pod.spec,
          affinity: {
            podAntiAffinity: {
              preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }],
            },
          },
        },
      }));
    const pools = [aDisruptedPool('default', { types: [onDemandOnly(CHEAPEST, 32, 0.1)] })];
    const nodes = [cheap('a', foo('a', 2)), cheap('b', foo('b', 1))];
    expect(plan(nodes, { pools, scheduling }).commands).toMatchObject([
      { decision: 'delete', candidates: [{ name: 'b' }] },
    ]);
    expect(gone(plan(nodes, { pools }))).toEqual([]);
  });

  test('for the type of the node do not keep it: it is replaced', () => {
    const preference = {
      matchExpressions: [{ key: TYPE_LABEL, operator: 'In' as const, values: [DEAREST] }],
    };
    const pod = aPod('web', {
      cpu: '100m',
      affinity: {
        nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference }] },
      },
    });
    const types = ASSORTED.map(({ name }, at) => onDemandOnly(name, 32, 0.1 + at / 100));
    const pools = [aDisruptedPool('default', { types })];
    expect(plan([big('a', [pod])], { pools, scheduling }).commands).toMatchObject([{ decision: 'replace' }]);
    expect(gone(plan([big('a', [pod])], { pools }))).toEqual([]);
  });
});

test('minValues are not relaxed for a replacement, also with BestEffort', () => {
  const types = [onDemandOnly('least', 2, 0.1), onDemandOnly('most', 32, 1)];
  const pools = [aDisruptedPool('default', { types, requirements: minTypes(3) })];
  const node = aManagedNode('a', { type: 'most', cpu: 5, pods: replicas(1, 'a') });
  const result = plan([node], { pools, scheduling: { options: { minValuesPolicy: 'BestEffort' } } });
  expect(gone(result)).toEqual([]);
  expect(eventsOf(result, 'a').join()).toContain(
    'minValues requirement is not met for label(s) (label(s)=[node.kubernetes.io/instance-type])',
  );
});
