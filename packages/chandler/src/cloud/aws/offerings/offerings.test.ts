import { describe, expect, test } from 'vitest';
import type { EC2NodeClassStatus } from '../../../api/index.ts';

import { aList, aNodeClass, aType } from '../aws.fixture.ts';
import type { PlacementGroup } from '../instance-types/index.ts';
import type { AwsOffering } from './offerings.ts';
import { inPlacementGroup, subnetRef, wholePlacementGroup } from './unavailable.ts';

const MINUTES_3 = 180_000;
const OD_PRICE = 0.096;

describe('the offerings of a type', () => {
  test('are one per zone of the region and capacity type, on demand before spot', () => {
    const { lists } = aList([aType('m5.large')]);
    expect(summary(lists.forNodeClass(aNodeClass())[0]!.offerings)).toEqual([
      'on-demand us-east-1a 0.096',
      'on-demand us-east-1b 0.096',
      'on-demand us-east-1c NoSubnetInZone',
      'spot us-east-1a 0.096',
      'spot us-east-1b 0.096',
      'spot us-east-1c NoSubnetInZone',
    ]);
  });

  test('carry zone, zone id and the absence of a reservation as labels', () => {
    const { lists } = aList([aType('m5.large')]);
    expect(lists.forNodeClass(aNodeClass())[0]!.offerings[0]!.requirements).toEqual([
      { key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] },
      { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['us-east-1a'] },
      { key: 'topology.k8s.aws/zone-id', operator: 'In', values: ['use1-az1'] },
      { key: 'karpenter.k8s.aws/capacity-reservation-id', operator: 'DoesNotExist' },
      { key: 'karpenter.k8s.aws/capacity-reservation-type', operator: 'DoesNotExist' },
      { key: 'karpenter.k8s.aws/capacity-reservation-interruptible', operator: 'DoesNotExist' },
    ]);
  });

  test('a type that is not sold on spot has no spot offerings', () => {
    const { lists } = aList([aType('m5.large', { SupportedUsageClasses: ['on-demand', 'capacity-block'] })]);
    const [type] = lists.forNodeClass(aNodeClass());
    expect(type!.offerings.every(({ capacityType }) => capacityType === 'on-demand')).toBe(true);
    expect(type!.requirements.find(({ key }) => key === 'karpenter.sh/capacity-type')?.values).toEqual([
      'on-demand',
    ]);
  });

  test('a zone that does not sell the type is refused, and is no label of the type', () => {
    const { lists } = aList([aType('m5.large')]);
    lists.setZones([
      { InstanceType: 'm5.large', Location: 'us-east-1b' },
      { InstanceType: 'm5.xlarge', Location: 'us-east-1a' },
    ]);
    const [type] = lists.forNodeClass(aNodeClass());
    expect(summary(type!.offerings).slice(0, 2)).toEqual([
      'on-demand us-east-1a NotOfferedInZone',
      'on-demand us-east-1b 0.096',
    ]);
    expect(type!.requirements.find(({ key }) => key === 'topology.kubernetes.io/zone')?.values).toEqual([
      'us-east-1b',
    ]);
    expect(type!.requirements.find(({ key }) => key === 'topology.k8s.aws/zone-id')?.values).toEqual([
      'use1-az2',
    ]);
  });

  test('a zone that is shifted away has no offerings until it is back', () => {
    const { lists, zonalShift } = aList([aType('m5.large')]);
    zonalShift.shifted.add('use1-az1');
    zonalShift.sequence += 1;
    expect(available(lists.forNodeClass(aNodeClass())[0]!)).toEqual([
      'on-demand us-east-1b',
      'spot us-east-1b',
    ]);
    zonalShift.shifted.clear();
    zonalShift.sequence += 1;
    expect(available(lists.forNodeClass(aNodeClass())[0]!)).toHaveLength(4);
  });

  test('a type without a price is not available, unless an overlay prices it', () => {
    const { lists, prices } = aList([aType('m5.large', { InstanceType: 'm99.large' })]);
    const offerings = () => summary(lists.forNodeClass(aNodeClass())[0]!.offerings).slice(0, 1);
    expect(offerings()).toEqual(['on-demand us-east-1a NoPrice']);
    prices.updateOverlays(new Map([['m99.large', 0.5]]));
    expect(offerings()).toEqual(['on-demand us-east-1a 0.5']);
  });
});

