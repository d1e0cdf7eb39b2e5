import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { type DecisionOptions, decideInterruption, type OwnedInstance, strongestAction } from './decision.ts';
import {
  IMPAIRED_LIMIT_MS,
  type InstanceStatus,
  STATUS_FILTERS,
  statusInterruptions,
} from './instance-status.ts';
import { type InterruptionKind, parseMessage } from './message.ts';

const ID = 'i-0123456789abcdef0';
const TIME = '2026-08-21T10:00:00Z';
const event = (detailType: string, detail: unknown, more: object = {}) =>
  JSON.stringify({
    version: '0',
    id: 'e-1',
    'detail-type': detailType,
    source: 'aws.ec2',
    account: '123456789012',
    time: TIME,
    region: 'us-west-2',
    resources: [],
    detail,
    ...more,
  });
const SPOT = 'EC2 Spot Instance Interruption Warning';
const STATE = 'EC2 Instance State-change Notification';
const HEALTH = 'AWS Health Event';
const health = (detail: object) => event(HEALTH, detail, { source: 'aws.health' });
const CHANGE = { service: 'EC2', eventTypeCategory: 'scheduledChange', eventTypeCode: 'AWS_EC2_RETIREMENT' };

describe('a message of the queue', () => {
  test.each([
    [event(SPOT, { 'instance-id': ID, 'instance-action': 'terminate' }), 'spot_interrupted', 'terminate'],
    [
      event('EC2 Instance Rebalance Recommendation', { 'instance-id': ID }),
      'rebalance_recommendation',
      undefined,
    ],
    [event(STATE, { 'instance-id': ID, state: 'stopping' }), 'instance_stopped', 'stopping'],
    [event(STATE, { 'instance-id': ID, state: 'stopped' }), 'instance_stopped', 'stopped'],
    [event(STATE, { 'instance-id': ID, state: 'Shutting-Down' }), 'instance_terminated', 'shutting-down'],
    [event(STATE, { 'instance-id': ID, state: 'terminated' }), 'instance_terminated', 'terminated'],
    [
      health({ ...CHANGE, affectedEntities: [{ entityValue: ID }] }),
      'scheduled_change',
      'AWS_EC2_RETIREMENT',
    ],
    [
      event('EC2 Capacity Reservation Instance Interruption Warning', {
        'instance-id': ID,
        'instance-action': 'terminate',
      }),
      'capacity_reservation_interrupted',
      'terminate',
    ],
  ])('%s', (body, kind, detail) => {
    expect(parseMessage(body)).toEqual({
      is: 'interruption',
      interruption: {
        kind,
        instanceIds: [ID],
        atMs: Date.parse(TIME),
        ...(detail === undefined ? {} : { detail }),
      },
    });
  });

  test('of AWS Health names every instance once', () => {
    const affectedEntities = [{ entityValue: ID }, { entityValue: 'i-1' }, { entityValue: ID }];
    expect(parseMessage(health({ ...CHANGE, affectedEntities }))).toMatchObject({
      interruption: { instanceIds: [ID, 'i-1'] },
    });
  });

  test('of AWS Health counts for its instances, whatever else it names', () => {
    const affectedEntities = [{ entityValue: 'vol-1' }, { entityValue: ID }];
    expect(parseMessage(health({ ...CHANGE, affectedEntities }))).toMatchObject({
      interruption: { instanceIds: [ID] },
    });
  });

  test.each([
    ['another state', event(STATE, { 'instance-id': ID, state: 'running' })],
    ['another version', event(SPOT, { 'instance-id': ID }, { version: '1' })],
    ['another source', event(SPOT, { 'instance-id': ID }, { source: 'aws.s3' })],
    ['the type without EC2 in front', event('Spot Instance Interruption Warning', { 'instance-id': ID })],
    ['another service', health({ ...CHANGE, service: 'RDS', affectedEntities: [{ entityValue: ID }] })],
    ['another category', health({ ...CHANGE, eventTypeCategory: 'issue', affectedEntities: [] })],
    ['an object of somebody else', '{"hello":"world"}'],
  ])('about %s is ignored', (_, body) => {
    expect(parseMessage(body)).toEqual({ is: 'ignored', why: expect.any(String) });
  });

  test.each([
    ['nothing', undefined],
    ['spaces', '  '],
    ['no JSON', '<xml>'],
    ['half a JSON', event(SPOT, { 'instance-id': ID }).slice(0, 90)],
    ['a list', '[]'],
    ['null', 'null'],
    ['no detail', event(SPOT, undefined)],
    ['no instance', event(SPOT, {})],
    ['a number for an instance', event(SPOT, { 'instance-id': 7 })],
    ['no id of an instance', event(SPOT, { 'instance-id': 'vol-1' })],
    ['no affected instance', health({ ...CHANGE, affectedEntities: [] })],
    ['affected things that are none', health({ ...CHANGE, affectedEntities: 'i-1' })],
  ])('with %s is broken, and says so', (_, body) => {
    expect(parseMessage(body)).toEqual({ is: 'broken', problem: expect.stringMatching(/./) });
  });

  test('with a state that is no text is ignored', () => {
    for (const state of [undefined, 7, { toString: '' }])
      expect(parseMessage(event(STATE, { 'instance-id': ID, state }))).toMatchObject({ is: 'ignored' });
  });

  test('of any content never ends the program', () => {
    const detail = fc.oneof(fc.anything(), fc.record({ 'instance-id': fc.anything(), state: fc.anything() }));
    fc.assert(
      fc.property(fc.constantFrom(SPOT, STATE, HEALTH), detail, fc.string(), (type, value, text) => {
        const withDetail = event(type, value, type === HEALTH ? { source: 'aws.health' } : {});
        for (const body of [withDetail, text, JSON.stringify(text)])
          expect(['interruption', 'ignored', 'broken']).toContain(parseMessage(body).is);
      }),
    );
  });

  test('without a time has none', () => {
    const body = event(SPOT, { 'instance-id': ID }, { time: 'soon' });
    expect(parseMessage(body)).toMatchObject({ interruption: { atMs: undefined } });
  });
});

