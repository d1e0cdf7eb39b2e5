/** What a launch gives, and what refuses it, in virtual time. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { fleetParams, TestAws, templateParams, testAws } from '../aws.fixture.ts';
import type { AwsServerOptions } from '../aws-server.ts';
import { NODE_GROUP_ID, subnetIdOf } from '../store/furnish.ts';
import type { CapacityReservation } from '../store/records.ts';

let aws: TestAws;

afterEach(() => aws.close());

async function start(options: Partial<AwsServerOptions> = {}, data: Readonly<Record<string, unknown>> = {}) {
  aws = await testAws(options);
  await aws.ec2('CreateLaunchTemplate', templateParams(aws.server, data));
}

/** Codes of the overrides that failed, and how many instances were launched. */
async function fleet(options: Parameters<typeof fleetParams>[1] = {}) {
  const answer = await aws.ec2('CreateFleet', fleetParams(aws.server, options));
  return {
    codes: TestAws.values(answer.text, 'errorCode'),
    messages: TestAws.values(answer.text, 'errorMessage'),
    ids: [...answer.text.matchAll(/<item>(i-[0-9a-f]+)<\/item>/g)].map((match) => match[1]!),
    code: answer.code,
  };
}

describe('capacity', () => {
  beforeEach(() => start());

  test('a type without stock in a zone is reported, and the next override is launched', async () => {
    aws.server.context.catalogue.setStock('c5.large', 'us-west-2a', '*', 0);
    const { codes, messages, ids } = await fleet({ types: ['c5.large', 'm5.large'] });
    expect(codes).toEqual(['InsufficientInstanceCapacity']);
    expect(messages[0]).toBe(
      'We currently do not have sufficient c5.large capacity in the Availability Zone you requested (us-west-2a). ' +
        'Our system will be working on provisioning additional capacity. You can currently get c5.large capacity by not ' +
        'specifying an Availability Zone in your request or choosing us-west-2b, us-west-2c.',
    );
    expect(ids).toHaveLength(1);
    expect(aws.server.instances.get(ids[0]!)!.type).toBe('m5.large');
  });

  test('a target is reached in part when the stock ends, and the rest has errors', async () => {
    aws.server.context.catalogue.setStock('m5.large', 'us-west-2a', 'on-demand', 2);
    const { codes, ids } = await fleet({ count: 5 });
    expect(ids).toHaveLength(2);
    expect(codes).toEqual(['InsufficientInstanceCapacity']);
  });

  test('a terminated instance returns to the stock, and its address to the subnet', async () => {
    aws.server.context.catalogue.setStock('m5.large', 'us-west-2a', 'on-demand', 1);
    const subnet = aws.server.account.subnets.get(subnetIdOf(0))!;
    const before = subnet.free;
    const { ids } = await fleet();
    await aws.world.clock.advance(1000);
    expect(subnet.free).toBe(before - 1);
    expect((await fleet()).codes).toEqual(['InsufficientInstanceCapacity']);
    await aws.ec2('TerminateInstances', { InstanceIds: ids });
    await aws.world.clock.advance(2000);
    expect(subnet.free).toBe(before);
    expect((await fleet()).ids).toHaveLength(1);
  });

  test('spot without capacity has its own words', async () => {
    aws.server.context.catalogue.setStock('*', 'us-west-2a', 'spot', 0);
    const { codes, messages } = await fleet({ capacity: 'spot' });
    expect(codes).toEqual(['InsufficientInstanceCapacity']);
    expect(messages).toEqual(['There is no Spot capacity available that matches your request.']);
    expect((await fleet()).ids).toHaveLength(1);
  });

  test('a type that the zone does not offer is unsupported', async () => {
    const type = aws.server.context.catalogue
      .all()
      .find(({ zones }) => zones.length === 1 && zones[0] !== 'us-west-2a');
    const { codes, messages } = await fleet({ types: [type!.name] });
    expect(codes).toEqual([type!.architecture === 'arm64' ? 'InvalidParameterValue' : 'Unsupported']);
    expect(messages[0]).toContain(type!.zones[0]);
  });

  test('without the service-linked role there is no spot', async () => {
    aws.server.account.spotServiceRole = false;
    expect((await fleet({ capacity: 'spot' })).codes).toEqual([
      'AuthFailure.ServiceLinkedRoleCreationNotPermitted',
    ]);
  });
});