describe('an offering that failed recently', () => {
  test('is refused for the time that the failure counts, and nothing else is', async () => {
    const { lists, unavailable, world } = aList([aType('m5.large'), aType('m5.xlarge')]);
    const nodeClass = aNodeClass();
    const before = lists.forNodeClass(nodeClass);
    unavailable.mark(
      { instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'spot' },
      MINUTES_3,
      'InsufficientInstanceCapacity',
    );
    const [large, xlarge] = lists.forNodeClass(nodeClass);
    expect(available(large!)).toEqual(['on-demand us-east-1a', 'on-demand us-east-1b', 'spot us-east-1b']);
    expect(xlarge).toBe(before[1]);
    await world.clock.advance(MINUTES_3);
    expect(available(lists.forNodeClass(nodeClass)[0]!)).toHaveLength(4);
  });

  test('a zone has no addresses only when none of its subnets has', () => {
    const { lists, unavailable } = aList([aType('m5.large')]);
    const subnets: EC2NodeClassStatus['subnets'] = [
      { id: 'subnet-1', zone: 'us-east-1a', zoneID: 'use1-az1' },
      { id: 'subnet-2', zone: 'us-east-1a', zoneID: 'use1-az1' },
    ];
    const nodeClass = aNodeClass({}, { subnets });
    unavailable.mark(subnetRef('subnet-1'), MINUTES_3, 'InsufficientFreeAddressesInSubnet');
    expect(available(lists.forNodeClass(nodeClass)[0]!)).toHaveLength(2);
    unavailable.mark(subnetRef('subnet-2'), MINUTES_3, 'InsufficientFreeAddressesInSubnet');
    expect(available(lists.forNodeClass(nodeClass)[0]!)).toEqual([]);
  });

  test('in a placement group does not count outside of it', () => {
    const { lists, unavailable } = aList([aType('m5.large')]);
    const group: PlacementGroup = { id: 'pg-1', strategy: 'cluster' };
    const offering = { instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'on-demand' };
    unavailable.mark(inPlacementGroup(offering, 'pg-1'), MINUTES_3, 'InsufficientInstanceCapacity');
    expect(available(lists.forNodeClass(aNodeClass(), group)[0]!)).toHaveLength(3);
    expect(available(lists.forNodeClass(aNodeClass())[0]!)).toHaveLength(4);
    expect(available(lists.forNodeClass(aNodeClass(), { ...group, id: 'pg-2' })[0]!)).toHaveLength(4);
  });

  test('a spread group that is full in a zone has no offering of any type there', () => {
    const { lists, unavailable } = aList([aType('m5.large'), aType('c5.large')]);
    unavailable.mark(wholePlacementGroup('us-east-1b', 'pg-1', 'on-demand'), MINUTES_3, 'MaxSpreadInstances');
    const types = lists.forNodeClass(aNodeClass(), { id: 'pg-1', strategy: 'spread' });
    for (const type of types)
      expect(available(type)).toEqual(['on-demand us-east-1a', 'spot us-east-1a', 'spot us-east-1b']);
  });
});

describe('a partition placement group', () => {
  const group: PlacementGroup = { id: 'pg-1', strategy: 'partition', partitionCount: 3 };

  test('has one offering per partition, with the labels of group and partition', () => {
    const { lists } = aList([aType('m5.large')]);
    const [type] = lists.forNodeClass(aNodeClass(), group);
    expect(available(type!).slice(0, 3)).toEqual([
      'on-demand us-east-1a 1',
      'on-demand us-east-1a 2',
      'on-demand us-east-1a 3',
    ]);
    expect(type!.offerings).toHaveLength(18);
    const label = (key: string) => type!.requirements.find((each) => each.key === key)?.values;
    expect(label('karpenter.k8s.aws/placement-group-id')).toEqual(['pg-1']);
    expect(label('karpenter.k8s.aws/placement-group-partition')).toEqual(['1', '2', '3']);
    expect(type!.offerings[1]!.requirements).toContainEqual({
      key: 'karpenter.k8s.aws/placement-group-partition',
      operator: 'In',
      values: ['2'],
    });
  });

  test('a failure in one partition leaves the others', () => {
    const { lists, unavailable } = aList([aType('m5.large')]);
    const offering = { instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'spot' };
    unavailable.mark(inPlacementGroup(offering, 'pg-1', '2'), MINUTES_3, 'InsufficientInstanceCapacity');
    const names = available(lists.forNodeClass(aNodeClass(), group)[0]!);
    expect(names).toHaveLength(11);
    expect(names).not.toContain('spot us-east-1a 2');
  });
});

