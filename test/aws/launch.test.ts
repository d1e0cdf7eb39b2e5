/** What is AWS' own in a launch: lack of capacity, addresses, reservations, templates, and instances that end as they start. */
import type { CapacityReservation } from '@aws-sdk/client-ec2';
import type { Stored } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { NodeClaim } from '../../packages/chandler/src/api/index.ts';
import {
  type AwsCloudFixture,
  type AwsCloudFixtureOptions,
  aClaim,
  awsCloud,
  removeClaim,
  settleAll,
  settleOne,
} from './aws-cloud.fixture.ts';

let open: AwsCloudFixture | undefined;

afterEach(async () => {
  await open?.close();
  open = undefined;
});

async function start(options: AwsCloudFixtureOptions['server'] = {}): Promise<AwsCloudFixture> {
  open = await awsCloud({
    server: { catalogue: { types: ['m5.large', 'm5.xlarge', 'c5.large'] }, ...options },
  });
  return open;
}

const IN = (key: string, ...values: string[]) => ({ key, operator: 'In', values });
const TYPE = 'node.kubernetes.io/instance-type';
const CAPACITY = 'karpenter.sh/capacity-type';
const ZONE = 'topology.kubernetes.io/zone';

function claimOf(name: string, ...requirements: readonly object[]): Stored<NodeClaim> {
  return aClaim(name, { spec: { requirements } });
}

describe('a lack of capacity', () => {
  test('of the cheapest type and zone: the fleet takes another one, and what failed is not tried again', async () => {
    const fixture = await start();
    fixture.server.context.catalogue.setStock('m5.large', 'us-west-2a', 'on-demand', 0);
    const claim = claimOf('a', IN(TYPE, 'm5.large'), IN(CAPACITY, 'on-demand'));
    const { instance } = await settleOne(fixture, fixture.cloud, claim, fixture.nodeClass());
    expect(instance.zone).not.toBe('us-west-2a');
    expect(fixture.unavailable.list().map(({ scope, reason }) => ({ scope, reason }))).toEqual([
      {
        scope: { kind: 'offering', instanceType: 'm5.large', zone: 'us-west-2a', capacityType: 'on-demand' },
        reason: 'InsufficientInstanceCapacity',
      },
    ]);
    await settleOne(
      fixture,
      fixture.cloud,
      claimOf('b', IN(TYPE, 'm5.large'), IN(CAPACITY, 'on-demand')),
      fixture.nodeClass(),
    );
    const [, second] = fixture.callsOf('CreateFleet');
    expect(JSON.stringify(second)).not.toContain('us-west-2a');
  });

  test('everywhere: twenty claims fail without an instance, after three minutes they succeed', async () => {
    const fixture = await start({ faults: ['capacity'] });
    const creationTimestamp = new Date(fixture.clock.now()).toISOString();
    const all = Array.from({ length: 20 }, (_, index) => aClaim(`n${index}`, { creationTimestamp }));
    const failed = await settleAll(fixture, fixture.cloud, all, fixture.nodeClass());
    expect(
      [...failed.values()].every((each) => (each as { kind?: string }).kind === 'InsufficientCapacity'),
    ).toBe(true);
    expect(fixture.running()).toEqual([]);
    const calls = fixture.callsOf('CreateFleet').length;
    // Nothing is offered now, so nothing is asked for either.
    await settleAll(fixture, fixture.cloud, all, fixture.nodeClass());
    expect(fixture.callsOf('CreateFleet')).toHaveLength(calls);
    for (const claim of all)
      expect(await fixture.cloud.delete(claim, neverAborted())).toEqual({ state: 'gone' });
    fixture.server.faults.clear();
    await fixture.clock.advance(181_000);
    const fresh = all.map(({ metadata }) => aClaim(`${metadata.name}-again`));
    const results = await settleAll(fixture, fixture.cloud, fresh, fixture.nodeClass());
    expect([...results.values()].filter((each) => each instanceof Error)).toEqual([]);
    expect(fixture.running()).toHaveLength(20);
  });

  test('of spot for want of the service-linked role: no spot is tried for three minutes, on-demand is', async () => {
    const fixture = await start({
      faults: ['launch-error=AuthFailure.ServiceLinkedRoleCreationNotPermitted@capacity=spot'],
    });
    const claim = claimOf('a', IN(TYPE, 'm5.large'), IN(CAPACITY, 'spot', 'on-demand'));
    await expect(settleOne(fixture, fixture.cloud, claim, fixture.nodeClass())).rejects.toMatchObject({
      kind: 'InsufficientCapacity',
    });
    const { instance } = await settleOne(fixture, fixture.cloud, claim, fixture.nodeClass());
    expect(instance.capacityType).toBe('on-demand');
  });

  test.each([
    'VcpuLimitExceeded',
    'MaxSpotInstanceCountExceeded',
    'UnfulfillableCapacity',
    'MaxFleetCountExceeded',
  ])('as %s is one, too', async (code) => {
    const fixture = await start({ faults: [`launch-error=${code}`] });
    const claim = claimOf('a', IN(TYPE, 'm5.large'), IN(CAPACITY, 'on-demand'));
    await expect(settleOne(fixture, fixture.cloud, claim, fixture.nodeClass())).rejects.toMatchObject({
      kind: 'InsufficientCapacity',
      code,
    });
    expect(fixture.unavailable.size).toBeGreaterThan(0);
  });
});

