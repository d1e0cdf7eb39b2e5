/** The status of an EC2NodeClass against a simulated AWS. */
import { CLUSTER_GROUP_ID, NODE_GROUP_ID, subnetIdOf } from '@chandler/cloudsim/aws/testing';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hardcoded } from '../../../settings/index.ts';
import { CloudError } from '../../index.ts';
import { conditionOf, type Scene, scene } from './node-class.fixture.ts';

const MINUTE_MS = 60_000;

let at: Scene;

beforeEach(async () => {
  at = await scene();
});

afterEach(() => at.aws.close());

describe('a sound class', () => {
  test('becomes Ready, with everything that its selectors lead to', async () => {
    const { status, errors, requeueAfterMs } = await at.settled();
    expect(errors).toEqual([]);
    expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'True', reason: 'Ready' });
    for (const { type, status: state, reason, message } of status.conditions ?? [])
      expect([type, state, reason, message]).toEqual([type, 'True', type, '']);
    expect(status.subnets?.map(({ id }) => id)).toEqual([0, 1, 2].map(subnetIdOf));
    expect(status.subnets?.[0]).toEqual({
      id: subnetIdOf(0),
      zone: 'us-west-2a',
      zoneID: expect.any(String),
    });
    expect(status.securityGroups).toEqual([
      { id: expect.any(String), name: expect.stringContaining('eks-cluster-sg') },
    ]);
    expect(status.amis?.length).toBeGreaterThanOrEqual(4);
    expect(status.instanceProfile).toMatch(/^playground_\d+$/);
    expect(requeueAfterMs).toBe(MINUTE_MS);
  });

  test('changes nothing at the next look', async () => {
    const { nodeClass } = await at.settled();
    expect(await at.reconcile(nodeClass)).toMatchObject({ changed: false, errors: [] });
  });

  test('follows what its selectors lead to', async () => {
    const { nodeClass } = await at.settled();
    at.aws.server.account.subnets.delete(subnetIdOf(0));
    await at.aws.world.clock.advance(MINUTE_MS);
    const { status, changed } = await at.reconcile(nodeClass);
    expect(changed).toBe(true);
    expect(status.subnets?.map(({ id }) => id)).toEqual([1, 2].map(subnetIdOf));
  });

  test('uses the instance profile that it names', async () => {
    const { instanceProfile: InstanceProfileName } = (await at.settled()).status;
    const { status } = await at.settled({ instanceProfile: InstanceProfileName! });
    expect(status.instanceProfile).toBe(InstanceProfileName);
    expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'True' });
  });

  test('is not held up by reservations while their gate is closed', async () => {
    at.reservedCapacity = false;
    const { status } = await at.settled({ capacityReservationSelectorTerms: [{ id: 'cr-0a' }] });
    expect(conditionOf(status, 'CapacityReservationsReady')).toBeUndefined();
    expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'True' });
    expect(at.callsOf('DescribeCapacityReservations')).toBe(0);
  });

  test('lists its capacity reservations, and looks again when one of them changes', async () => {
    const EndDate = new Date(at.aws.world.clock.now() + 40 * MINUTE_MS + 45_000);
    at.aws.server.addCapacityReservation({
      CapacityReservationId: 'cr-0a',
      OwnerId: '123456789012',
      AvailabilityZone: 'us-west-2a',
      InstanceType: 'm5.large',
      InstanceMatchCriteria: 'targeted',
      ReservationType: 'capacity-block',
      State: 'active',
      EndDate,
    });
    const spec = { capacityReservationSelectorTerms: [{ id: 'cr-0a' }, { id: 'cr-0gone' }] };
    const { status, requeueAfterMs } = await at.reconcile(at.nodeClass(spec));
    expect(status.capacityReservations).toEqual([
      {
        id: 'cr-0a',
        availabilityZone: 'us-west-2a',
        instanceType: 'm5.large',
        instanceMatchCriteria: 'targeted',
        ownerID: '123456789012',
        endTime: EndDate.toISOString().replace('.000Z', 'Z'),
        reservationType: 'capacity-block',
        interruptible: false,
        state: 'active',
      },
    ]);
    expect(conditionOf(status, 'CapacityReservationsReady')).toMatchObject({
      status: 'True',
      message: expect.stringContaining('cr-0gone does not exist'),
    });
    // EC2 does not know the profile yet, which is sooner than the 45 s of the reservation.
    expect(requeueAfterMs).toBe(5_000);
    const later = await at.settled(spec);
    expect(later.requeueAfterMs).toBeLessThanOrEqual(30_000);
    expect(later.requeueAfterMs).toBeGreaterThan(20_000);
  });
});

