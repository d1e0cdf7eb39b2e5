import { describe, expect, test } from 'vitest';
import { CloudError } from '../../index.ts';

import { type ChoiceRequest, chooseTypes } from './choose-types.ts';
import {
  aType,
  capacityTypes,
  names,
  offering,
  oneOf,
  PARTITION,
  reserved,
  ZONE_A,
  ZONE_B,
} from './launch.fixture.ts';
import type { LaunchType } from './launch-types.ts';

const choose = (types: readonly LaunchType[], more: Partial<ChoiceRequest<LaunchType>> = {}) =>
  chooseTypes({ types, requirements: [], minValuesPolicy: 'Strict', ...more });
const minFamilies = (minValues: number) => ({
  key: 'karpenter.k8s.aws/instance-family',
  operator: 'Exists',
  minValues,
});
const offered = (types: readonly LaunchType[]) =>
  types.flatMap(({ name, offerings }) =>
    offerings.map((each) => `${name}/${each.zone}/${each.capacityReservation?.id ?? each.capacityType}`),
  );

describe('the first filter keeps what can be launched', () => {
  test('only types and offerings that the claim allows', () => {
    const types = [
      aType('m5.large', { offerings: [offering('on-demand', ZONE_A, 1), offering('spot', ZONE_B, 2)] }),
      aType('c5.large'),
    ];
    const requirements = [oneOf('karpenter.k8s.aws/instance-family', 'm5'), capacityTypes('spot')];
    expect(offered(choose(types, { requirements }).types)).toEqual(['m5.large/us-west-2b/spot']);
  });

  test('no offering that is unavailable, and no full reservation', () => {
    const types = [
      aType('m5.large', { offerings: [offering('on-demand', ZONE_A, 1, { available: false })] }),
      aType('c5.large', {
        offerings: [{ ...reserved(ZONE_A, 1, { id: 'cr-1' }), available: true, launchable: false }],
      }),
      aType('r5.large'),
    ];
    expect(names(choose(types).types)).toEqual(['r5.large']);
  });

  test('what the requests fit on, after what the kubelet reserves', () => {
    const overhead = { kubeReserved: { cpu: '70m' }, systemReserved: { cpu: '10m' } };
    const types = [aType('m5.large', { overhead })];
    expect(names(choose(types, { requests: { cpu: '1920m', 'example.com/none': '0' } }).types)).toEqual([
      'm5.large',
    ]);
    expect(() => choose(types, { requests: { cpu: '1921m' } })).toThrow(CloudError);
    expect(() => choose(types, { requests: { 'nvidia.com/gpu': '1' } })).toThrow(CloudError);
  });

  test('an offering that an overlay gives more, though the others are too small', () => {
    const types = [
      aType('m5.large', {
        offerings: [
          offering('on-demand', ZONE_A, 1),
          offering('on-demand', ZONE_B, 1, { capacityOverride: { 'example.com/fpga': '1' } }),
        ],
      }),
    ];
    expect(offered(choose(types, { requests: { 'example.com/fpga': '1' } }).types)).toEqual([
      'm5.large/us-west-2b/on-demand',
    ]);
  });

  test('and an offering for which an overlay reserves less', () => {
    const overhead = { kubeReserved: { cpu: '1' } };
    const types = [
      aType('m5.large', {
        overhead,
        offerings: [
          offering('on-demand', ZONE_A, 1),
          offering('on-demand', ZONE_B, 1, { overheadOverride: { kubeReserved: { cpu: '100m' } } }),
        ],
      }),
    ];
    expect(offered(choose(types, { requests: { cpu: '1500m' } }).types)).toEqual([
      'm5.large/us-west-2b/on-demand',
    ]);
    const more = [
      aType('m5.large', {
        overhead,
        offerings: [offering('on-demand', ZONE_A, 1, { capacityOverride: { cpu: '3' } })],
      }),
    ];
    expect(() => choose(more, { requests: { cpu: '2500m' } })).toThrow(CloudError);
    expect(choose(more, { requests: { cpu: '2' } }).types).toHaveLength(1);
  });

  test('nothing left is a lack of capacity, so that the pods are planned again', () => {
    const nothing = () => choose([aType('m5.large')], { requirements: [capacityTypes('spot')] });
    expect(nothing).toThrow(/none of 1 instance types can be launched .*compatible-available/);
    expect(nothing).toThrow(expect.objectContaining({ kind: 'InsufficientCapacity' }));
  });
});