test('overrides are tried by price, or by priority', async () => {
  await start();
  const params = fleetParams(aws.server, { types: ['m5.2xlarge', 'm5.large', 'm5.xlarge'] });
  await aws.ec2('CreateFleet', params);
  const [config] = params.LaunchTemplateConfigs;
  const Overrides = config!.Overrides.map((override, at) => ({ ...override, Priority: [0, 2, 1][at] }));
  await aws.ec2('CreateFleet', {
    ...params,
    LaunchTemplateConfigs: [{ ...config!, Overrides }],
    OnDemandOptions: { AllocationStrategy: 'prioritized' },
  });
  expect(aws.server.instances.list().map(({ type }) => type)).toEqual(['m5.large', 'm5.2xlarge']);
});

test('below its minimum a fleet launches nothing', async () => {
  await start();
  aws.server.context.catalogue.setStock('m5.large', 'us-west-2a', 'on-demand', 2);
  const params = {
    ...fleetParams(aws.server, { count: 3 }),
    OnDemandOptions: { AllocationStrategy: 'lowest-price', MinTargetCapacity: 3 },
  };
  const { text } = await aws.ec2('CreateFleet', params);
  expect(text).toContain('<fleetInstanceSet/>');
  expect(aws.server.instances.list()).toEqual([]);
});

test('quotas are counted in vCPUs, on-demand and spot apart', async () => {
  await start({ quotas: { onDemand: { standard: 4 }, spot: { standard: 2 } } });
  const { codes, ids, messages } = await fleet({ count: 3 });
  expect(ids).toHaveLength(2);
  expect(codes).toEqual(['VcpuLimitExceeded']);
  expect(messages[0]).toContain('current vCPU limit of 4');
  expect((await fleet({ count: 2, capacity: 'spot' })).codes).toEqual(['MaxSpotInstanceCountExceeded']);
});

test('a subnet without free addresses refuses', async () => {
  await start({ subnetCidrs: ['10.0.0.0/28', '10.0.32.0/19', '10.0.64.0/19'] });
  const { codes, ids } = await fleet({ count: 20 });
  expect(ids).toHaveLength(11);
  expect(codes).toEqual(['InsufficientFreeAddressesInSubnet']);
  expect(new Set(aws.server.instances.list().map(({ privateIp }) => privateIp)).size).toBe(11);
});

test('a fresh instance may be missing for some time', async () => {
  await start({ latencies: { consistencyMs: 5000 } });
  const { ids } = await fleet({ count: 20 });
  const found = async () => TestAws.values((await aws.ec2('DescribeInstances')).text, 'instanceId').length;
  expect(await found()).toBe(0);
  expect((await aws.ec2('DescribeInstances', { InstanceIds: ids })).code).toBe('InvalidInstanceID.NotFound');
  await aws.world.clock.advance(2500);
  expect(await found()).toBeGreaterThan(0);
  expect(await found()).toBeLessThan(20);
  await aws.world.clock.advance(2500);
  expect(await found()).toBe(20);
});

test('states follow each other, and a terminated instance is visible for an hour', async () => {
  await start({ latencies: { consistencyMs: 0, pendingMs: 8000, shuttingDownMs: 40_000 } });
  const { ids } = await fleet();
  const [id] = ids;
  const state = () => aws.server.instances.get(id!)?.state;
  expect(state()).toBe('pending');
  await aws.world.clock.advance(8000);
  expect(state()).toBe('running');
  await aws.ec2('TerminateInstances', { InstanceIds: ids });
  expect(state()).toBe('shutting-down');
  await aws.world.clock.advance(40_000);
  expect(state()).toBe('terminated');
  const Filters = [{ Name: 'instance-state-name', Values: ['terminated'] }];
  expect(TestAws.values((await aws.ec2('DescribeInstances', { Filters })).text, 'instanceId')).toEqual([id]);
  await aws.world.clock.advance(3_599_000);
  expect(state()).toBe('terminated');
  await aws.world.clock.advance(1000);
  expect(state()).toBeUndefined();
  expect((await aws.ec2('TerminateInstances', { InstanceIds: ids })).code).toBe('InvalidInstanceID.NotFound');
});