describe('the status of an instance', () => {
  const NOW = Date.parse(TIME);
  const failed = (sinceMs: number) => ({
    Details: [{ Status: 'failed', ImpairedSince: new Date(NOW - sinceMs) }],
  });
  const found = (status: Omit<InstanceStatus, 'InstanceId'>) =>
    statusInterruptions([{ InstanceId: ID, ...status }], NOW);

  test('that has failed for two minutes counts, one that has just failed does not', () => {
    expect(found({ InstanceStatus: failed(IMPAIRED_LIMIT_MS) })).toEqual([
      { kind: 'instance_status', instanceIds: [ID], atMs: NOW - IMPAIRED_LIMIT_MS },
    ]);
    expect(found({ SystemStatus: failed(150_000) })).toMatchObject([{ kind: 'system_status' }]);
    expect(found({ InstanceStatus: failed(IMPAIRED_LIMIT_MS - 1) })).toEqual([]);
    expect(found({ InstanceStatus: { Details: [{ Status: 'failed' }] } })).toEqual([]);
    expect(
      found({ InstanceStatus: { Details: [{ Status: 'passed', ImpairedSince: new Date(0) }] } }),
    ).toEqual([]);
    expect(found({})).toEqual([]);
  });

  test.each([
    'instance-reboot',
    'system-reboot',
    'system-maintenance',
    'instance-retirement',
    'instance-stop',
  ])('with the scheduled event %s counts at once', (Code) => {
    expect(found({ Events: [{ Code, Description: 'maintenance' }] })).toEqual([
      { kind: 'event_status', instanceIds: [ID], atMs: NOW, detail: Code },
    ]);
  });

  test('with an event that is over, or of another kind, does not count', () => {
    expect(found({ Events: [{ Code: 'instance-reboot', Description: '[Completed] maintenance' }] })).toEqual(
      [],
    );
    expect(found({ Events: [{ Code: 'instance-stop', Description: '[Canceled] maintenance' }] })).toEqual([]);
    expect(found({ Events: [{ Code: 'something-else' }, {}] })).toEqual([]);
  });

  test('that several calls return counts once', () => {
    const status = { InstanceId: ID, InstanceStatus: failed(150_000), SystemStatus: failed(150_000) };
    expect(statusInterruptions([status, status, {}], NOW).map(({ kind }) => kind)).toEqual([
      'instance_status',
      'system_status',
    ]);
    expect(STATUS_FILTERS).toHaveLength(3);
  });
});

