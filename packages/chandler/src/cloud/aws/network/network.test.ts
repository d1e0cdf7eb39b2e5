/** Subnets, security groups, reservations and placement groups, read from a simulated AWS through the official SDK. */
import { subnetIdOf, type TestAws, testAws, VPC_ID } from '@chandler/cloudsim/aws/testing';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { awsCallsOf } from '../aws-calls.fixture.ts';
import type { AwsCalls } from '../wire/index.ts';
import {
  CapacityReservations,
  nextChangeMs,
  type Reservation,
  reservationsStatus,
} from './capacity-reservations.ts';
import { PlacementGroups } from './placement-groups.ts';
import { SecurityGroups } from './security-groups.ts';
import { type Subnet, Subnets } from './subnets.ts';

const MINUTE_MS = 60_000;
const OWNER = '123456789012';

let aws: TestAws;
let calls: AwsCalls;

beforeEach(async () => {
  aws = await testAws();
  calls = awsCallsOf(aws);
});

afterEach(() => aws.close());

function callsOf(action: string): number {
  return aws.server.calls().filter((call) => call.action === action).length;
}

describe('subnets', () => {
  const subnetsOf = (onRead?: (subnets: readonly Subnet[]) => void) =>
    new Subnets({
      clock: aws.world.clock,
      ec2: calls.ec2,
      refreshIntervalMs: () => MINUTE_MS,
      ...(onRead === undefined ? {} : { onRead }),
    });

  test('those with the most free addresses come first, then by id', async () => {
    aws.server.account.addSubnet({
      SubnetId: 'subnet-0a000000000000000',
      VpcId: VPC_ID,
      AvailabilityZone: 'us-west-2a',
      AvailabilityZoneId: 'usw2-az1',
      CidrBlock: '10.0.128.0/17',
      State: 'available',
      Tags: [{ Key: 'karpenter.sh/discovery', Value: aws.server.settings.clusterName }],
    });
    const read: (readonly Subnet[])[] = [];
    const found = await subnetsOf((subnets) => read.push(subnets)).list(
      [{ tags: { 'karpenter.sh/discovery': '*' } }, { id: subnetIdOf(0) }],
      neverAborted(),
    );
    expect(found.map(({ id }) => id)).toEqual([
      'subnet-0a000000000000000',
      subnetIdOf(0),
      subnetIdOf(1),
      subnetIdOf(2),
    ]);
    expect(found[1]).toEqual({
      id: subnetIdOf(0),
      zone: 'us-west-2a',
      zoneId: expect.any(String),
      vpcId: VPC_ID,
      freeAddresses: 8187,
    });
    expect(read).toEqual([found]);
  });

  test('all pages are read', async () => {
    for (let index = 0; index < 1100; index += 1)
      aws.server.account.addSubnet({
        SubnetId: `subnet-0b${String(index).padStart(15, '0')}`,
        VpcId: VPC_ID,
        AvailabilityZone: 'us-west-2a',
        AvailabilityZoneId: 'usw2-az1',
        CidrBlock: '10.1.0.0/24',
        State: 'available',
        Tags: [{ Key: 'many', Value: 'yes' }],
      });
    expect(await subnetsOf().list([{ tags: { many: 'yes' } }], neverAborted())).toHaveLength(1100);
    expect(callsOf('DescribeSubnets')).toBe(2);
  });

  test('the same terms are asked for once in their interval', async () => {
    const subnets = subnetsOf();
    const terms = [{ tags: { a: 'b', c: 'd' } }];
    await subnets.list(terms, neverAborted());
    await subnets.list([{ tags: { c: 'd', a: 'b' } }], neverAborted());
    expect(callsOf('DescribeSubnets')).toBe(1);
    await aws.world.clock.advance(MINUTE_MS);
    await subnets.list(terms, neverAborted());
    expect(callsOf('DescribeSubnets')).toBe(2);
  });
});

test('security groups are found by id, name and tags, each once, by id', async () => {
  const groups = new SecurityGroups({ clock: aws.world.clock, ec2: calls.ec2 });
  const { clusterName } = aws.server.settings;
  const found = await groups.list(
    [
      { name: `${clusterName}-*` },
      { tags: { 'karpenter.sh/discovery': clusterName } },
      { id: 'sg-0c1000000000000c1' },
    ],
    neverAborted(),
  );
  expect(found.map(({ id, name }) => [id, name])).toEqual([
    ['sg-0c1000000000000c1', `eks-cluster-sg-${clusterName}-1234567890`],
    ['sg-0c1000000000000c2', `${clusterName}-extra`],
  ]);
  expect(await groups.list([{ id: 'sg-0123' }], neverAborted())).toEqual([]);
});