test('a launch that EC2 refuses again and again is tried less and less often', async () => {
  const fixture = await start({ faults: ['launch-error=InternalError'] });
  const claim = aClaim('n');
  for (let second = 0; second < 300; second += 1) {
    await fixture.cloud
      .create({ claim, nodeClass: fixture.nodeClass() }, neverAborted())
      .catch((error: unknown) => expect(error).toMatchObject({ kind: 'CreateFailed' }));
    await fixture.clock.advance(1_000);
  }
  const calls = fixture.callsOf('CreateFleet').length;
  expect(calls).toBeGreaterThan(5);
  expect(calls).toBeLessThan(20);
});

describe('subnets', () => {
  const inZone = (name: string) =>
    claimOf(name, IN(TYPE, 'm5.large'), IN(ZONE, 'us-west-2a'), IN(CAPACITY, 'on-demand'));

  test('without free addresses end in no capacity of their zone, and other zones are used', async () => {
    const fixture = await start({ subnetCidrs: ['10.0.0.0/28', '10.0.32.0/24', '10.0.64.0/24'] });
    const nodeClass = fixture.nodeClass();
    const results: unknown[] = [];
    for (let index = 0; index < 13; index += 1)
      results.push(
        (await settleAll(fixture, fixture.cloud, [inZone(`n${index}`)], nodeClass)).values().next().value,
      );
    expect(results.at(-1)).toMatchObject({ kind: 'InsufficientCapacity' });
    expect(fixture.unavailable.list().map(({ reason }) => reason)).toContain(
      'InsufficientFreeAddressesInSubnet',
    );
    const elsewhere = claimOf('elsewhere', IN(TYPE, 'm5.large'), IN(CAPACITY, 'on-demand'));
    const { instance } = await settleOne(fixture, fixture.cloud, elsewhere, nodeClass);
    expect(instance.zone).not.toBe('us-west-2a');
  });

  test('of one zone are chosen by their free addresses, with those of launches in flight counted in', async () => {
    const fixture = await start();
    const { account, settings } = fixture.server;
    account.addSubnet({
      SubnetId: 'subnet-0a110c0000000000f',
      SubnetArn: 'arn:aws:ec2:us-west-2:111122223333:subnet/subnet-0a110c0000000000f',
      VpcId: 'vpc-0a11ce00000000001',
      OwnerId: settings.accountId,
      AvailabilityZone: 'us-west-2a',
      AvailabilityZoneId: settings.zones[0]!.id,
      CidrBlock: '10.0.128.0/19',
      State: 'available',
      DefaultForAz: false,
      MapPublicIpOnLaunch: false,
      Tags: [],
    });
    const zoneID = settings.zones[0]!.id;
    const nodeClass = fixture.nodeClass(
      {},
      {
        subnets: [
          { id: 'subnet-0a110c00000000001', zone: 'us-west-2a', zoneID },
          { id: 'subnet-0a110c0000000000f', zone: 'us-west-2a', zoneID },
        ],
      },
    );
    const creationTimestamp = new Date(fixture.clock.now()).toISOString();
    const all = Array.from({ length: 6 }, (_, index) => ({
      ...inZone(`n${index}`),
      metadata: { ...inZone(`n${index}`).metadata, creationTimestamp },
    }));
    await settleAll(fixture, fixture.cloud, all, nodeClass);
    const counts = Map.groupBy(fixture.running(), ({ subnetId }) => subnetId);
    expect([...counts.values()].map((each) => each.length)).toEqual([3, 3]);
    expect(fixture.callsOf('DescribeSubnets')).toHaveLength(1);
  });
});