describe('AWS does not answer', () => {
  test.each([
    ['AMIsReady', 'DescribeImages'],
    ['AMIsReady', 'GetParameter'],
    ['SubnetsReady', 'DescribeSubnets'],
    ['SecurityGroupsReady', 'DescribeSecurityGroups'],
    ['InstanceProfileReady', 'CreateInstanceProfile'],
    ['CapacityReservationsReady', 'DescribeCapacityReservations'],
  ])('%s of a new class is Unknown without %s, and says why', async (type, action) => {
    at.aws.server.faults.add(`forbidden@operation=${action}`);
    const { status, errors } = await at.settled({
      capacityReservationSelectorTerms: [{ instanceMatchCriteria: 'targeted' }],
    });
    expect(conditionOf(status, type)).toMatchObject({
      status: 'Unknown',
      reason: 'ResolutionFailed',
      message: expect.stringContaining(action),
    });
    expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'Unknown' });
    expect(errors).toHaveLength(1);
  });

  test.each(['throttle', '503', 'lost-response', 'truncated'])(
    'a class that was Ready stays so while AWS answers with %s',
    async (fault) => {
      const { nodeClass } = await at.settled();
      await at.aws.world.clock.advance(3_600_000);
      at.aws.server.faults.add(`${fault}@operation=*`);
      const { status, changed, errors } = await at.reconcile(nodeClass);
      expect(changed).toBe(false);
      expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'True' });
      expect(errors.length).toBeGreaterThanOrEqual(4);
    },
  );

  test('after an edit, what was True for the spec before is not Ready', async () => {
    const { nodeClass } = await at.settled();
    await at.aws.world.clock.advance(3_600_000);
    at.aws.server.faults.add('throttle@operation=DescribeSubnets');
    const edited = { ...nodeClass, metadata: { ...nodeClass.metadata, generation: 2 } };
    const { status } = await at.reconcile(edited);
    expect(conditionOf(status, 'SubnetsReady')).toMatchObject({ status: 'Unknown' });
    expect(conditionOf(status, 'ValidationSucceeded')).toMatchObject({
      status: 'Unknown',
      reason: 'DependenciesNotReady',
      message: expect.stringContaining('SubnetsReady'),
    });
    expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'Unknown' });
  });

  test('an image whose parameter could not be read stays in the status', async () => {
    const { nodeClass, status: before } = await at.settled();
    await at.aws.world.clock.advance(25 * 3_600_000);
    at.aws.server.faults.add('throttle@operation=GetParameter,rate=0.5');
    const { status } = await at.reconcile(nodeClass);
    expect(status.amis).toEqual(before.amis);
  });

  test.each([
    ['DescribeSecurityGroups', true],
    ['DescribeSecurityGroups', false],
    ['DescribeSubnets', true],
  ])(
    'networks that do not fit stay refused while %s fails (dry runs disabled: %s)',
    async (action, disabled) => {
      at.dryRunDisabled = disabled;
      for (const group of at.aws.server.account.securityGroups.values()) group.VpcId = 'vpc-other';
      const { nodeClass, status: before } = await at.settled();
      const refused = { status: 'False', reason: 'SecurityGroupSubnetVPCMismatch' };
      expect(conditionOf(before, 'ValidationSucceeded')).toMatchObject(refused);
      at.aws.server.faults.add(`throttle@operation=${action}`);
      await at.aws.world.clock.advance(6 * 60_000);
      const { status, errors } = await at.reconcile(nodeClass);
      expect(errors).toHaveLength(1);
      expect(conditionOf(status, 'ValidationSucceeded')).toMatchObject(refused);
      expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'False' });
    },
  );

  test('warnings stay while the lists that they are about cannot be read', async () => {
    const { securityGroups } = at.aws.server.account;
    const some = securityGroups.get(CLUSTER_GROUP_ID)!;
    for (const GroupId of ['a', 'b', 'c', 'd', 'e'].map((letter) => `sg-0${letter.repeat(16)}`))
      securityGroups.set(GroupId, { ...some, GroupId, GroupName: GroupId });
    const { nodeClass, status: before } = await at.settled();
    expect(conditionOf(before, 'ValidationSucceeded')?.message).toContain('matches 6 security groups');
    at.aws.server.faults.add('throttle@operation=DescribeSecurityGroups');
    await at.aws.world.clock.advance(6 * 60_000);
    const { status } = await at.reconcile(nodeClass);
    expect(status.conditions).toEqual(before.conditions);
  });

  test('user data that was refused stays refused while the cluster is not known', async () => {
    at.dryRunDisabled = true;
    const amiSelectorTerms = [{ alias: 'bottlerocket@latest' }];
    const { nodeClass } = await at.settled({
      amiSelectorTerms,
      userData: '#!/bin/bash\necho this is no TOML',
    });
    at.factsError = new CloudError('Unreachable', 'EKS does not answer');
    const { status, errors } = await at.reconcile(nodeClass);
    expect(errors.map(({ part }) => part)).toContain('validation');
    expect(conditionOf(status, 'ValidationSucceeded')).toMatchObject({
      status: 'False',
      reason: 'InvalidUserData',
    });
  });

  test.each(['Unreachable', 'Throttled'] as const)(
    'a class that was validated stays so while the range of Services is not known (%s)',
    async (code) => {
      const { nodeClass } = await at.settled();
      at.facts = {
        ...at.facts,
        serviceCidr: hardcoded(''),
        serviceCidrProblem: { code, message: 'no answer' },
      };
      const { status, errors } = await at.reconcile(nodeClass);
      expect(errors).toHaveLength(1);
      expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'True' });
      const fresh = await at.reconcile(at.nodeClass());
      expect(conditionOf(fresh.status, 'ValidationSucceeded')).toMatchObject({
        status: 'False',
        reason: 'ClusterCIDRResolutionFailed',
        message: expect.stringContaining('no answer'),
      });
    },
  );

  test('a signal that is aborted ends it with the reason of the signal', async () => {
    const stopped = AbortSignal.abort(new Error('stopped'));
    await expect(at.reconcile(at.nodeClass(), stopped)).rejects.toThrow('stopped');
  });
});

