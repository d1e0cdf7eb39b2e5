import { describe, expect, test } from 'vitest';

import { isAnswered } from './client-token.ts';
import type { CreateFleetError, CreateFleetInstance } from './ec2-shapes.ts';
import { type FleetContext, readFleetAnswer } from './fleet-answer.ts';
import { aType, offering, reserved, ZONE_A, ZONE_B } from './launch.fixture.ts';

const MINUTES_3 = 180_000;
const overrides = (type = 'm5.large', zone = ZONE_A) => ({
  Overrides: { InstanceType: type, AvailabilityZone: zone, SubnetId: 'subnet-a', ImageId: 'ami-1' },
});
const failed = (code: string, message = '', at = overrides()): CreateFleetError => ({
  ErrorCode: code,
  ErrorMessage: message,
  LaunchTemplateAndOverrides: at,
});
const launched: CreateFleetInstance = {
  InstanceIds: ['i-1'],
  InstanceType: 'm5.large',
  LaunchTemplateAndOverrides: overrides(),
};
const SPOT: FleetContext = {
  capacityType: 'spot',
  tenancy: 'default',
  types: [aType('m5.large', { offerings: [offering('spot', ZONE_A, 1)] })],
};
const RESERVED: FleetContext = {
  ...SPOT,
  capacityType: 'reserved',
  types: [
    aType('m5.large', {
      offerings: [reserved(ZONE_A, 1, { id: 'cr-1' }), reserved(ZONE_B, 1, { id: 'cr-2' })],
    }),
  ],
};
const SPREAD = 'reached the limit of instances in this spread placement group';
const mark = (thing: object, reason: string) => ({ ...thing, ttlMs: MINUTES_3, reason });
const theOffering = { kind: 'offering', instanceType: 'm5.large', zone: ZONE_A, capacityType: 'spot' };

describe('an answer with an instance', () => {
  test('is the instance, as it was asked for', () => {
    expect(readFleetAnswer({ Instances: [launched] }, SPOT)).toEqual({
      instance: {
        instanceId: 'i-1',
        instanceType: 'm5.large',
        zone: ZONE_A,
        subnetId: 'subnet-a',
        imageId: 'ami-1',
        capacityType: 'spot',
        tenancy: 'default',
      },
      unavailable: [],
      failures: [],
    });
  });

  test('knows its reservation and partition', () => {
    const { instance } = readFleetAnswer({ Instances: [launched] }, { ...RESERVED, partition: '2' });
    expect(instance).toMatchObject({
      reservation: { id: 'cr-1', type: 'default', interruptible: false },
      partition: '2',
    });
  });

  test('still says which offerings failed before it', () => {
    const found = readFleetAnswer(
      { Instances: [launched], Errors: [failed('InsufficientInstanceCapacity', '', overrides('c5.large'))] },
      SPOT,
    );
    expect(found.instance?.instanceId).toBe('i-1');
    expect(found.unavailable).toEqual([
      mark({ ...theOffering, instanceType: 'c5.large' }, 'InsufficientInstanceCapacity'),
    ]);
    expect(found.failures).toEqual([
      {
        instanceType: 'c5.large',
        zone: ZONE_A,
        subnetId: 'subnet-a',
        code: 'InsufficientInstanceCapacity',
        reason: 'InsufficientInstanceCapacity',
        message: 'InsufficientInstanceCapacity',
      },
    ]);
  });

  test('without overrides takes zone and subnet from the instance itself', () => {
    const bare = {
      InstanceIds: ['i-1'],
      InstanceType: 'm5.large',
      AvailabilityZone: ZONE_B,
      SubnetId: 'subnet-b',
    };
    expect(readFleetAnswer({ Instances: [bare] }, SPOT).instance).toMatchObject({
      zone: ZONE_B,
      subnetId: 'subnet-b',
    });
  });
});