describe('reservations', () => {
  test('of the cheapest kind only, before spot and on-demand', () => {
    const types = [
      aType('m5.large', {
        offerings: [
          offering('on-demand', ZONE_A, 1),
          offering('spot', ZONE_A, 0.3),
          reserved(ZONE_A, 0.2, { id: 'cr-default' }),
          reserved(ZONE_B, 0.1, { id: 'cr-interruptible', interruptible: true }),
        ],
      }),
      aType('c5.large'),
    ];
    const choice = choose(types);
    expect(offered(choice.types)).toEqual(['m5.large/us-west-2b/cr-interruptible']);
    expect(choice).toMatchObject({
      capacityType: 'reserved',
      reservation: { type: 'default', interruptible: true },
      rejected: [{ filter: 'capacity-reservation-type', types: ['c5.large'] }],
    });
  });

  test('of equal price: default, then capacity blocks, then interruptible ones', () => {
    const all = [
      reserved(ZONE_A, 0.1, { id: 'cr-3', interruptible: true }),
      reserved(ZONE_A, 0.1, { id: 'cr-2', type: 'capacity-block' }),
      reserved(ZONE_A, 0.1, { id: 'cr-1' }),
    ];
    const chosen = (offerings: LaunchType['offerings']) =>
      offered(choose([aType('m5.large', { offerings })]).types);
    expect(chosen(all)).toEqual(['m5.large/us-west-2a/cr-1']);
    expect(chosen(all.slice(0, 2))).toEqual(['m5.large/us-west-2a/cr-2']);
    expect(chosen(all.slice(0, 1))).toEqual(['m5.large/us-west-2a/cr-3']);
  });

  test('one capacity block, the cheapest', () => {
    const block = (zone: string, price: number, id: string) =>
      reserved(zone, price, { id, type: 'capacity-block' });
    const types = [
      aType('p5.48xlarge', { offerings: [block(ZONE_A, 3, 'cr-a'), block(ZONE_B, 2, 'cr-b')] }),
      aType('p4d.24xlarge', { offerings: [block(ZONE_A, 2.5, 'cr-c')] }),
    ];
    const choice = choose(types);
    expect(offered(choice.types)).toEqual(['p5.48xlarge/us-west-2b/cr-b']);
    expect(choice.rejected).toEqual([{ filter: 'capacity-block', types: ['p4d.24xlarge'] }]);
  });

  test('that are capacity blocks and not available are no reason to fail', () => {
    const types = [
      aType('p5.48xlarge', {
        offerings: [
          { ...reserved(ZONE_A, 1, { id: 'cr-1', type: 'capacity-block' }), available: false },
          offering('on-demand', ZONE_A, 9),
        ],
      }),
    ];
    expect(choose(types)).toMatchObject({ capacityType: 'on-demand' });
  });

  test('one per type and zone, the one with the most free instances', () => {
    const types = [
      aType('m5.large', {
        offerings: [
          reserved(ZONE_A, 0.1, { id: 'cr-1', free: 2 }),
          reserved(ZONE_A, 0.1, { id: 'cr-2', free: 9 }),
          reserved(ZONE_B, 0.1, { id: 'cr-4', free: 1 }),
          reserved(ZONE_B, 0.1, { id: 'cr-3', free: 1 }),
        ],
      }),
    ];
    expect(offered(choose(types).types)).toEqual(['m5.large/us-west-2a/cr-2', 'm5.large/us-west-2b/cr-3']);
  });

  test('are left alone by a claim that does not allow them', () => {
    const types = [
      aType('m5.large', {
        offerings: [offering('on-demand', ZONE_A, 1), reserved(ZONE_A, 0.1, { id: 'cr-1' })],
      }),
    ];
    expect(choose(types, { requirements: [capacityTypes('on-demand')] })).toMatchObject({
      capacityType: 'on-demand',
    });
  });
});

