import { describe, expect, test } from 'vitest';
import {
  anOffering,
  aPod,
  aPool,
  aType,
  CAPACITY,
  HOST,
  near,
  oneOf,
  pods,
  spreadOver,
  ZONE,
} from './cluster.fixture.ts';
import { solve } from './solve.ts';

describe('minValues', () => {
  const requirements = [{ key: ZONE, operator: 'Exists' as const, minValues: 2 }];
  const pools = [aPool('p', { requirements })];
  const inOneZone = aPod('x', { nodeSelector: { [ZONE]: 'zone-a' } });

  test('counts only the values that the claim still allows', () => {
    expect(solve({ pools, pods: [aPod('x')] }).counts.placed).toBe(1);
    const strict = solve({ pools, pods: [inOneZone] });
    expect(strict.refusals[0]!.pools[0]!.refusal).toEqual({
      code: 'MinValuesUnmet',
      key: ZONE,
      wanted: 2,
      found: 1,
    });
    const best = solve({ pools, pods: [inOneZone], options: { minValuesPolicy: 'BestEffort' } });
    expect(best.claims[0]!.requirements.find(({ key }) => key === ZONE)).toMatchObject({ minValues: 1 });
  });

  test('leaves a domain open that only spreads of other pods want to know', () => {
    const group = { labels: { app: 'web' }, ...near(HOST, 'web') };
    const plan = solve({
      pools,
      pods: [...pods(2, 'group', { cpu: '1', ...group }), aPod('spread', spreadOver(ZONE, 'web'))],
    });
    expect(plan.claims.map((claim) => claim.pods)).toEqual([['shop/group-001', 'shop/group-002']]);
    expect(plan.refusals.flatMap((refusal) => refusal.pods)).toEqual(['shop/spread']);
  });

  test('keeps types with allowed values when the list is truncated', () => {
    const types = [
      aType('first', { cpu: 2, zones: ['zone-a'], price: 0.1 }),
      aType('second', { cpu: 2, zones: ['zone-a', 'zone-c'], price: 0.2 }),
      aType('third', { cpu: 2, zones: ['zone-b'], price: 0.4 }),
    ];
    const notC = aPod('x', {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'NotIn', values: ['zone-c'] }] }],
          },
        },
      },
    });
    const plan = solve({
      pools: [aPool('p', { types, requirements })],
      pods: [notC],
      options: { maxInstanceTypes: 2 },
    });
    expect(plan.claims[0]!.instanceTypes).toEqual(['first', 'third']);
  });
});

describe('a reservation without capacity', () => {
  const reserved = (capacity: number) =>
    anOffering('zone-a', 'reserved', 0.001, { reservation: { id: 'r1', capacity } });
  const typeWith = (...offerings: ReturnType<typeof anOffering>[]) =>
    aType('t', { cpu: 2, offerings, capacityTypes: ['reserved', 'on-demand'] });
  const onDemand = anOffering('zone-a', 'on-demand', 1);
  const strict = { reservedMode: 'strict' as const };

  test('that is full does not keep pods from other capacity', () => {
    const pools = [aPool('p', { types: [typeWith(reserved(0), onDemand)] })];
    const plan = solve({ pools, pods: [aPod('x')], options: strict });
    expect(plan.claims[0]!.requirements).toContainEqual(oneOf(CAPACITY, 'on-demand'));
    expect(plan.pricePerHour).toBe(1);
  });

  test('that other claims hold keeps pods waiting', () => {
    const pools = [aPool('p', { types: [typeWith(reserved(1), onDemand)] })];
    const plan = solve({ pools, pods: pods(2, 'x', { cpu: '2' }), options: strict });
    expect(plan.counts).toMatchObject({ placed: 1, refused: 1 });
  });

  test('that is all there is: pods wait, or go to the next NodePool', () => {
    const pools = [
      aPool('first', { weight: 10, types: [typeWith(reserved(0))] }),
      aPool('second', { types: [typeWith(onDemand)] }),
    ];
    const waiting = solve({ pools, pods: [aPod('x')], options: strict });
    expect(waiting.refusals[0]!.pools[0]!.refusal).toMatchObject({ code: 'ReservedOnly' });
    expect(solve({ pools, pods: [aPod('x')] }).claims.map(({ nodePool }) => nodePool)).toEqual(['second']);
  });
});

describe('an offering that is available and not launchable', () => {
  const types = [
    aType('t', {
      offerings: [
        anOffering('zone-a', 'spot', 0.1, { launchable: false }),
        anOffering('zone-b', 'on-demand', 0.5),
      ],
    }),
  ];

  test('gives neither price nor capacity type to a claim', () => {
    const plan = solve({ pools: [aPool('p', { types })], pods: [aPod('x')] });
    expect(plan.claims[0]!.cheapest).toMatchObject({ price: 0.5, zone: 'zone-b' });
    expect(plan.claims[0]!.requirements).toContainEqual(oneOf(CAPACITY, 'on-demand'));
  });

  test('is planned for where nothing else is left', () => {
    const plan = solve({
      pools: [aPool('p', { types })],
      pods: [aPod('x', { nodeSelector: { [CAPACITY]: 'spot' } })],
    });
    expect(plan.claims[0]!.cheapest.price).toBe(0.1);
  });
});

test('minValues of the capacity type counts what is left: a claim never lists fewer values than it asks for', () => {
  const offerings = (price: number) => [
    anOffering('zone-a', 'on-demand', price),
    anOffering('zone-a', 'spot', price * 0.4, { available: false }),
    anOffering('zone-b', 'on-demand', price),
    anOffering('zone-b', 'spot', price * 0.4),
  ];
  const types = [
    aType('s', { cpu: 2, zones: ['zone-a', 'zone-b'], offerings: offerings(0.1) }),
    aType('m', { cpu: 4, zones: ['zone-a', 'zone-b'], offerings: offerings(0.2) }),
  ];
  const key = 'karpenter.sh/capacity-type';
  const requirements = [{ key, operator: 'In' as const, values: ['spot', 'on-demand'], minValues: 2 }];
  const inZone = (zone: string, minValuesPolicy: 'Strict' | 'BestEffort') =>
    solve({
      pools: [aPool('default', { types, requirements })],
      pods: [aPod('x', { cpu: '1', nodeSelector: { 'topology.kubernetes.io/zone': zone } })],
      options: { minValuesPolicy },
    });
  const ofClaim = ({ claims }: ReturnType<typeof solve>) =>
    claims.map((claim) => claim.requirements.find((each) => each.key === key));
  expect(inZone('zone-a', 'Strict').claims).toEqual([]);
  expect(ofClaim(inZone('zone-a', 'BestEffort'))).toEqual([
    { key, operator: 'In', values: ['on-demand'], minValues: 1 },
  ]);
  expect(ofClaim(inZone('zone-b', 'Strict'))).toEqual([
    { key, operator: 'In', values: ['on-demand', 'spot'], minValues: 2 },
  ]);
});
