/**
 * Cron schedules in the dialect Karpenter's disruption budgets use: five fields or a macro, names,
 * ranges, lists and steps, in UTC or in the time zone of a prefix (`CRON_TZ=Europe/Berlin 0 9 * * *`).
 * Says when a schedule hits next and whether a budget's window is open. What a budget allows,
 * `disruption/` decides.
 */
import { UTC, type Zone, zoneNamed } from './time-zone.ts';

/** The text is not a schedule of this dialect. */
export class CronError extends Error {
  override readonly name = 'CronError';
}

export class Cron {
  readonly text: string;
  readonly #fields: Fields;
  readonly #zone: Zone;

  constructor(text: string, fields: Fields, zone: Zone = UTC) {
    this.text = text;
    this.#fields = fields;
    this.#zone = zone;
  }

  /**
   * The first hit strictly after the given moment, in milliseconds since the epoch. The schedule hits whenever the
   * clocks of its zone show a matching time: not at a time that is skipped, and twice at one that is repeated.
   * Absent when there is none in this calendar year or the next five (30 February).
   */
  next(afterMs: number): number | undefined {
    const lastYear = new Date(afterMs + 1000).getUTCFullYear() + SEARCH_YEARS;
    let fromMs = afterMs;
    for (;;) {
      const offsetMs = this.#zone.offsetMs(fromMs + 1);
      const wallMs = nextOnWall(this.#fields, fromMs + offsetMs, lastYear);
      const changeMs = this.#zone.nextChange(
        fromMs + 1,
        wallMs === undefined ? endOf(lastYear) : wallMs - offsetMs,
      );
      // Up to the change of the offset there is no hit; after it the clocks show another time.
      if (changeMs === undefined) return wallMs === undefined ? undefined : wallMs - offsetMs;
      fromMs = changeMs - 1;
    }
  }
}

/** @throws {CronError} when the text is not a schedule. */
export function parseCron(text: string): Cron {
  const { zone, rest } = zoneOf(text);
  const spec = rest.trim();
  const expanded = spec.startsWith('@') ? macro(spec) : spec;
  const parts = expanded.split(/\s+/).filter((part) => part !== '');
  if (parts.length !== BOUNDS.length) {
    throw new CronError(
      `a schedule has 5 fields (minute hour day month weekday), found ${parts.length}: "${text}"`,
    );
  }
  const [minute, hour, dayOfMonth, month, dayOfWeek] = parts.map((part, index) =>
    parseField(part, BOUNDS[index]!),
  );
  return new Cron(text, { minute, hour, dayOfMonth, month, dayOfWeek } as Fields, zone);
}

/**
 * Whether a window of this length, opened by every hit of the schedule, is open now. It opens at the
 * hit and is shut again exactly one duration later; hits inside an open window prolong it.
 *
 * A schedule that never hits opens no window. (QUIRK upstream: there it is open forever. On the wire
 * nothing differs; a window that never opens should not limit anything.)
 */
export function isWindowActive(cron: Cron, durationNs: bigint, nowMs: number): boolean {
  const hit = cron.next(nowMs - Number(durationNs) / 1e6);
  return hit !== undefined && hit <= nowMs;
}

// ---------------------------------------------------------------------------------------------

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const SEARCH_YEARS = 5;

interface Field {
  readonly hits: ReadonlySet<number>;
  /** Written as `*` (or `*` among others): the day rule asks for it. */
  readonly starred: boolean;
}

interface Fields {
  readonly minute: Field;
  readonly hour: Field;
  readonly dayOfMonth: Field;
  readonly month: Field;
  readonly dayOfWeek: Field;
}

interface Bounds {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  readonly names?: readonly string[];
}

