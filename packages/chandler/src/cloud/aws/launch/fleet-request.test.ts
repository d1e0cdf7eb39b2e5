import { describe, expect, test } from 'vitest';

import type { CreateFleetRequest } from './ec2-shapes.ts';
import { type FleetInput, fleetRequest } from './fleet-request.ts';
import { aType, names, offering, reserved, ZONE_A, ZONE_B } from './launch.fixture.ts';
import { CLUSTER_NAME_TAG, launchTags, NODE_CLAIM_TAG, restrictedTags } from './tags.ts';
import { type TypeSettings, templateGroups } from './template-groups.ts';

const SUBNETS = new Map([
  [ZONE_A, { id: 'subnet-a', zone: ZONE_A }],
  [ZONE_B, { id: 'subnet-b', zone: ZONE_B }],
]);
const M5 = aType('m5.large', {
  offerings: [offering('on-demand', ZONE_B, 0.2), offering('on-demand', ZONE_A, 0.1)],
});

const BASE: FleetInput = {
  capacityType: 'on-demand',
  templates: [{ name: 'lt-1', group: { imageId: 'ami-1', types: [M5] } }],
  subnets: SUBNETS,
  tags: { a: '1' },
  minValuesRelaxed: false,
  priceOverlay: false,
};
const request = (change: Partial<FleetInput> = {}) => fleetRequest({ ...BASE, ...change });

describe('the request of a fleet', () => {
  test('is for one instance at once, with an override for each type and zone', () => {
    expect(request()).toEqual({
      Type: 'instant',
      TargetCapacitySpecification: { DefaultTargetCapacityType: 'on-demand', TotalTargetCapacity: 1 },
      OnDemandOptions: { AllocationStrategy: 'lowest-price' },
      LaunchTemplateConfigs: [
        {
          LaunchTemplateSpecification: { LaunchTemplateName: 'lt-1', Version: '$Latest' },
          Overrides: [
            {
              InstanceType: 'm5.large',
              SubnetId: 'subnet-a',
              ImageId: 'ami-1',
              AvailabilityZone: ZONE_A,
              Priority: 0.1,
            },
            {
              InstanceType: 'm5.large',
              SubnetId: 'subnet-b',
              ImageId: 'ami-1',
              AvailabilityZone: ZONE_B,
              Priority: 0.2,
            },
          ],
        },
      ],
      TagSpecifications: ['instance', 'volume', 'fleet'].map((ResourceType) => ({
        ResourceType,
        Tags: [{ Key: 'a', Value: '1' }],
      })),
    });
  });

  const kind = (type: 'default' | 'capacity-block', interruptible: boolean) => ({
    capacityType: 'reserved' as const,
    reservation: { type, interruptible },
  });
  const CASES: readonly (readonly [string, Partial<FleetInput>, string, Partial<CreateFleetRequest>])[] = [
    ['on-demand', {}, 'on-demand', { OnDemandOptions: { AllocationStrategy: 'lowest-price' } }],
    [
      'on-demand with our prices',
      { priceOverlay: true },
      'on-demand',
      { OnDemandOptions: { AllocationStrategy: 'prioritized' } },
    ],
    [
      'spot',
      { capacityType: 'spot' },
      'spot',
      { SpotOptions: { AllocationStrategy: 'price-capacity-optimized' } },
    ],
    [
      'spot with our prices',
      { capacityType: 'spot', priceOverlay: true },
      'spot',
      { SpotOptions: { AllocationStrategy: 'capacity-optimized-prioritized' } },
    ],
    [
      'a reservation',
      kind('default', false),
      'on-demand',
      { OnDemandOptions: { AllocationStrategy: 'lowest-price' } },
    ],
    ['a capacity block', kind('capacity-block', false), 'capacity-block', {}],
    [
      'an interruptible reservation',
      kind('default', true),
      'reserved-capacity',
      { ReservedCapacityOptions: { ReservationTypes: ['interruptible-capacity-reservation'] } },
    ],
  ];
  test.each(CASES)('for %s', (_, change, target, options) => {
    const { TargetCapacitySpecification, OnDemandOptions, SpotOptions, ReservedCapacityOptions } =
      request(change);
    expect(TargetCapacitySpecification.DefaultTargetCapacityType).toBe(target);
    expect({ OnDemandOptions, SpotOptions, ReservedCapacityOptions }).toEqual({
      OnDemandOptions: undefined,
      SpotOptions: undefined,
      ReservedCapacityOptions: undefined,
      ...options,
    });
  });

  test('has the context of the class, unless minValues were relaxed', () => {
    expect(request({ context: 'ctx' }).Context).toBe('ctx');
    expect(request({ context: 'ctx', minValuesRelaxed: true })).not.toHaveProperty('Context');
  });

  test('names a type and zone once, though it is offered in many partitions', () => {
    const type = aType('m5.large', {
      offerings: ['1', '2', '3'].map((partition) => offering('on-demand', ZONE_A, 0.1, { partition })),
    });
    const [config] = request({
      templates: [{ name: 'lt-1', group: { imageId: 'ami-1', types: [type] } }],
    }).LaunchTemplateConfigs;
    expect(config!.Overrides).toHaveLength(1);
  });

  test('leaves out zones without a subnet, and templates that have nothing left', () => {
    const other = aType('c5.large', { offerings: [offering('on-demand', ZONE_B, 1)] });
    const found = request({
      subnets: new Map([...SUBNETS].slice(0, 1)),
      templates: [...BASE.templates, { name: 'lt-2', group: { imageId: 'ami-2', types: [other] } }],
    });
    expect(
      found.LaunchTemplateConfigs.map(({ Overrides }) => Overrides.map((each) => each.SubnetId)),
    ).toEqual([['subnet-a']]);
  });

  test('cannot be made without subnets, or without offerings in their zones', () => {
    expect(() => request({ subnets: new Map() })).toThrow(
      expect.objectContaining({ kind: 'CreateFailed', reason: 'SubnetResolutionFailed' }),
    );
    const subnets = new Map([['us-west-2c', { id: 'subnet-c', zone: 'us-west-2c' }]]);
    expect(() => request({ subnets })).toThrow(expect.objectContaining({ kind: 'InsufficientCapacity' }));
  });
});