test('a bug in one part proves nothing, and does not stop the others', async () => {
  const broken = await scene({
    deps: {
      subnets: {
        list: () => {
          throw new TypeError('x is not a function');
        },
      },
    },
  });
  const { status, errors } = await broken.reconcile(broken.nodeClass());
  expect(conditionOf(status, 'SubnetsReady')).toMatchObject({ status: 'Unknown', reason: 'ProgramError' });
  expect(conditionOf(status, 'SecurityGroupsReady')).toMatchObject({ status: 'True' });
  expect(errors[0]?.error).toBeInstanceOf(TypeError);
  await broken.aws.close();
});

describe('the instance profile', () => {
  test('a new one holds validation until EC2 knows it and its role', async () => {
    let nodeClass = at.nodeClass();
    for (const waitMs of [0, 600]) {
      await at.aws.world.clock.advance(waitMs);
      const { status, errors } = await at.reconcile(nodeClass);
      nodeClass = { ...nodeClass, status };
      expect(errors).toEqual([]);
      expect(conditionOf(status, 'InstanceProfileReady')).toMatchObject({ status: 'True' });
      expect(conditionOf(status, 'ValidationSucceeded')).toMatchObject({
        status: 'Unknown',
        reason: 'DependenciesNotReady',
        message: expect.stringContaining('EC2 does not know the instance profile'),
      });
    }
    await at.aws.world.clock.advance(500);
    expect(conditionOf((await at.reconcile(nodeClass)).status, 'Ready')).toMatchObject({ status: 'True' });
  });

  test('one of its own that has no role is refused with that reason', async () => {
    await at.calls.iam.createInstanceProfile({ InstanceProfileName: 'nodes' }, { signal: neverAborted() });
    const { status } = await at.settled({ instanceProfile: 'nodes' });
    expect(conditionOf(status, 'ValidationSucceeded')).toMatchObject({
      status: 'False',
      reason: 'InstanceProfileNotFound',
      message: expect.stringContaining('the instance profile has no role'),
    });
  });

  test('without dry runs it is given ten seconds', async () => {
    at.dryRunDisabled = true;
    const { status, requeueAfterMs } = await at.reconcile(at.nodeClass());
    expect(conditionOf(status, 'InstanceProfileReady')).toMatchObject({
      status: 'Unknown',
      reason: 'InstanceProfilePropagating',
    });
    expect(requeueAfterMs).toBe(10_000);
    expect(conditionOf((await at.settled()).status, 'Ready')).toMatchObject({ status: 'True' });
    expect([at.callsOf('RunInstances'), at.callsOf('CreateLaunchTemplate')]).toEqual([0, 0]);
  });

  test('in an isolated VPC the message says what to use instead of a role', async () => {
    at.isolatedVpc = true;
    at.aws.server.faults.add('lost-request@operation=iam');
    const { status } = await at.reconcile(at.nodeClass());
    expect(conditionOf(status, 'InstanceProfileReady')).toMatchObject({
      status: 'Unknown',
      message: expect.stringContaining('use spec.instanceProfile instead of spec.role'),
    });
  });
});