describe('what a template may hold', () => {
  const refusals: readonly (readonly [what: string, data: object, code: string, message: string])[] = [
    [
      'an image that does not exist',
      { ImageId: 'ami-0123456789abcdef0' },
      'InvalidAMIID.NotFound',
      'does not exist',
    ],
    ['an image id that is none', { ImageId: 'al2023' }, 'InvalidAMIID.Malformed', 'expecting "ami-..."'],
    [
      'an unknown profile',
      { IamInstanceProfile: { Name: 'nobody' } },
      'InvalidParameterValue',
      'Invalid IAM Instance Profile name',
    ],
    [
      'a profile as ARN',
      { IamInstanceProfile: { Name: 'arn:aws:iam::1:instance-profile/a' } },
      'InvalidParameterValue',
      'iamInstanceProfile.name is invalid',
    ],
    [
      'an unknown security group',
      { NetworkInterfaces: [{ DeviceIndex: 0, Groups: ['sg-0123456789abcdef0'] }] },
      'InvalidGroup.NotFound',
      'does not exist in VPC',
    ],
    [
      'a volume smaller than the snapshot',
      { BlockDeviceMappings: [{ DeviceName: '/dev/xvda', Ebs: { VolumeSize: 8 } }] },
      'InvalidBlockDeviceMapping',
      'expect size >= 20GB',
    ],
    [
      'an EFA where there is none',
      { NetworkInterfaces: [{ DeviceIndex: 0, InterfaceType: 'efa', Groups: [NODE_GROUP_ID] }] },
      'Unsupported',
      'm5.large',
    ],
    [
      'a placement group that does not exist',
      { Placement: { GroupName: 'near' } },
      'InvalidPlacementGroup.Unknown',
      "'near'",
    ],
  ];

  test.each(refusals)('%s is refused', async (_, data, code, message) => {
    await start({}, data as Record<string, unknown>);
    const { codes, messages } = await fleet();
    expect(codes).toEqual([code]);
    expect(
      messages[0]!.replaceAll('&quot;', '"').replaceAll('&apos;', "'").replaceAll('&gt;', '>'),
    ).toContain(message);
  });

  test('a security group of another network is refused', async () => {
    await start();
    aws.server.account.securityGroups.get(NODE_GROUP_ID)!.VpcId = 'vpc-other';
    expect((await fleet()).messages[0]).toContain('belong to different networks');
  });

  test('a spread placement group holds seven instances in each zone', async () => {
    await start({}, { Placement: { GroupName: 'apart' } });
    aws.server.account.placementGroups.set('pg-1', {
      GroupId: 'pg-1',
      GroupName: 'apart',
      Strategy: 'spread',
      State: 'available',
    });
    const { ids, codes, messages } = await fleet({ count: 9 });
    expect(ids).toHaveLength(7);
    expect(codes).toEqual(['InsufficientInstanceCapacity']);
    expect(messages[0]).toContain('limit of instances in this spread placement group');
  });
});