describe('a capacity reservation', () => {
  const reservation = {
    id: 'cr-1',
    availabilityZone: 'us-east-1a',
    instanceType: 'm5.large',
    instanceMatchCriteria: 'open' as const,
    ownerID: '123456789012',
  };
  const setup = (changes: object = {}, free = 4) => {
    const made = aList([aType('m5.large'), aType('m5.xlarge')]);
    made.reservations.free.set('cr-1', free);
    const nodeClass = aNodeClass({}, { capacityReservations: [{ ...reservation, ...changes }] });
    return { ...made, types: () => made.lists.forNodeClass(nodeClass) };
  };
  const reserved = (type: { readonly offerings: readonly AwsOffering[] }) =>
    type.offerings.filter(({ capacityType }) => capacityType === 'reserved');

  test('is an offering of its type that is nearly free, with its free instances', () => {
    const [large, xlarge] = setup().types();
    expect(reserved(large!)).toMatchObject([
      { price: OD_PRICE / 10_000_000, available: true, reservation: { id: 'cr-1', capacity: 4 } },
    ]);
    expect(reserved(xlarge!)).toEqual([]);
    const label = (key: string) => large!.requirements.find((each) => each.key === key)?.values;
    expect(label('karpenter.sh/capacity-type')).toEqual(['on-demand', 'reserved', 'spot']);
    expect(label('karpenter.k8s.aws/capacity-reservation-id')).toEqual(['cr-1']);
    expect(label('karpenter.k8s.aws/capacity-reservation-type')).toEqual(['default']);
    expect(label('karpenter.k8s.aws/capacity-reservation-interruptible')).toEqual(['false']);
  });

  test('that is full stays available, so that pods may wait for it, but nothing is launched from it', () => {
    const [full] = reserved(setup({}, 0).types()[0]!);
    expect(full).toMatchObject({
      available: true,
      launchable: false,
      reservation: { id: 'cr-1', capacity: 0 },
      refusal: { code: 'ReservationFull' },
    });
    const { types, reservations } = setup({}, 0);
    types();
    reservations.free.set('cr-1', 1);
    reservations.sequence += 1;
    const [free] = reserved(types()[0]!);
    expect(free).toMatchObject({ available: true, reservation: { capacity: 1 } });
    expect(free).not.toHaveProperty('launchable');
    expect(free).not.toHaveProperty('refusal');
  });

  test('that is full is not available when something else speaks against it, too', () => {
    const offeringsOf = (...args: Parameters<typeof setup>) =>
      reserved(setup(...args).types()[0]!).map(({ available: isAvailable, refusal }) => [
        isAvailable,
        refusal?.code,
      ]);
    expect(offeringsOf({ availabilityZone: 'us-east-1c' }, 0)).toEqual([[false, 'NoSubnetInZone']]);
    expect(offeringsOf({ state: 'expiring' }, 0)).toEqual([[false, 'ReservationExpiring']]);
  });

  test('that is about to expire is not available', () => {
    expect(summary(reserved(setup({ state: 'expiring' }).types()[0]!))).toEqual([
      'reserved us-east-1a ReservationExpiring',
    ]);
  });

  test('in a zone without a subnet is not available', () => {
    expect(summary(reserved(setup({ availabilityZone: 'us-east-1c' }).types()[0]!))).toEqual([
      'reserved us-east-1c NoSubnetInZone',
    ]);
  });

  test('is not available while no subnet of its zone has free addresses', () => {
    const { lists, reservations, unavailable } = aList([aType('m5.large')]);
    reservations.free.set('cr-1', 4);
    const subnets = [{ id: 'subnet-1', zone: 'us-east-1a', zoneID: 'use1-az1' }];
    const nodeClass = aNodeClass({}, { subnets, capacityReservations: [reservation] });
    unavailable.mark(subnetRef('subnet-1'), MINUTES_3, 'InsufficientFreeAddressesInSubnet');
    expect(summary(reserved(lists.forNodeClass(nodeClass)[0]!))).toEqual([
      'reserved us-east-1a RecentlyFailed',
    ]);
  });

  test('is available although on demand failed there recently', () => {
    const { types, unavailable } = setup();
    unavailable.mark(
      { instanceType: 'm5.large', zone: 'us-east-1a', capacityType: 'on-demand' },
      MINUTES_3,
      'InsufficientInstanceCapacity',
    );
    expect(reserved(types()[0]!)).toMatchObject([{ available: true }]);
  });

  test('of a capacity block has its type as a label', () => {
    const [type] = setup({ reservationType: 'capacity-block', interruptible: true }).types();
    expect(reserved(type!)[0]!.requirements).toEqual(
      expect.arrayContaining([
        { key: 'karpenter.k8s.aws/capacity-reservation-type', operator: 'In', values: ['capacity-block'] },
        { key: 'karpenter.k8s.aws/capacity-reservation-interruptible', operator: 'In', values: ['true'] },
      ]),
    );
  });

  test('counts its free instances anew, and its type alone is built again', () => {
    const { types, reservations } = setup();
    const before = types();
    reservations.free.set('cr-1', 3);
    reservations.sequence += 1;
    const after = types();
    expect(reserved(after[0]!)).toMatchObject([{ reservation: { capacity: 3 } }]);
    expect(after[1]).toBe(before[1]);
  });

  test('is not offered while the gate ReservedCapacity is closed', () => {
    const { lists, reservations } = aList([aType('m5.large')], { reservedCapacity: false });
    reservations.free.set('cr-1', 1);
    const [type] = lists.forNodeClass(aNodeClass({}, { capacityReservations: [reservation] }));
    expect(reserved(type!)).toEqual([]);
  });
});

