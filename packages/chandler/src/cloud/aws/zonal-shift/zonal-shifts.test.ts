/** Shifts of the cluster, against the zonal shift service of a simulated AWS. */
import { CONTROLLER_ROLE } from '@chandler/cloudsim/aws';
import { type TestAws, testAws } from '@chandler/cloudsim/aws/testing';
import type { Fetch } from '@chandler/kube';
import { neverAborted } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { awsCallsOf } from '../aws-calls.fixture.ts';
import { shiftedZones } from './shift-answer.ts';
import { SHIFTS_REFRESH_MS, UNREGISTERED_MS, ZonalShifts } from './zonal-shifts.ts';

const HOUR_MS = 3_600_000;
const signal = neverAborted();
let aws: TestAws;
let shifts: ZonalShifts;

beforeEach(async () => {
  aws = await testAws();
  shifts = shiftsOf();
});

afterEach(() => aws.close());

function shiftsOf(fetch: Fetch = aws.server.fetch): ZonalShifts {
  const { cluster } = aws.server;
  return new ZonalShifts({
    world: aws.world,
    calls: awsCallsOf(aws, { fetch })['arc-zonal-shift'],
    clusterName: () => cluster.name,
    clusterArn: async () => cluster.arn,
  });
}

function shift(zoneId: string, forMs: number, change: { auto?: true; notApplied?: true } = {}): void {
  const nowMs = aws.world.clock.now();
  aws.server.cluster.shiftedZones.set(zoneId, { startMs: nowMs, endMs: nowMs + forMs, ...change });
}

async function nextRead(): Promise<void> {
  await aws.world.clock.advance(SHIFTS_REFRESH_MS);
  await shifts.refreshIfDue(signal);
}

const warnings = () => aws.world.lines.filter(({ level }) => level === 'warn');

describe('the zones that the cluster is shifted away from', () => {
  test('are read every 30 seconds, and are back when the shift is cancelled, each by itself', async () => {
    shift('usw2-az1', HOUR_MS);
    shift('usw2-az2', HOUR_MS);
    await shifts.start(signal);
    expect(shifts.zones()).toEqual(['usw2-az1', 'usw2-az2']);
    const before = shifts.sequence;
    aws.server.cluster.shiftedZones.delete('usw2-az1');
    await nextRead();
    expect(shifts.zones()).toEqual(['usw2-az2']);
    expect(shifts.isShifted('usw2-az1')).toBe(false);
    expect(shifts.sequence).toBeGreaterThan(before);
    aws.server.cluster.shiftedZones.clear();
    await nextRead();
    expect(shifts.zones()).toEqual([]);
    const last = shifts.sequence;
    await nextRead();
    expect(shifts.sequence, 'nothing has changed').toBe(last);
  });

  test('are back when the shift expires, although the service does not answer', async () => {
    shift('usw2-az1', 10 * SHIFTS_REFRESH_MS);
    await shifts.start(signal);
    aws.server.faults.add('503@operation=arc-zonal-shift:GetManagedResource');
    for (let read = 0; read < 9; read++) {
      await nextRead();
      expect(shifts.isShifted('usw2-az1'), `read ${read}`).toBe(true);
    }
    const before = shifts.sequence;
    await aws.world.clock.advance(SHIFTS_REFRESH_MS);
    expect(shifts.isShifted('usw2-az1')).toBe(false);
    expect(shifts.sequence).toBe(before + 1);
  });

  test('include those that AWS shifts by itself, and not those that do not apply', async () => {
    shift('usw2-az1', HOUR_MS, { auto: true });
    shift('usw2-az2', HOUR_MS, { notApplied: true });
    shift('usw2-az3', HOUR_MS, { auto: true, notApplied: true });
    await shifts.start(signal);
    expect(shifts.zones()).toEqual(['usw2-az1']);
    aws.server.faults.add('500@operation=arc-zonal-shift:GetManagedResource,count=1');
    await nextRead();
    expect(shifts.zones(), 'it has no end of its own').toEqual(['usw2-az1']);
    aws.server.cluster.shiftedZones.clear();
    await nextRead();
    expect(shifts.zones()).toEqual([]);
  });
});

