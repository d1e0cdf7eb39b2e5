import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CronError, isWindowActive, parseCron } from './cron.ts';
import { parseDuration } from './duration.ts';

function next(schedule: string, after: string): string {
  const hit = parseCron(schedule).next(Date.parse(after));
  return hit === undefined ? 'never' : new Date(hit).toISOString().slice(0, 16);
}

describe('the next time of a schedule', () => {
  test.each([
    ['0 9 * * mon-fri', '2026-08-18T08:59:00Z', '2026-08-18T09:00'],
    ['0 9 * * mon-fri', '2026-08-18T09:00:00Z', '2026-08-19T09:00'],
    ['0 9 * * mon-fri', '2026-08-18T08:59:59.999Z', '2026-08-18T09:00'],
    ['0 9 * * MON-Fri', '2026-08-21T09:00:00Z', '2026-08-24T09:00'],
    ['*/15 * * * *', '2026-08-21T10:01:00Z', '2026-08-21T10:15'],
    ['50/5 * * * *', '2026-08-21T10:51:00Z', '2026-08-21T10:55'],
    ['0 0 1 jan,jul *', '2026-02-01T00:00:00Z', '2026-07-01T00:00'],
    ['0 0 31 * *', '2026-04-01T00:00:00Z', '2026-05-31T00:00'],
    ['0 0 29 2 *', '2026-01-01T00:00:00Z', '2028-02-29T00:00'],
    ['0 0 13 * fri', '2026-08-01T00:00:00Z', '2026-08-07T00:00'],
    ['0 0 */2 * fri', '2026-08-06T12:00:00Z', '2026-08-07T00:00'],
    ['0 0 */1 * fri', '2026-08-06T12:00:00Z', '2026-08-07T00:00'],
    ['0 0 ? * fri', '2026-08-07T12:00:00Z', '2026-08-14T00:00'],
    ['@hourly', '2026-08-21T10:30:00Z', '2026-08-21T11:00'],
    ['@daily', '2026-08-21T10:30:00Z', '2026-08-22T00:00'],
    ['@midnight', '2026-08-21T10:30:00Z', '2026-08-22T00:00'],
    ['@weekly', '2026-08-21T10:30:00Z', '2026-08-23T00:00'],
    ['@monthly', '2026-08-21T10:30:00Z', '2026-09-01T00:00'],
    ['@yearly', '2026-08-21T10:30:00Z', '2027-01-01T00:00'],
    ['@annually', '2026-08-21T10:30:00Z', '2027-01-01T00:00'],
    ['TZ=UTC 0 9 * * *', '2026-08-21T10:30:00Z', '2026-08-22T09:00'],
    ['CRON_TZ=Asia/Tokyo 0 9 * * *', '2026-08-21T10:30:00Z', '2026-08-22T00:00'],
    ['CRON_TZ=Europe/Berlin 0 9 * * *', '2026-01-15T07:59:00Z', '2026-01-15T08:00'],
    ['CRON_TZ=Europe/Berlin 0 9 * * *', '2026-07-15T06:59:00Z', '2026-07-15T07:00'],
    // Clocks go forward at 01:00 UTC on 29 March 2026: there is no 02:30 on that day.
    ['CRON_TZ=Europe/Berlin 30 2 * * *', '2026-03-28T12:00:00Z', '2026-03-30T00:30'],
    ['CRON_TZ=Europe/Berlin 0 3 * * *', '2026-03-28T12:00:00Z', '2026-03-29T01:00'],
    // Clocks go back at 01:00 UTC on 25 October 2026: 02:30 comes twice.
    ['CRON_TZ=Europe/Berlin 30 2 * * *', '2026-10-24T12:00:00Z', '2026-10-25T00:30'],
    ['CRON_TZ=Europe/Berlin 30 2 * * *', '2026-10-25T00:30:00Z', '2026-10-25T01:30'],
    ['CRON_TZ=Europe/Berlin 30 2 * * *', '2026-10-25T01:30:00Z', '2026-10-26T01:30'],
    ['CRON_TZ=America/New_York 0 0 1 1 *', '2026-02-01T00:00:00Z', '2027-01-01T05:00'],
    ['CRON_TZ=Australia/Lord_Howe 15 2 * * *', '2026-10-03T00:00:00Z', '2026-10-04T15:15'],
    ['CRON_TZ=Europe/Berlin 0 0 30 2 *', '2026-08-21T10:30:00Z', 'never'],
    ['0 0 30 2 *', '2026-08-21T10:30:00Z', 'never'],
    ['0 9 * * *', '1969-12-31T08:00:00Z', '1969-12-31T09:00'],
  ])('%s after %s is %s', (schedule, after, expected) => {
    expect(next(schedule, after)).toBe(expected);
  });
});

