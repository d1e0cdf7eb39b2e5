/** A pending pod on EKS for which a capacity reservation may have room: as many instances as EC2 says are free, or not known. */
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import type { LookupResult } from '../../packages/chandler/src/causes/index.ts';
import { cataloguePlanner } from '../../packages/chandler/src/cli/testing.ts';
import { type AwsReader, awsDiagnosis } from '../../packages/chandler/src/cloud/aws/diagnosis.ts';
import { awsReader } from '../../packages/chandler/src/cloud/aws/testing.ts';
import {
  dumpReader,
  encodeDump,
  explain,
  gather,
  openDump,
  parseSubject,
} from '../../packages/chandler/src/diagnose/index.ts';

import { awsClaim, awsClass, awsController, awsNode, awsPool } from './aws-objects.ts';
import { dumpWith } from './corpus.ts';
import { anEvent, aPod, merged, NOW_MS } from './objects.ts';

const ID = 'cr-0123456789abcdef0';
const CAPACITY_TYPE = 'karpenter.sh/capacity-type';
const TYPE = 'm5.large';
const ZONES = ['eu-west-1a'];

const OTHER_ID = 'cr-0fedcba9876543210';
const RESERVATION = {
  id: ID,
  availabilityZone: 'eu-west-1a',
  instanceType: TYPE,
  instanceMatchCriteria: 'targeted',
  ownerID: '123456789012',
  reservationType: 'default',
  interruptible: false,
  state: 'active',
};

const classWith = (capacityReservations: readonly object[]) =>
  merged(awsClass({ spec: { capacityReservationSelectorTerms: [{ id: ID }] } }), {
    status: { capacityReservations },
  });

const poolOf = (name: string, types: readonly string[]) =>
  awsPool({
    name,
    spec: {
      template: { spec: { requirements: [{ key: CAPACITY_TYPE, operator: 'In', values: types }] } },
    },
  });

interface Words {
  readonly free: LookupResult<number> | 'notAsked' | 'otherAccount';
  readonly types?: readonly string[];
  readonly gates?: string;
  readonly objects?: readonly object[];
  readonly ask?: string;
  /** Reservations in the status of the node class. */
  readonly status?: readonly object[];
}

async function answer(words: Words) {
  const { free, types = ['reserved'], gates = '', objects = [], ask = 'pod/shop/web' } = words;
  const { status = [RESERVATION] } = words;
  const asked: unknown[] = [];
  const aws = {
    freeReserved: async (terms: unknown) => {
      asked.push(terms);
      if (free === 'notAsked') throw new Error('nobody asks');
      if (free === 'otherAccount') return { found: new Map() };
      return 'found' in free ? { found: new Map([[ID, free.found]]) } : free;
    },
  } as unknown as AwsReader;
  const cloud =
    free === 'notAsked'
      ? awsDiagnosis(undefined, { why: 'notAsked', message: '--aws off' })
      : awsDiagnosis(aws);
  const all = [
    ...awsController({ env: { CLUSTER_NAME: 'shop', AWS_REGION: 'eu-west-1', FEATURE_GATES: gates } }),
    classWith(status),
    poolOf('default', types),
    awsClaim(),
    awsNode(),
    aPod({ age: '1h' }),
    ...(objects as []),
  ];
  const reader = dumpReader(openDump(encodeDump(dumpWith(all, {}, []), false)));
  const subject = parseSubject([ask]);
  if (typeof subject === 'string') throw new Error(subject);
  const planner = cataloguePlanner(virtualWorld({ startMs: NOW_MS }), reader, cloud);
  const gathered = await gather(subject, { reader, cloud, planner });
  if (gathered.state !== 'gathered') throw new Error(gathered.message);
  const { cause, also, unread } = explain(gathered.subject, gathered.evidence, cloud);
  return { ids: [cause?.id, ...also.map(({ id }) => id)], cause, also, unread, asked };
}

const TAKEN = [undefined, 'scheduling.not-launched'];
const FULL = ['scheduling.reserved-only', 'scheduling.no-offering'];
const FORBIDDEN = { why: 'forbidden', permission: 'ec2:DescribeCapacityReservations' } as const;