describe('capacity reservations', () => {
  const reservation = (change: Partial<CapacityReservation> = {}): CapacityReservation => ({
    CapacityReservationId: 'cr-0123456789abcdef0',
    InstanceType: 'm5.large',
    AvailabilityZone: 'us-west-2a',
    InstancePlatform: 'Linux/UNIX',
    Tenancy: 'default',
    TotalInstanceCount: 1,
    AvailableInstanceCount: 1,
    InstanceMatchCriteria: 'targeted',
    State: 'active',
    OwnerId: '111122223333',
    ...change,
  });
  const target = {
    CapacityReservationSpecification: {
      CapacityReservationPreference: 'capacity-reservations-only',
      CapacityReservationTarget: { CapacityReservationId: 'cr-0123456789abcdef0' },
    },
  };
  const put = (change: Partial<CapacityReservation> = {}) =>
    aws.server.account.capacityReservations.set('cr-0123456789abcdef0', reservation(change));

  test('a targeted one is used until it is full, and a terminated instance frees its place', async () => {
    await start({}, target);
    put();
    aws.server.context.catalogue.setStock('m5.large', 'us-west-2a', '*', 0);
    const { ids, codes } = await fleet({ count: 2 });
    expect(ids).toHaveLength(1);
    expect(codes).toEqual(['ReservationCapacityExceeded']);
    expect(aws.server.instances.get(ids[0]!)!.launched.CapacityReservationId).toBe('cr-0123456789abcdef0');
    const shown = await aws.ec2('DescribeCapacityReservations', {
      CapacityReservationIds: ['cr-0123456789abcdef0'],
    });
    expect(TestAws.values(shown.text, 'availableInstanceCount')).toEqual(['0']);
    await aws.world.clock.advance(2000);
    await aws.ec2('TerminateInstances', { InstanceIds: ids });
    await aws.world.clock.advance(2000);
    expect((await fleet()).ids).toHaveLength(1);
  });

  test('an open one is taken by whoever fits, unless the launch says none', async () => {
    await start();
    put({ InstanceMatchCriteria: 'open' });
    const { ids } = await fleet();
    expect(aws.server.instances.get(ids[0]!)!.reservedBy).toBe('cr-0123456789abcdef0');
    await aws.close();
    await start({}, { CapacityReservationSpecification: { CapacityReservationPreference: 'none' } });
    put({ InstanceMatchCriteria: 'open' });
    const without = await fleet();
    expect(aws.server.instances.get(without.ids[0]!)!.reservedBy).toBeUndefined();
  });

  test('one that has ended or does not fit is refused', async () => {
    await start({}, target);
    put({ EndDate: new Date(aws.world.clock.now() - 1) });
    expect((await fleet()).codes).toEqual(['ReservationCapacityExceeded']);
    put({ InstanceType: 'c5.large' });
    expect((await fleet()).codes).toEqual(['InvalidParameterValue']);
    aws.server.account.capacityReservations.clear();
    expect((await fleet()).codes).toEqual(['InvalidCapacityReservationId.NotFound']);
  });

  test('a capacity block needs its market type', async () => {
    await start({}, target);
    put({ ReservationType: 'capacity-block' });
    expect((await fleet()).codes).toEqual(['InvalidParameterValue']);
    await aws.close();
    await start({}, { ...target, InstanceMarketOptions: { MarketType: 'capacity-block' } });
    put({ ReservationType: 'capacity-block' });
    expect((await fleet()).ids).toHaveLength(1);
  });

  test('a capacity block takes its instances with it half an hour before its end, an ordinary one does not', async () => {
    const inMs = (ms: number) => new Date(aws.world.clock.now() + ms);
    await start({}, { ...target, InstanceMarketOptions: { MarketType: 'capacity-block' } });
    aws.server.addCapacityReservation({
      ...reservation({ ReservationType: 'capacity-block', EndDate: inMs(3_600_000) }),
      CapacityReservationId: 'cr-0123456789abcdef0',
    });
    const { ids } = await fleet();
    await aws.world.clock.advance(1_790_000);
    expect(aws.server.instances.get(ids[0]!)!.state).toBe('running');
    await aws.world.clock.advance(20_000);
    expect(aws.server.instances.get(ids[0]!)!.state).toBe('terminated');
    await aws.close();
    await start({}, target);
    aws.server.addCapacityReservation({
      ...reservation({ EndDate: inMs(3_600_000) }),
      CapacityReservationId: 'cr-0123456789abcdef0',
    });
    const ordinary = (await fleet()).ids[0]!;
    await aws.world.clock.advance(3_601_000);
    expect(aws.server.instances.get(ordinary)).toMatchObject({ state: 'running', reservedBy: undefined });
    const shown = await aws.ec2('DescribeCapacityReservations');
    expect(TestAws.values(shown.text, 'state')).toEqual(['expired']);
  });
});