describe('types that do not suit the node class', () => {
  test.each([
    ['a1.large', {}, 'ArchitectureNotSupportedByImage'],
    ['m5.large', { cpuOptions: { nestedVirtualization: 'enabled' as const } }, 'NoNestedVirtualization'],
    ['t2.medium', { connectionTracking: { udpTimeout: 30 } }, 'ConnectionTrackingNeedsNitro'],
    ['m5.metal', { connectionTracking: { udpTimeout: 30 } }, 'ConnectionTrackingNeedsNitro'],
    ['t2.medium', { networkInterfaces: interfaces([0, 0, 'interface']) }, 'NoEnaSupport'],
    ['m5.large', { networkInterfaces: interfaces([1, 0, 'interface']) }, 'TooFewNetworkCards'],
    ['m5.large', { networkInterfaces: interfaces([0, 3, 'interface']) }, 'TooFewInterfacesOnCard'],
    ['m5.large', { networkInterfaces: interfaces([0, 1, 'efa-only']) }, 'TooFewEfaInterfaces'],
  ])('%s with %j: %s', (name, spec, reason) => {
    const { lists } = aList([aType(name)]);
    const [type] = lists.forNodeClass(aNodeClass(spec));
    expect(type!.offerings.length).toBeGreaterThan(0);
    for (const { available: isAvailable, refusal } of type!.offerings) {
      expect(isAvailable).toBe(false);
      expect(refusal).toEqual({ code: 'Incompatible', reason });
    }
  });

  test.each([
    ['a1.large', { amiSelectorTerms: [{ alias: 'bottlerocket@latest' }] }],
    ['c8i.large', { cpuOptions: { nestedVirtualization: 'enabled' as const } }],
    ['m5.large', { cpuOptions: { nestedVirtualization: 'disabled' as const } }],
    ['m5.large', { connectionTracking: { udpTimeout: 30 } }],
    ['p5.48xlarge', { networkInterfaces: interfaces([0, 0, 'interface'], [31, 1, 'efa-only']) }],
  ])('%s with %j is available', (name, spec) => {
    const { lists } = aList([aType(name)]);
    expect(available(lists.forNodeClass(aNodeClass(spec))[0]!)).toHaveLength(4);
  });

  test('a strategy of placement that the type does not have', () => {
    const { lists } = aList([aType('t3.medium')]);
    const [type] = lists.forNodeClass(aNodeClass(), { id: 'pg-1', strategy: 'cluster' });
    expect(type!.offerings[0]!.refusal).toEqual({
      code: 'Incompatible',
      reason: 'PlacementStrategyNotSupported',
    });
  });
});

function summary(offerings: readonly AwsOffering[]): readonly string[] {
  return offerings.map(
    ({ capacityType, zone, price, refusal }) => `${capacityType} ${zone} ${refusal?.code ?? price}`,
  );
}

function available({ offerings }: { readonly offerings: readonly AwsOffering[] }): readonly string[] {
  return offerings
    .filter((offering) => offering.available)
    .map(({ capacityType, zone, partition }) => [capacityType, zone, partition].join(' ').trim());
}

function interfaces(...rows: readonly (readonly [number, number, 'interface' | 'efa-only'])[]) {
  return rows.map(([networkCardIndex, deviceIndex, interfaceType]) => ({
    networkCardIndex,
    deviceIndex,
    interfaceType,
  }));
}