test('subnets and security groups of two networks are refused with a cure', async () => {
  at.aws.server.account.securityGroups.get(NODE_GROUP_ID)!.VpcId = 'vpc-other';
  const { status } = await at.settled({ securityGroupSelectorTerms: [{ id: NODE_GROUP_ID }] });
  expect(conditionOf(status, 'ValidationSucceeded')).toMatchObject({
    status: 'False',
    reason: 'SecurityGroupSubnetVPCMismatch',
    message: expect.stringContaining('select both from one VPC'),
  });
});

describe('user data in no known format', () => {
  test('that nodes can start with nevertheless is a warning', async () => {
    const { status } = await at.settled({ userData: 'hello, this is no script' });
    expect(conditionOf(status, 'ValidationSucceeded')).toMatchObject({
      status: 'True',
      message: expect.stringMatching(/spec\.userData: .*start it with #!\/bin\/bash/),
    });
  });

  test('that they cannot read is refused', async () => {
    const amiSelectorTerms = [{ alias: 'bottlerocket@latest' }];
    const { status } = await at.settled({ amiSelectorTerms, userData: '#!/bin/bash\necho this is no TOML' });
    expect(conditionOf(status, 'ValidationSucceeded')).toMatchObject({
      status: 'False',
      reason: 'InvalidUserData',
    });
  });
});

test('a warning does not keep a class from being Ready', async () => {
  at.pools = [
    {
      name: 'arm',
      requirements: [{ key: 'kubernetes.io/arch', operator: 'In' as const, values: ['arm64'] }],
    },
    {
      name: 'risc',
      requirements: [{ key: 'kubernetes.io/arch', operator: 'In' as const, values: ['riscv64'] }],
    },
  ];
  const { status } = await at.settled();
  expect(conditionOf(status, 'ValidationSucceeded')?.message).toMatch(/^NodePool risc asks for .* riscv64/);
  expect(conditionOf(status, 'Ready')).toMatchObject({ status: 'True' });
});