describe('what becomes unavailable', () => {
  const unavailable = (error: CreateFleetError, context: FleetContext = SPOT) =>
    readFleetAnswer({ Errors: [error] }, context).unavailable;

  test.each([
    ['InsufficientInstanceCapacity', 'InsufficientInstanceCapacity'],
    ['UnfulfillableCapacity', 'InsufficientInstanceCapacity'],
    ['MaxSpotInstanceCountExceeded', 'SpotQuotaExceeded'],
    ['VcpuLimitExceeded', 'VCPULimitExceeded'],
    ['MaxFleetCountExceeded', 'FleetQuotaExceeded'],
    ['Unsupported', 'Unsupported'],
    ['ReservationCapacityExceeded', 'ReservationCapacityExceeded'],
  ])('%s: the type in the zone, for three minutes', (code, reason) => {
    expect(unavailable(failed(code))).toEqual([mark(theOffering, reason)]);
  });

  test('of a placement group: the type in the group, in the partition that was asked for', () => {
    const error = failed('InsufficientInstanceCapacity');
    const group = { ...SPOT, placementGroupId: 'pg-1' };
    expect(unavailable(error, group)).toEqual([
      mark({ ...theOffering, placementGroupId: 'pg-1' }, 'InsufficientInstanceCapacity'),
    ]);
    expect(unavailable(error, { ...group, partition: '2' })).toEqual([
      mark({ ...theOffering, placementGroupId: 'pg-1', partition: '2' }, 'InsufficientInstanceCapacity'),
    ]);
  });

  test('of a full spread placement group: every type in the zone', () => {
    const error = failed('InsufficientInstanceCapacity', SPREAD);
    expect(unavailable(error, { ...SPOT, placementGroupId: 'pg-1' })).toEqual([
      mark(
        { kind: 'placementGroupZone', placementGroupId: 'pg-1', zone: ZONE_A, capacityType: 'spot' },
        'SpreadPlacementGroupLimit',
      ),
    ]);
  });

  test('of a full subnet: the subnet, since the zone may have another; the type only when none is named', () => {
    const reason = 'InsufficientFreeAddressesInSubnet';
    expect(unavailable(failed(reason))).toEqual([mark({ kind: 'subnet', subnetId: 'subnet-a' }, reason)]);
    const { SubnetId, ...rest } = overrides().Overrides;
    expect(SubnetId).toBe('subnet-a');
    const nameless = { ...failed(reason), LaunchTemplateAndOverrides: { Overrides: rest } };
    expect(unavailable(nameless)).toEqual([mark(theOffering, reason)]);
  });

  test('without the role for spot: all spot capacity', () => {
    expect(unavailable(failed('AuthFailure.ServiceLinkedRoleCreationNotPermitted'))).toEqual([
      mark({ kind: 'capacityType', capacityType: 'spot' }, 'SpotSLRCreationFailed'),
    ]);
  });

  test('of a reserved launch: the reservation of the type and zone', () => {
    for (const code of ['ReservationCapacityExceeded', 'InsufficientInstanceCapacity']) {
      expect(unavailable(failed(code, '', overrides('m5.large', ZONE_B)), RESERVED)).toEqual([
        mark({ kind: 'reservation', id: 'cr-2' }, code),
      ]);
    }
  });

  test('nothing for errors that have other causes, and nothing for what is not named', () => {
    expect(unavailable(failed('UnauthorizedOperation'))).toEqual([]);
    expect(unavailable({ ErrorCode: 'InsufficientInstanceCapacity' })).toEqual([]);
  });

  test('is named once', () => {
    const error = failed('InsufficientInstanceCapacity');
    expect(readFleetAnswer({ Errors: [error, error] }, SPOT).unavailable).toHaveLength(1);
  });
});

describe('an answer without an instance', () => {
  const error = (...errors: CreateFleetError[]) => readFleetAnswer({ Errors: errors }, SPOT).error;

  test('is a lack of capacity when every error is one', () => {
    const found = error(
      failed('InsufficientInstanceCapacity', 'no m5'),
      failed('AuthFailure.ServiceLinkedRoleCreationNotPermitted'),
      failed('InsufficientInstanceCapacity', 'no m5'),
    );
    expect(found).toMatchObject({ kind: 'InsufficientCapacity', reason: 'InsufficientCapacityError' });
    expect(found?.message.match(/no m5/g)).toHaveLength(1);
  });

  test('is what people have to repair when one error is of that kind', () => {
    expect(
      error(failed('InsufficientInstanceCapacity'), failed('Bang'), failed('InvalidAMIID.NotFound', 'ami-1')),
    ).toMatchObject({ kind: 'CreateFailed', reason: 'AMINotFound', code: 'InvalidAMIID.NotFound' });
    const denied = error(
      failed('InvalidAMIID.NotFound'),
      failed(
        'UnauthorizedOperation',
        'User: arn:aws:sts::1:assumed-role/ctl/1 is not authorized to perform: ec2:RunInstances on resource: * with an explicit deny in a service control policy',
      ),
    );
    expect(denied).toMatchObject({ kind: 'Unauthorized', reason: 'Unauthorized' });
    expect(denied?.message).toMatch(
      /^the role ctl may not call ec2:RunInstances on \*: a service control policy/,
    );
  });

  test('is a decision: an internal error of AWS leaves no doubt that nothing runs', () => {
    expect(error(failed('InternalError'))).toMatchObject({
      kind: 'CreateFailed',
      reason: 'InternalError',
      advice: { retry: 'backoff' },
    });
  });

  test('is a decision when EC2 throttled a part of it: the same token would repeat the answer for ever', () => {
    const throttled = error(failed('RequestLimitExceeded'))!;
    expect(throttled).toMatchObject({ kind: 'CreateFailed', advice: { retry: 'backoff' } });
    expect(isAnswered(throttled)).toBe(true);
    const mixed = readFleetAnswer(
      { Errors: [failed('InsufficientInstanceCapacity'), failed('RequestLimitExceeded')] },
      SPOT,
    ).error!;
    expect(isAnswered(mixed)).toBe(true);
  });

  test('and without an error is a failure, too', () => {
    for (const result of [{}, { Instances: [{ InstanceIds: [] }] }]) {
      expect(readFleetAnswer(result, SPOT).error).toMatchObject({
        kind: 'CreateFailed',
        reason: 'LaunchFailed',
      });
    }
    expect(error({})).toMatchObject({ kind: 'CreateFailed', reason: 'LaunchFailed', code: 'Unknown' });
  });
});