describe('a pod that only a reservation could take', () => {
  test('has a place where EC2 says that one is free, asked with the terms of the node class', async () => {
    const { ids, asked } = await answer({ free: { found: 1 } });
    expect(ids).toEqual(TAKEN);
    expect(asked).toEqual([[{ id: ID }]]);
  });

  test('has none where EC2 says that none is', async () => {
    const { cause } = await answer({ free: { found: 0 } });
    expect(FULL).toContain(cause?.id);
  });

  test.each([
    ['may not be asked', FORBIDDEN],
    ['does not answer', { why: 'unreachable', message: 'timed out' } as const],
    ['is not asked', 'notAsked' as const],
    ['knows no such reservation, as with credentials of another account', 'otherAccount' as const],
  ])('is not said to have one or none where EC2 %s', async (_, free) => {
    const { ids, cause, unread } = await answer({ free });
    expect(ids).toEqual(['scheduling.unexplained']);
    expect(cause?.summary).toContain(`free instances of capacity reservation ${ID}`);
    expect(unread).toContainEqual(
      expect.objectContaining({ kind: 'plan', what: `free instances of capacity reservation ${ID}` }),
    );
  });

  test.each<[string, Words['free'], object]>([
    [
      'the credentials may be of another account',
      'otherAccount',
      {
        why: 'notShown',
        message: 'EC2 has no active one of this ID; the credentials may be of another account',
      },
    ],
    ['the dump does not have it', 'notAsked', { why: 'notInDump' }],
  ])('it is said why: %s', async (_, free, why) => {
    const { unread } = await answer({ free });
    const what = `free instances of capacity reservation ${ID}`;
    expect(unread.filter((each) => each.what === what)).toEqual([{ kind: 'plan', what, ...why }]);
  });

  test.each([
    [2, 0],
    [0, 1],
  ])(
    'counts on the reservation that EC2 shows beside one that it does not: %i free (case %#)',
    async (found, at) => {
      const { ids, asked } = await answer({
        free: { found },
        objects: [],
        status: [RESERVATION, { ...RESERVATION, id: OTHER_ID }],
      });
      expect(asked).toHaveLength(1);
      expect(ids).toEqual([TAKEN, ['scheduling.unexplained']][at]);
    },
  );

  test('and that existing nodes have no room for it is only one explanation', async () => {
    const events = [
      anEvent(
        {
          on: 'Pod/shop/web',
          reason: 'FailedScheduling',
          message: '0/1 nodes are available: 1 Insufficient cpu.',
          by: 'default-scheduler',
          ago: '1m',
        },
        0,
      ),
    ];
    const { ids, also } = await answer({ free: 'notAsked', objects: events });
    expect(ids).toEqual([undefined, 'L6.3']);
    expect(also[0]?.summary).toContain(`free instances of capacity reservation ${ID} could not be read`);
  });

  test('shares the place with NodeClaims that are not launched yet', async () => {
    const inFlight = merged(awsClaim({ name: 'default-b2c3d', upTo: 'created', age: '1m' }), {
      spec: {
        requirements: [{ key: 'karpenter.k8s.aws/capacity-reservation-id', operator: 'In', values: [ID] }],
      },
    });
    const idsOf = async (found: number) => (await answer({ free: { found }, objects: [inFlight] })).ids;
    const isFull = (ids: readonly unknown[]) => ids.some((id) => FULL.includes(id as string));
    expect([isFull(await idsOf(1)), isFull(await idsOf(2))]).toEqual([true, false]);
  });

  test('has none while the feature gate ReservedCapacity is off, and EC2 is not asked', async () => {
    const { ids, asked } = await answer({ free: { found: 1 }, gates: 'ReservedCapacity=false' });
    expect(ids).not.toEqual(TAKEN);
    expect(asked).toEqual([]);
  });

  test('is the answer to its NodePool as well: not known', async () => {
    const { ids } = await answer({ free: FORBIDDEN, ask: 'nodepool/default' });
    expect(ids).not.toContain('scheduling.not-launched');
    expect(ids).not.toContain('scheduling.reserved-only');
    expect(ids).not.toContain('scheduling.no-offering');
  });
});

test('a pod that on-demand capacity takes as well needs no number of EC2', async () => {
  const { ids, unread } = await answer({ free: FORBIDDEN, types: ['reserved', 'on-demand'] });
  expect(ids).toEqual(TAKEN);
  expect(unread.map(({ what }) => what)).not.toContainEqual(expect.stringContaining('capacity reservation'));
});

describe('what EC2 says of reservations', () => {
  const callsOf = (describeCapacityReservations: () => Promise<object>) =>
    ({ ec2: { describeCapacityReservations } }) as unknown as Parameters<typeof awsReader>[0];

  test('is read as the controller reads it', async () => {
    const CapacityReservations = [
      {
        CapacityReservationId: ID,
        AvailabilityZone: 'eu-west-1a',
        InstanceType: TYPE,
        OwnerId: '123456789012',
        InstanceMatchCriteria: 'targeted',
        AvailableInstanceCount: 3,
      },
    ];
    const reader = awsReader(
      callsOf(async () => ({ CapacityReservations })),
      'eu-west-1',
    );
    expect(await reader.freeReserved([{ id: ID }], ZONES)).toEqual({ found: new Map([[ID, 3]]) });
  });

  test('is not known where it is of another region, in which EC2 does not look', async () => {
    const reader = awsReader(
      callsOf(async () => {
        throw new Error('nobody asks');
      }),
      'us-east-1',
    );
    expect(await reader.freeReserved([{ id: ID }], ZONES)).toEqual({
      why: 'notAsked',
      message: 'it is in eu-west-1, and AWS was asked in us-east-1',
    });
  });

  test('is not known where it refuses', async () => {
    const refused = Object.assign(new Error('You are not authorized'), {
      name: 'UnauthorizedOperation',
      $metadata: { httpStatusCode: 403 },
    });
    const reader = awsReader(
      callsOf(async () => {
        throw refused;
      }),
      'eu-west-1',
    );
    expect(await reader.freeReserved([{ id: ID }], ZONES)).toMatchObject(FORBIDDEN);
  });
});