describe('capacity reservations', () => {
  const add = (id: string, fields: object = {}) =>
    aws.server.addCapacityReservation({
      CapacityReservationId: id,
      OwnerId: OWNER,
      AvailabilityZone: 'us-west-2a',
      InstanceType: 'm5.large',
      InstanceMatchCriteria: 'targeted',
      State: 'active',
      TotalInstanceCount: 5,
      AvailableInstanceCount: 3,
      ...fields,
    });
  const reservationsOf = (onRead?: (found: readonly Reservation[]) => void) =>
    new CapacityReservations({
      clock: aws.world.clock,
      ec2: calls.ec2,
      ...(onRead === undefined ? {} : { onRead }),
    });

  test('a class without terms asks nothing', async () => {
    expect(await reservationsOf().list(undefined, neverAborted())).toEqual({
      reservations: [],
      unknown: [],
      missing: [],
    });
    expect(callsOf('DescribeCapacityReservations')).toBe(0);
  });

  test('an id that EC2 does not know hides no other one', async () => {
    add('cr-0a');
    add('cr-0b', { State: 'expired' });
    const found = await reservationsOf().list(
      [{ id: 'cr-0a' }, { id: 'cr-0b' }, { id: 'cr-0dead' }],
      neverAborted(),
    );
    expect(found.reservations.map(({ id, freeInstances }) => [id, freeInstances])).toEqual([['cr-0a', 3]]);
    expect(found.missing).toEqual(['cr-0dead']);
  });

  test('a block begins to expire 40 minutes before its end; another reservation does not', async () => {
    const nowMs = aws.world.clock.now();
    const EndDate = new Date(nowMs + 45 * MINUTE_MS);
    add('cr-0a', { EndDate, Interruptible: true });
    add('cr-0b', { EndDate, ReservationType: 'capacity-block' });
    const { reservations } = await reservationsOf().list(
      [{ instanceMatchCriteria: 'targeted' }],
      neverAborted(),
    );
    const states = (atMs: number) =>
      reservationsStatus(reservations, atMs).map(({ id, state, interruptible }) => [
        id,
        state,
        interruptible,
      ]);
    expect(states(nowMs + 5 * MINUTE_MS - 1)).toEqual([
      ['cr-0a', 'active', true],
      ['cr-0b', 'active', false],
    ]);
    expect(states(nowMs + 5 * MINUTE_MS)).toEqual([
      ['cr-0a', 'active', true],
      ['cr-0b', 'expiring', false],
    ]);
    expect(nextChangeMs(reservations, nowMs)).toBe(nowMs + 5 * MINUTE_MS);
    expect(nextChangeMs(reservations, nowMs + 5 * MINUTE_MS)).toBe(EndDate.getTime());
    expect(nextChangeMs(reservations, EndDate.getTime())).toBeUndefined();
  });

  test('a reservation of an unknown kind is reported, and left out', async () => {
    add('cr-0a', { InstanceMatchCriteria: 'novel' });
    const { reservations, unknown } = await reservationsOf().list([{ id: 'cr-0a' }], neverAborted());
    expect(reservations).toEqual([]);
    expect(unknown).toEqual([{ id: 'cr-0a', message: expect.stringContaining('"novel"') }]);
  });
});

describe('placement groups', () => {
  const groups = () => new PlacementGroups({ clock: aws.world.clock, ec2: calls.ec2 });
  const add = (fields: object = {}) =>
    aws.server.account.placementGroups.set('pg-0a', {
      GroupId: 'pg-0a',
      GroupName: 'hpc',
      State: 'available',
      Strategy: 'partition',
      PartitionCount: 5,
      ...fields,
    });

  test('one is found by name or id, and known after that', async () => {
    add();
    const found = groups();
    expect(found.known({ name: 'hpc' })).toBeUndefined();
    const group = { id: 'pg-0a', strategy: 'partition', partitionCount: 5 };
    expect(await found.find({ name: 'hpc' }, neverAborted())).toEqual({ group });
    expect(await found.find({ id: 'pg-0a' }, neverAborted())).toEqual({ group });
    expect(found.known({ name: 'hpc' })).toEqual(group);
  });

  test.each([[{ name: 'none' }], [{ id: 'pg-0dead' }]])('%j is missing', async (selector) => {
    expect(await groups().find(selector, neverAborted())).toBe('missing');
  });

  test('one that is being deleted cannot be used', async () => {
    add({ State: 'deleting' });
    expect(await groups().find({ name: 'hpc' }, neverAborted())).toEqual({
      unusable: expect.stringContaining('being deleted'),
    });
  });

  test('the last answer is known while EC2 does not answer', async () => {
    add();
    const found = groups();
    await found.find({ name: 'hpc' }, neverAborted());
    await aws.world.clock.advance(2 * MINUTE_MS);
    aws.server.faults.add('503@operation=DescribePlacementGroups');
    await expect(found.find({ name: 'hpc' }, neverAborted())).rejects.toThrow();
    expect(found.known({ name: 'hpc' })).toMatchObject({ id: 'pg-0a' });
  });
});
