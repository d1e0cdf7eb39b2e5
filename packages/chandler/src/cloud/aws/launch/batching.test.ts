import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CloudError } from '../../index.ts';
import { AwsError, asCloudError } from '../errors/index.ts';

import {
  dealAnswer,
  groupIds,
  groupLaunches,
  type LaunchGroup,
  launchRecordText,
  parseLaunchRecord,
  regroup,
} from './batching.ts';
import { clientToken, groupToken, isAnswered, isLost, tokenClaimUid } from './client-token.ts';
import type { CreateFleetRequest, CreateFleetResult } from './ec2-shapes.ts';
import { LAUNCH_TOKEN_TAG } from './tags.ts';

const UID = '0f8fad5b-d9cb-469f-a165-70867728950e';
const request = (zone = 'a'): CreateFleetRequest => ({
  Type: 'instant',
  LaunchTemplateConfigs: [
    {
      LaunchTemplateSpecification: { LaunchTemplateName: 'lt', Version: '$Latest' },
      Overrides: [
        { InstanceType: 'm5.large', SubnetId: zone, ImageId: 'ami', AvailabilityZone: zone, Priority: 1 },
      ],
    },
  ],
  TargetCapacitySpecification: { DefaultTargetCapacityType: 'spot', TotalTargetCapacity: 1 },
  TagSpecifications: [{ ResourceType: 'instance', Tags: [{ Key: 'a', Value: '1' }] }],
});
const launch = (claimUid: string, zone?: string, attempt = 0) => ({
  claimUid,
  attempt,
  request: request(zone),
});
const uids = ({ members }: LaunchGroup) => members.map(({ claimUid }) => claimUid);
const answer = (...ids: string[]): CreateFleetResult => ({
  FleetId: 'fleet-1',
  Instances: [{ InstanceIds: ids, InstanceType: 'm5.large' }],
  Errors: [{ ErrorCode: 'InsufficientInstanceCapacity' }],
});
const dealt = (group: LaunchGroup, result: CreateFleetResult) =>
  [...dealAnswer(group, result).answers].map(([uid, { Instances }]) => [
    uid,
    Instances?.[0]?.InstanceIds?.[0],
  ]);

describe('a client token', () => {
  test('is made from the claim and the attempt alone, and is readable', () => {
    expect(clientToken(UID, 2)).toBe(`chandler-${UID}-2`);
    expect(clientToken(UID, 2)).not.toBe(clientToken(UID, 3));
  });

  test('has at most 64 characters that EC2 accepts, whatever the UID', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), fc.nat(), (uid, attempt) => {
        expect(clientToken(uid, attempt)).toMatch(/^[\x21-\x7e]{1,64}$/);
        expect(clientToken(uid, attempt)).toBe(clientToken(uid, attempt));
      }),
    );
  });

  test('is used again exactly when AWS has not decided', () => {
    const answered = (code: string) => isAnswered(asCloudError(new AwsError({ code, message: '' })));
    expect(['NoAnswer', 'BadAnswer', 'InternalError', 'RequestLimitExceeded'].filter(answered)).toEqual([]);
    // The first request was received: a new token would launch a second instance.
    expect(answered('IdempotentParameterMismatch')).toBe(false);
    // Nothing was sent.
    expect(['NoCredentials', 'HeldBack'].filter(answered)).toEqual([]);
    expect(['InvalidAMIID.NotFound', 'UnauthorizedOperation', 'SomethingNew'].every(answered)).toBe(true);
    expect(isAnswered(new CloudError('InsufficientCapacity', ''))).toBe(true);
  });
});

test('a request may have been executed when nobody has said that it was not', () => {
  const lost = (code: string) => isLost(asCloudError(new AwsError({ code, message: '' })));
  expect(['NoAnswer', 'BadAnswer', 'InternalError', 'Unavailable'].every(lost)).toBe(true);
  const unsent = ['NoCredentials', 'HeldBack'];
  const refused = ['RequestLimitExceeded', 'RequestExpired', 'UnauthorizedOperation', 'SomethingNew'];
  expect([...unsent, ...refused, 'IdempotentParameterMismatch'].filter(lost)).toEqual([]);
});