describe('an invalid schedule is rejected', () => {
  test.each([
    ['', /5 fields/],
    ['* * * *', /5 fields/],
    ['* * * * * *', /found 6/],
    ['@dailyx', /unknown schedule/],
    ['@every 1h', /unknown schedule/],
    ['0 0 * * 7', /7 is above 6/],
    ['0 0 * * tue-mon', /may not wrap/],
    ['60 * * * *', /above 59/],
    ['0 0 0 * *', /below 1/],
    ['*/0 * * * *', /step must be positive/],
    ['1-2-3 * * * *', /more than one "-"/],
    ['1/2/3 * * * *', /more than one "\/"/],
    ['x * * * *', /not a number/],
    ['TZ=Asia/Nowhere 0 9 * * *', /"Asia\/Nowhere" is not a time zone/],
    ['CRON_TZ=+02:00 0 9 * * *', /is not a time zone/],
    ['CRON_TZ= 0 9 * * *', /is not a time zone/],
  ])('%j', (text, message) => {
    expect(() => parseCron(text)).toThrow(CronError);
    expect(() => parseCron(text)).toThrow(message);
  });
});

describe('a window of eight hours that opens on workdays at nine', () => {
  const cron = parseCron('0 9 * * mon-fri');
  const active = (at: string) => isWindowActive(cron, parseDuration('8h'), Date.parse(at));

  test.each([
    ['2026-08-18T08:59:59Z', false],
    ['2026-08-18T09:00:00Z', true],
    ['2026-08-18T16:59:00Z', true],
    ['2026-08-18T16:59:59.999Z', true],
    ['2026-08-18T17:00:00Z', false],
    ['2026-08-18T17:00:01Z', false],
    ['2026-08-22T12:00:00Z', false],
  ])('at %s: %s', (at, expected) => {
    expect(active(at)).toBe(expected);
  });

  test('is extended by a schedule time inside it', () => {
    expect(
      isWindowActive(parseCron('@hourly'), parseDuration('2h'), Date.parse('2026-08-18T09:30:00Z')),
    ).toBe(true);
  });

  test('never opens when the schedule never matches', () => {
    expect(
      isWindowActive(parseCron('0 0 30 2 *'), parseDuration('8h'), Date.parse('2026-08-18T09:00:00Z')),
    ).toBe(false);
  });
});

test('in any zone, the next time is the next minute at which its clocks show it', () => {
  const zones = [
    'Europe/Berlin',
    'America/New_York',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'Africa/Casablanca',
  ];
  const shown = new Map(
    zones.map((timeZone) => [
      timeZone,
      new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }),
    ]),
  );
  const byMinute = (zone: string, wanted: string, afterMs: number): number => {
    for (let ms = Math.floor(afterMs / 60_000) * 60_000 + 60_000; ; ms += 60_000)
      if (shown.get(zone)!.format(ms) === wanted) return ms;
  };
  // Around the days on which these zones change their clocks.
  const days = [
    '2026-03-08',
    '2026-03-29',
    '2026-04-05',
    '2026-10-04',
    '2026-10-25',
    '2026-11-01',
    '2026-02-15',
  ];
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.constantFrom(...days),
      fc.integer({ min: -36 * 60, max: 12 * 60 }),
      fc.integer({ min: 0, max: 3 }),
      fc.constantFrom(0, 15, 30, 45),
      (zone, day, offset, hour, minute) => {
        const after = Date.parse(`${day}T12:00:00Z`) + offset * 60_000;
        const wanted = `0${hour}:${String(minute).padStart(2, '0')}`;
        const schedule = parseCron(`CRON_TZ=${zone} ${minute} ${hour} * * *`);
        expect(schedule.next(after)).toBe(byMinute(zone, wanted, after));
      },
    ),
    { numRuns: 60 },
  );
});