describe('what to do', () => {
  const OWNER: OwnedInstance = {
    claim: 'general-1',
    instanceType: 'm5.large',
    zone: 'us-west-2a',
    capacityType: 'spot',
    reservationId: 'cr-1',
  };
  const options: DecisionOptions = {
    ownerOf: (id) => (id === ID ? OWNER : undefined),
    replaceOnRebalance: false,
  };
  const decide = (kind: InterruptionKind, more: Partial<DecisionOptions> = {}, ids = [ID]) =>
    decideInterruption({ kind, instanceIds: ids, atMs: 0 }, { ...options, ...more });

  test.each([
    ['spot_interrupted', 'drain', 'SpotInterrupted'],
    ['rebalance_recommendation', 'none', 'SpotRebalanceRecommendation'],
    ['instance_stopped', 'drain', 'InstanceStopping'],
    ['instance_terminated', 'drain', 'InstanceTerminating'],
    ['scheduled_change', 'drain', 'InstanceUnhealthy'],
    ['capacity_reservation_interrupted', 'drain', 'CapacityReservationInstanceInterrupted'],
    ['instance_status', 'terminate', 'InstanceUnhealthy'],
    ['system_status', 'terminate', 'InstanceUnhealthy'],
    ['event_status', 'drain', 'InstanceUnhealthy'],
  ] as const)('%s: %s, event %s', (kind, action, reason) => {
    expect(decide(kind)).toMatchObject([{ instanceId: ID, owner: OWNER, action, event: { reason } }]);
  });

  test('a spot interruption makes the type in its zone unavailable as spot', () => {
    const ttlMs = 180_000;
    expect(decide('spot_interrupted')[0]!.unavailable).toEqual([
      {
        kind: 'offering',
        instanceType: 'm5.large',
        zone: 'us-west-2a',
        capacityType: 'spot',
        ttlMs,
        reason: 'SpotInterrupted',
      },
    ]);
    expect(decide('capacity_reservation_interrupted')[0]!.unavailable).toMatchObject([
      { kind: 'reservation', id: 'cr-1', ttlMs },
    ]);
    const unknown: OwnedInstance = {
      claim: 'x',
      instanceType: undefined,
      zone: undefined,
      capacityType: undefined,
    };
    for (const kind of ['spot_interrupted', 'capacity_reservation_interrupted'] as const)
      expect(decide(kind, { ownerOf: () => unknown })[0]!.unavailable).toEqual([]);
    expect(decide('instance_stopped')[0]!.unavailable).toEqual([]);
  });

  test('a recommendation replaces the instance first, where that is wanted', () => {
    expect(decide('rebalance_recommendation', { replaceOnRebalance: true })[0]!.action).toBe('replace');
    expect(decide('spot_interrupted', { replaceOnRebalance: true })[0]!.action).toBe('drain');
  });

  test('nothing about instances of others', () => {
    expect(decide('spot_interrupted', {}, ['i-1'])).toEqual([]);
    expect(decide('spot_interrupted', {}, ['i-1', ID])).toHaveLength(1);
  });

  test('the strongest of several actions counts', () => {
    expect(strongestAction(['drain', 'terminate', 'none'])).toBe('terminate');
    expect(strongestAction(['none', 'replace'])).toBe('replace');
    expect(strongestAction([])).toBe('none');
  });

  test('the event says what AWS said', () => {
    const [decision] = decideInterruption(
      { kind: 'event_status', instanceIds: [ID], atMs: 0, detail: 'instance-retirement' },
      options,
    );
    expect(decision!.event.message).toBe(
      `EC2 has scheduled an event for instance ${ID} (instance-retirement).`,
    );
  });
});