describe('equal requests', () => {
  test('become one, for as many instances as claims, with a token on request and tags', () => {
    const [group, other, ...rest] = groupLaunches([launch('u2'), launch('u3', 'b'), launch('u1')]);
    expect(rest).toEqual([]);
    expect(uids(group!)).toEqual(['u1', 'u2']);
    expect(group!.request).toMatchObject({
      ClientToken: group!.token,
      TargetCapacitySpecification: { DefaultTargetCapacityType: 'spot', TotalTargetCapacity: 2 },
      TagSpecifications: [
        {
          Tags: [
            { Key: 'a', Value: '1' },
            { Key: LAUNCH_TOKEN_TAG, Value: group!.token },
          ],
        },
      ],
    });
    expect(uids(other!)).toEqual(['u3']);
    expect(other!.token).toBe(clientToken('u3', 0));
  });

  test('have a token that depends on the claims and their attempts, not on the order or the request', () => {
    const token = (...launches: Parameters<typeof groupLaunches>[0]) => groupLaunches(launches)[0]!.token;
    const both = token(launch('u1'), launch('u2'));
    expect(token(launch('u2'), launch('u1'))).toBe(both);
    expect(groupToken(['b', 'a'])).toBe(groupToken(['a', 'b']));
    expect(token(launch('u1', 'b'), launch('u2', 'b'))).toBe(both);
    expect(new Set([both, token(launch('u1')), token(launch('u1'), launch('u2', 'a', 1))]).size).toBe(3);
  });

  test('do not change what they were made of', () => {
    const single = launch('u1');
    const before = structuredClone(single);
    groupLaunches([single, launch('u2')]);
    expect(single).toEqual(before);
  });

  test('are split when they are too many', () => {
    const many = Array.from({ length: 5 }, (_, index) => launch(`u${index}`));
    expect(groupLaunches(many, 2).map(uids)).toEqual([['u0', 'u1'], ['u2', 'u3'], ['u4']]);
    expect(groupLaunches([])).toEqual([]);
  });
});

describe('an answer for several claims', () => {
  const [group] = groupLaunches(['u1', 'u2', 'u3'].map((uid) => launch(uid)));

  test('gives each an instance, the same one when it is repeated in another order', () => {
    const expected = [
      ['u1', 'i-1'],
      ['u2', 'i-2'],
      ['u3', 'i-3'],
    ];
    expect(dealt(group!, answer('i-2', 'i-1', 'i-3'))).toEqual(expected);
    expect(dealt(group!, { Instances: [{ InstanceIds: ['i-3', 'i-2'] }, { InstanceIds: ['i-1'] }] })).toEqual(
      expected,
    );
  });

  test('with too few gives the rest the errors, with too many names those to terminate', () => {
    const few = dealAnswer(group!, answer('i-1'));
    expect(few.answers.get('u3')).toMatchObject({
      Instances: [],
      Errors: [{ ErrorCode: 'InsufficientInstanceCapacity' }],
    });
    expect(few.surplus).toEqual([]);
    expect(dealAnswer(group!, answer('i-1', 'i-2', 'i-3', 'i-4')).surplus).toEqual(['i-4']);
    expect(dealt(group!, {})).toEqual([
      ['u1', undefined],
      ['u2', undefined],
      ['u3', undefined],
    ]);
  });

  test('never gives one instance to two claims, nor two to one', () => {
    const ids = fc.uniqueArray(fc.stringMatching(/^i-[0-9a-f]{4}$/), { maxLength: 12 });
    fc.assert(
      fc.property(ids, fc.integer({ min: 1, max: 8 }), (found, size) => {
        const [all] = groupLaunches(Array.from({ length: size }, (_, index) => launch(`u${index}`)));
        const given = dealt(all!, answer(...found)).flatMap(([, id]) => id ?? []);
        const { surplus } = dealAnswer(all!, answer(...found));
        expect([...given, ...surplus].sort()).toEqual([...found].sort());
        expect(given).toHaveLength(Math.min(size, found.length));
      }),
    );
  });
});

describe('after a crash', () => {
  const [group] = groupLaunches(['u1', 'u2', 'u3'].map((uid) => launch(uid)));

  test('the records of the claims make the same request and the same deal, also without some of them', () => {
    const kept = group!.members.slice(1).map(({ claimUid, record }) => ({
      claimUid,
      record: parseLaunchRecord(launchRecordText(record))!,
      request: request(),
    }));
    const [again, ...rest] = regroup(kept.toReversed());
    expect(rest).toEqual([]);
    expect(again!.request).toEqual(group!.request);
    expect(dealt(again!, answer('i-1', 'i-2', 'i-3'))).toEqual([
      ['u2', 'i-2'],
      ['u3', 'i-3'],
    ]);
    expect(dealAnswer(again!, answer('i-1', 'i-2', 'i-3')).surplus).toEqual([]);
  });

  test.each([
    '',
    'token',
    'token 2 1',
    'token 0 0 0',
    'token 2 2 0',
    'token 2 -1 0',
    'token 2 1 x',
    'to ken 2 1 0',
    `${'x'.repeat(65)} 2 1 0`,
  ])('%j is no record', (text) => {
    expect(parseLaunchRecord(text)).toBeUndefined();
  });

  test('the UID of the claim is read from the token of a launch of its own, and from no other', () => {
    expect(tokenClaimUid(clientToken('6f1a-uid-9', 3))).toBe('6f1a-uid-9');
    expect(tokenClaimUid(group!.token)).toBeUndefined();
    expect(tokenClaimUid('of somebody else')).toBeUndefined();
  });
});

test('ids are grouped for as few calls as possible, each once', () => {
  expect(groupIds(['i-1', 'i-2', 'i-1', 'i-3'], 2)).toEqual([['i-1', 'i-2'], ['i-3']]);
  expect(
    groupIds(Array.from({ length: 501 }, (_, index) => `i-${index}`)).map((each) => each.length),
  ).toEqual([500, 1]);
});