describe('types share a launch template', () => {
  const settings: TypeSettings = { imageId: 'ami-1', efaCount: 0, maxPods: 29 };
  const group = (settingsOf: (name: string) => TypeSettings) =>
    templateGroups(
      ['a.large', 'b.large', 'c.large'].map((name) => aType(name)),
      ({ name }) => settingsOf(name),
    ).map(({ types }) => names(types));
  const differs = (change: Partial<TypeSettings>) =>
    group((name) => (name === 'b.large' ? { ...settings, ...change } : settings));

  test('when image, EFA, kubelet settings and reservation are the same', () => {
    expect(group(() => settings)).toEqual([['a.large', 'b.large', 'c.large']]);
    const reserve = (cpu: string) => ({ kubeReserved: { cpu, memory: '1Gi' } });
    expect(group(() => ({ ...settings, ...reserve('1') }))).toHaveLength(1);
  });

  test.each([
    { imageId: 'ami-2' },
    { efaCount: 4 },
    { maxPods: 58 },
    { kubeReserved: { cpu: '1' } },
    { systemReserved: { cpu: '1' } },
  ])('but not with another %j', (change) => {
    expect(differs(change)).toEqual(expect.arrayContaining([['a.large', 'c.large'], ['b.large']]));
  });

  test('not at all where no image suits them', () => {
    expect(differs({ imageId: undefined })).toEqual([['a.large', 'c.large']]);
  });

  test('one for each reservation, with its offerings only', () => {
    const type = aType('m5.large', {
      offerings: [reserved(ZONE_A, 1, { id: 'cr-a' }), reserved(ZONE_B, 1, { id: 'cr-b' })],
    });
    const found = templateGroups([type], () => settings);
    expect(found.map(({ reservationId, types }) => [reservationId, types[0]!.offerings[0]!.zone])).toEqual([
      ['cr-a', ZONE_A],
      ['cr-b', ZONE_B],
    ]);
    expect(found.every(({ types }) => types[0]!.offerings.length === 1)).toBe(true);
  });

  test('in an order that does not depend on that of the types', () => {
    const imageOf = (name: string) => ({ ...settings, imageId: `ami-${name}` });
    const types = ['a.large', 'b.large', 'c.large'].map((name) => aType(name));
    const order = (list: typeof types) =>
      templateGroups(list, ({ name }) => imageOf(name)).map((each) => each.imageId);
    expect(order(types)).toEqual(order(types.toReversed()));
  });
});

describe('tags', () => {
  const INPUT = { clusterName: 'dev', nodePool: 'general', nodeClass: 'default' };

  test('of the controller win over those of the class', () => {
    expect(launchTags({ ...INPUT, own: { team: 'a' } })).toEqual({
      team: 'a',
      'kubernetes.io/cluster/dev': 'owned',
      'karpenter.sh/nodepool': 'general',
      'eks:eks-cluster-name': 'dev',
      'karpenter.k8s.aws/ec2nodeclass': 'default',
    });
  });

  test.each([
    CLUSTER_NAME_TAG,
    NODE_CLAIM_TAG,
    'kubernetes.io/cluster/other',
    'kubernetes.io/cluster',
    'karpenter.sh/nodepool',
    'karpenter.k8s.aws/ec2nodeclass',
  ])('%s is not for a class to set', (key) => {
    expect(restrictedTags({ [key]: 'x', team: 'a' })).toEqual([key]);
    expect(() => launchTags({ ...INPUT, own: { [key]: 'x' } })).toThrow(
      expect.objectContaining({ kind: 'NodeClassNotReady', reason: 'TagValidationFailed' }),
    );
  });
});