describe('what is no answer never ends a shift', () => {
  test.each([
    '500',
    '503',
    'throttle',
    'lost-request',
    'lost-response',
    'forbidden',
    'truncated',
    'wrong-content',
    'expired-token',
  ])('the fault %s', async (fault) => {
    shift('usw2-az1', HOUR_MS);
    await shifts.start(signal);
    aws.server.faults.add(`${fault}@operation=arc-zonal-shift:GetManagedResource`);
    await nextRead();
    await nextRead();
    expect(shifts.zones()).toEqual(['usw2-az1']);
    expect(warnings().filter(({ message }) => message.startsWith('zonal shifts'))).toMatchObject([
      { fields: { shifted: ['usw2-az1'] } },
    ]);
    aws.server.faults.clear();
    aws.server.cluster.shiftedZones.clear();
    // Our own rate limiter pauses after an answer that throttles.
    await nextRead();
    await nextRead();
    expect(shifts.zones()).toEqual([]);
  });

  test('a cluster that is not registered any more', async () => {
    shift('usw2-az1', HOUR_MS);
    await shifts.start(signal);
    aws.server.cluster.zonalShift = false;
    await nextRead();
    expect(shifts.zones()).toEqual(['usw2-az1']);
    for (let ms = 0; ms < UNREGISTERED_MS; ms += SHIFTS_REFRESH_MS) await nextRead();
    expect(shifts.zones(), 'it is an answer when it stays').toEqual([]);
  });

  const ARN = 'arn:aws:eks:us-west-2:111122223333:cluster/playground';
  test.each([
    [{}],
    [{ zonalShifts: null }],
    [{ zonalShifts: {} }],
    [{ arn: `${ARN}-2`, zonalShifts: [] }],
    [{ zonalShifts: [{ appliedStatus: 'APPLIED', expiryTime: 9e9 }] }],
    [{ zonalShifts: [{ awayFrom: 'usw2-az1', expiryTime: 9e9 }] }],
    [{ zonalShifts: [{ awayFrom: 'usw2-az1', appliedStatus: 'APPLIED' }] }],
    [{ zonalShifts: [{ awayFrom: 'usw2-az1', appliedStatus: 'ON', expiryTime: 9e9 }] }],
    [{ zonalShifts: [null] }],
    [{ zonalShifts: [], autoshifts: [{}] }],
    [{ zonalShifts: [], autoshifts: 'none' }],
  ])('the answer %o', (answer) => {
    expect(() => shiftedZones(answer as never, ARN, 0)).toThrow(/the answer is not usable/);
  });
});

describe('without an answer', () => {
  const age = () => {
    aws.world.scrape();
    return aws.world.values.get('chandler_aws_zonal_shift_read_age_seconds');
  };

  test('the gauge and the reason say since when, and the log repeats it every half hour', async () => {
    await shifts.start(signal);
    expect([age(), shifts.unanswered()]).toEqual([0, undefined]);
    aws.server.faults.add('503@operation=arc-zonal-shift:GetManagedResource');
    for (let ms = 0; ms < 70 * 60_000; ms += SHIFTS_REFRESH_MS) await nextRead();
    expect(age()).toBeGreaterThanOrEqual(70 * 60);
    expect(shifts.unanswered()).toMatchObject({ error: expect.stringContaining('ServiceUnavailable') });
    expect(warnings().filter(({ message }) => message.startsWith('zonal shifts could'))).toHaveLength(3);
    aws.server.faults.clear();
    await nextRead();
    await nextRead();
    expect(shifts.unanswered()).toBeUndefined();
    expect(age()).toBeLessThanOrEqual(60);
  });
});

test('a shift that ARC lists is not over because our clock is ahead', () => {
  const applied = { awayFrom: 'usw2-az1', appliedStatus: 'APPLIED', expiryTime: 1000 };
  const answer = { zonalShifts: [applied] } as never;
  expect([...shiftedZones(answer, 'arn', 1_240_000).keys()]).toEqual(['usw2-az1']);
});

describe('the start', () => {
  test('is the first read: the next one is due after the interval', async () => {
    await shifts.start(signal);
    expect(await shifts.refreshIfDue(signal)).toBe(false);
    await aws.world.clock.advance(SHIFTS_REFRESH_MS);
    expect(await shifts.refreshIfDue(signal)).toBe(true);
  });

  test('is tried again while the service does not answer: no answer is not "no shift"', async () => {
    aws.server.faults.add('503@operation=arc-zonal-shift:GetManagedResource,count=1');
    await expect(shifts.start(signal)).rejects.toMatchObject({ name: 'CloudError', kind: 'Unreachable' });
    await shifts.start(signal);
    expect(shifts.zones()).toEqual([]);
  });

  test('without the permission names the action and the cluster', async () => {
    const { account, context, cluster } = aws.server;
    context.access.attach(account.roles.get(CONTROLLER_ROLE)!.arn, { policies: [] });
    await expect(shifts.start(signal)).rejects.toThrow(
      new RegExp(
        `not authorized to perform: arc-zonal-shift:GetManagedResource on resource: ${cluster.arn}.*allow the controller`,
      ),
    );
  });

  test('of a cluster that is not registered says how to register it', async () => {
    aws.server.cluster.zonalShift = false;
    await expect(shifts.start(signal)).rejects.toThrow(
      /the cluster playground is not registered with ARC zonal shift; enable it \(aws eks update-cluster-config --name playground --zonal-shift-config enabled=true\), or set ENABLE_ZONAL_SHIFT=false/,
    );
  });
});