describe('capacity reservations', () => {
  const RESERVATION = 'cr-0123456789abcdef0';

  function reserve(fixture: AwsCloudFixture, change: Partial<CapacityReservation> = {}): void {
    fixture.server.addCapacityReservation({
      InstanceType: 'm5.large',
      AvailabilityZone: 'us-west-2b',
      InstancePlatform: 'Linux/UNIX',
      InstanceMatchCriteria: 'targeted',
      Tenancy: 'default',
      State: 'active',
      TotalInstanceCount: 1,
      AvailableInstanceCount: 1,
      OwnerId: fixture.server.settings.accountId,
      ...change,
      CapacityReservationId: RESERVATION,
    });
  }

  function reservedClass(
    fixture: AwsCloudFixture,
    reservationType: 'default' | 'capacity-block' = 'default',
  ) {
    const reservation = {
      id: RESERVATION,
      availabilityZone: 'us-west-2b',
      instanceType: 'm5.large',
      instanceMatchCriteria: 'targeted' as const,
      ownerID: fixture.server.settings.accountId,
      reservationType,
      state: 'active' as const,
    };
    return fixture.nodeClass({}, { capacityReservations: [reservation] });
  }

  const reserved = (name: string) =>
    claimOf(name, IN(TYPE, 'm5.large'), IN(CAPACITY, 'reserved', 'on-demand'));

  test('are used first, named by the labels, and when they are full the next claim is launched on demand', async () => {
    const fixture = await start();
    reserve(fixture);
    const nodeClass = reservedClass(fixture);
    const process = fixture.startProcess();
    const { instance } = await settleOne(fixture, process.cloud, reserved('a'), nodeClass);
    expect(instance).toMatchObject({ capacityType: 'reserved', zone: 'us-west-2b' });
    expect(instance.labels).toMatchObject({
      'karpenter.k8s.aws/capacity-reservation-id': RESERVATION,
      'karpenter.k8s.aws/capacity-reservation-type': 'default',
    });
    expect(process.reservations.freeInstances(RESERVATION)).toBe(0);
    const { instance: next } = await settleOne(fixture, process.cloud, reserved('b'), nodeClass);
    expect(next.capacityType).toBe('on-demand');
    expect(Object.keys(next.labels)).not.toContain('karpenter.k8s.aws/capacity-reservation-id');
    expect(
      fixture
        .running()
        .map(({ reservedBy }) => reservedBy)
        .sort(),
    ).toEqual([RESERVATION, undefined]);
    const claim = { ...reserved('a'), status: { providerID: instance.providerID } };
    const labelled = {
      ...claim,
      metadata: { ...claim.metadata, labels: { ...claim.metadata.labels, ...instance.labels } },
    };
    await removeClaim(fixture, process.cloud, labelled);
    expect(process.reservations.freeInstances(RESERVATION)).toBe(1);
    // First for the node, then once more for the claim.
    await removeClaim(fixture, process.cloud, labelled);
    expect(process.reservations.freeInstances(RESERVATION)).toBe(1);
  });

  test('that somebody else has filled meanwhile are marked full, and the claim is planned again', async () => {
    const fixture = await start();
    reserve(fixture, { AvailableInstanceCount: 1 });
    const process = fixture.startProcess();
    fixture.server.account.capacityReservations.get(RESERVATION)!.AvailableInstanceCount = 0;
    await expect(
      settleOne(fixture, process.cloud, reserved('a'), reservedClass(fixture)),
    ).rejects.toMatchObject({ kind: 'InsufficientCapacity', code: 'ReservationCapacityExceeded' });
    expect(process.reservations.freeInstances(RESERVATION)).toBe(0);
  });

  test('that are capacity blocks are launched with their market type', async () => {
    const fixture = await start();
    reserve(fixture, {
      ReservationType: 'capacity-block',
      EndDate: new Date(fixture.clock.now() + 86_400_000),
    });
    const { cloud } = fixture.startProcess();
    const { instance } = await settleOne(
      fixture,
      cloud,
      reserved('a'),
      reservedClass(fixture, 'capacity-block'),
    );
    expect(instance.capacityType).toBe('reserved');
    expect(instance.labels['karpenter.k8s.aws/capacity-reservation-type']).toBe('capacity-block');
    expect(fixture.running()[0]!.launched.InstanceLifecycle).toBe('capacity-block');
    expect((await cloud.get(instance.providerID, neverAborted())).capacityType).toBe('reserved');
  });
});
