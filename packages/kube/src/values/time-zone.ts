/** Time zones of the IANA database: how far their clocks are from UTC, and when that changes. Pure. */

export interface Zone {
  /** Local time minus UTC at this moment. */
  offsetMs(atMs: number): number;
  /** The first moment after `fromMs` and not after `untilMs` with another offset than at `fromMs`. */
  nextChange(fromMs: number, untilMs: number): number | undefined;
}

export const UTC: Zone = { offsetMs: () => 0, nextChange: () => undefined };

/** Undefined when there is no such zone. */
export function zoneNamed(name: string): Zone | undefined {
  if (name === 'UTC' || name === 'Etc/UTC') return UTC;
  // Offsets such as +02:00 are accepted by some engines; Go knows names only.
  if (!/^[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)*$/.test(name)) return undefined;
  const known = ZONES.get(name);
  if (known !== undefined) return known;
  try {
    const zone = new NamedZone(name);
    if (ZONES.size < MAX_ZONES) ZONES.set(name, zone);
    return zone;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------

/** Formatters are slow to make. */
const ZONES = new Map<string, Zone>();
const MAX_ZONES = 100;
const DAY_MS = 24 * 60 * 60_000;

class NamedZone implements Zone {
  readonly #format: Intl.DateTimeFormat;

  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: name,
      calendar: 'iso8601',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  offsetMs(atMs: number): number {
    const seconds = Math.floor(atMs / 1000) * 1000;
    const parts = Object.fromEntries(
      this.#format.formatToParts(seconds).map(({ type, value }) => [type, Number(value)]),
    ) as Readonly<Record<'year' | 'month' | 'day' | 'hour' | 'minute' | 'second', number>>;
    const { year, month, day, hour, minute, second } = parts;
    return Date.UTC(year, month - 1, day, hour, minute, second) - seconds;
  }

  /** Days are compared; a zone that changes and changes back within a day is not noticed, and none does. */
  nextChange(fromMs: number, untilMs: number): number | undefined {
    const offset = this.offsetMs(fromMs);
    for (let before = fromMs; before < untilMs; ) {
      const after = Math.min(before + DAY_MS, untilMs);
      if (this.offsetMs(after) !== offset) return this.#firstOther(offset, before, after);
      before = after;
    }
    return undefined;
  }

  #firstOther(offset: number, before: number, after: number): number {
    let same = before;
    let other = after;
    while (other - same > 1) {
      const middle = Math.floor((same + other) / 2);
      if (this.offsetMs(middle) === offset) same = middle;
      else other = middle;
    }
    return other;
  }
}