describe('exotic types', () => {
  const EXOTIC = [
    aType('m5.metal'),
    aType('m5.metal-24xl'),
    ...[
      'aws.amazon.com/neuron',
      'aws.amazon.com/neuroncore',
      'amd.com/gpu',
      'nvidia.com/gpu',
      'habana.ai/gaudi',
    ].map((resource) => aType(`${resource}.large`, { capacity: { cpu: '2', [resource]: '1' } })),
  ];

  test('are not launched while anything else can be', () => {
    const choice = choose([...EXOTIC, aType('m5.large', { capacity: { 'nvidia.com/gpu': '0' } })]);
    expect(names(choice.types)).toEqual(['m5.large']);
    expect(choice.rejected).toEqual([{ filter: 'exotic-instance', types: names(EXOTIC) }]);
  });

  test('are launched when nothing else is left, and for minValues', () => {
    expect(choose(EXOTIC).types).toHaveLength(EXOTIC.length);
    const types = [aType('m5.large'), aType('g5.metal')];
    expect(names(choose(types, { requirements: [minFamilies(2)] }).types)).toEqual(['g5.metal', 'm5.large']);
  });
});

describe('spot', () => {
  const types = [
    aType('m5.large', { offerings: [offering('on-demand', ZONE_A, 1), offering('spot', ZONE_A, 0.4)] }),
    aType('m5.xlarge', { offerings: [offering('on-demand', ZONE_A, 2), offering('spot', ZONE_A, 1.1)] }),
    aType('c5.large', { offerings: [offering('spot', ZONE_A, 1), offering('spot', ZONE_B, 1.2)] }),
  ];

  test('that costs more than the cheapest on-demand instance is not used, where both are allowed', () => {
    const choice = choose(types);
    expect(choice.capacityType).toBe('spot');
    expect(offered(choice.types)).toEqual(['m5.large/us-west-2a/spot', 'c5.large/us-west-2a/spot']);
  });

  test('may cost anything for a claim that allows nothing else, or has minValues', () => {
    expect(choose(types, { requirements: [capacityTypes('spot')] }).types).toHaveLength(3);
    expect(choose(types, { requirements: [minFamilies(2)] }).types).toHaveLength(3);
  });

  test('is preferred to on-demand, and a fallback with few types gives a warning', () => {
    expect(choose(types).warnings).toEqual([]);
    const onDemand = [aType('m5.large'), aType('c5.large')];
    expect(choose(onDemand).warnings).toEqual([expect.stringContaining('with 2 instance types')]);
    expect(choose(onDemand, { requirements: [capacityTypes('on-demand')] }).warnings).toEqual([]);
    const five = ['a', 'b', 'c', 'd', 'e'].map((family) => aType(`${family}.large`));
    expect(choose(five).warnings).toEqual([]);
  });
});

describe('tenancy', () => {
  test.each([
    [[], 'default'],
    [[oneOf('karpenter.k8s.aws/instance-tenancy', 'dedicated')], 'dedicated'],
    [[oneOf('karpenter.k8s.aws/instance-tenancy', 'dedicated', 'default')], 'default'],
    [[{ key: 'karpenter.k8s.aws/instance-tenancy', operator: 'NotIn', values: ['default'] }], 'dedicated'],
  ])('%j is %s', (requirements, tenancy) => {
    expect(choose([aType('m5.large')], { requirements }).tenancy).toBe(tenancy);
  });
});

describe('partitions', () => {
  const inPartition = (partition: string, more: object = {}) =>
    offering('on-demand', ZONE_A, 1, { partition, ...more });
  const types = [
    aType('m5.large', {
      offerings: [inPartition('1', { available: false }), inPartition('10'), inPartition('2')],
    }),
  ];

  test('the lowest that the claim names and that can be launched, by number', () => {
    const choice = choose(types, { requirements: [oneOf(PARTITION, '1', '2', '10')] });
    expect(choice.partition).toBe('2');
    expect(choice.types[0]!.offerings).toHaveLength(1);
  });

  test('none where the claim names none: EC2 spreads over all', () => {
    expect(choose(types).partition).toBeUndefined();
  });
});

test('a requirement that is none ends the claim, and says which', () => {
  const broken = () =>
    choose([aType('m5.large')], { requirements: [{ key: 'x', operator: 'Gt', values: ['many'] }] });
  expect(broken).toThrow(
    expect.objectContaining({ reason: 'InvalidRequirement', advice: { retry: 'never' } }),
  );
  expect(broken).toThrow(/requirement x of the claim/);
});