const MONTHS = ['', 'jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

const BOUNDS: readonly Bounds[] = [
  { name: 'minute', min: 0, max: 59 },
  { name: 'hour', min: 0, max: 23 },
  { name: 'day of month', min: 1, max: 31 },
  { name: 'month', min: 1, max: 12, names: MONTHS },
  { name: 'day of week', min: 0, max: 6, names: WEEKDAYS },
];

const MACROS: ReadonlyMap<string, string> = new Map([
  ['@yearly', '0 0 1 1 *'],
  ['@annually', '0 0 1 1 *'],
  ['@monthly', '0 0 1 * *'],
  ['@weekly', '0 0 * * 0'],
  ['@daily', '0 0 * * *'],
  ['@midnight', '0 0 * * *'],
  ['@hourly', '0 * * * *'],
]);

/**
 * Upstream reads a budget's schedule in UTC by putting a zone in front of it, and so rejects one that
 * brings its own. Here it is the zone of the schedule.
 */
function zoneOf(text: string): { readonly zone: Zone; readonly rest: string } {
  const match = /^(?:CRON_)?TZ=(\S*)\s/.exec(text);
  if (match === null) return { zone: UTC, rest: text };
  const zone = zoneNamed(match[1]!);
  if (zone === undefined) {
    throw new CronError(
      `"${match[1]}" is not a time zone; use a name of the IANA database such as Europe/Berlin`,
    );
  }
  return { zone, rest: text.slice(match[0].length) };
}

function macro(spec: string): string {
  const expanded = MACROS.get(spec);
  if (expanded !== undefined) return expanded;
  throw new CronError(`unknown schedule "${spec}"; known schedules are ${[...MACROS.keys()].join(', ')}`);
}

function parseField(text: string, bounds: Bounds): Field {
  const hits = new Set<number>();
  let starred = false;
  for (const part of text.split(',')) {
    // Upstream skips an empty list item, and a field of nothing else never hits.
    if (part === '') continue;
    const range = parseRange(part, bounds);
    for (let value = range.from; value <= range.to; value += range.step) hits.add(value);
    starred ||= range.starred;
  }
  return { hits, starred };
}

interface Range {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly starred: boolean;
}

function parseRange(text: string, bounds: Bounds): Range {
  const [span, stepText, ...moreSteps] = text.split('/');
  const [low, high, ...moreEnds] = span!.split('-');
  if (moreSteps.length > 0) throw refuse(text, bounds, 'it has more than one "/"');
  const star = low === '*' || low === '?';
  if (!star && moreEnds.length > 0) throw refuse(text, bounds, 'it has more than one "-"');
  const from = star ? bounds.min : parseNumber(low!, bounds);
  const step = stepText === undefined ? 1 : parseNumber(stepText, { ...bounds, names: [] });
  const to = rangeEnd(star, high, stepText !== undefined, from, bounds);
  if (from < bounds.min) throw refuse(text, bounds, `${from} is below ${bounds.min}`);
  if (to > bounds.max) throw refuse(text, bounds, `${to} is above ${bounds.max}`);
  if (from > to) throw refuse(text, bounds, `${from} comes after ${to}; a range may not wrap around`);
  if (step === 0) throw refuse(text, bounds, 'the step must be positive');
  return { from, to, step, starred: star && step === 1 };
}

/** `5` ends where it starts, `5/2` runs to the last value of the field. */
function rangeEnd(
  star: boolean,
  high: string | undefined,
  stepped: boolean,
  from: number,
  bounds: Bounds,
): number {
  if (star) return bounds.max;
  if (high !== undefined) return parseNumber(high, bounds);
  return stepped ? bounds.max : from;
}

function parseNumber(text: string, bounds: Bounds): number {
  const named = bounds.names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0 && text !== '') return named;
  if (!/^\+?[0-9]{1,18}$/.test(text)) throw refuse(text, bounds, 'it is not a number');
  return Number(text);
}

function refuse(text: string, bounds: Bounds, why: string): CronError {
  return new CronError(`"${text}" is not a ${bounds.name} of a schedule: ${why}`);
}

function endOf(year: number): number {
  return Date.UTC(year + 1, 0, 1);
}

/** The first hit after a time on the wall, as if it was UTC. */
function nextOnWall(fields: Fields, afterMs: number, lastYear: number): number | undefined {
  const startMs = Math.floor(afterMs / MINUTE_MS) * MINUTE_MS + MINUTE_MS;
  const start = new Date(startMs);
  let dayMs = Math.floor(startMs / DAY_MS) * DAY_MS;
  for (;;) {
    const day = new Date(dayMs);
    if (day.getUTCFullYear() > lastYear) return undefined;
    if (!fields.month.hits.has(day.getUTCMonth() + 1)) {
      dayMs = Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 1);
      continue;
    }
    if (dayMatches(fields, day)) {
      const from = dayMs <= startMs ? start.getUTCHours() * 60 + start.getUTCMinutes() : 0;
      const minuteOfDay = firstMinute(fields, from);
      if (minuteOfDay !== undefined) return dayMs + minuteOfDay * MINUTE_MS;
    }
    dayMs += DAY_MS;
  }
}

/** With both day fields restricted either one is enough; as soon as one is starred both must match. */
function dayMatches(fields: Fields, day: Date): boolean {
  const dayOfMonth = fields.dayOfMonth.hits.has(day.getUTCDate());
  const dayOfWeek = fields.dayOfWeek.hits.has(day.getUTCDay());
  return fields.dayOfMonth.starred || fields.dayOfWeek.starred
    ? dayOfMonth && dayOfWeek
    : dayOfMonth || dayOfWeek;
}

function firstMinute(fields: Fields, fromMinuteOfDay: number): number | undefined {
  for (let hour = Math.floor(fromMinuteOfDay / 60); hour < 24; hour++) {
    if (!fields.hour.hits.has(hour)) continue;
    for (let minute = Math.max(0, fromMinuteOfDay - hour * 60); minute < 60; minute++) {
      if (fields.minute.hits.has(minute)) return hour * 60 + minute;
    }
  }
  return undefined;
}
