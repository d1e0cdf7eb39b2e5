/** Numbers, prices and times as text, in the forms of `chandler top`. Pure. */

export const HOURS_PER_MONTH = 730;
const GIB = 1024 ** 3;
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** `$0.391`, `$12.40`, `$1,204`; a dash for a price that is not known. */
export function price(perHour: number | null): string {
  if (perHour === null) return '–';
  if (perHour === 0) return '$0';
  const digits = Math.abs(perHour) >= 100 ? 0 : Math.abs(perHour) >= 1 ? 2 : 3;
  return `${perHour < 0 ? '-' : ''}$${thousands(Math.abs(perHour), digits)}`;
}

export function pricePerHour(perHour: number | null): string {
  return perHour === null ? '–' : `${price(perHour)}/h`;
}

export function pricePerMonth(perHour: number | null): string {
  return perHour === null ? '–' : `$${thousands(perHour * HOURS_PER_MONTH, 0)} a month`;
}

export function cores(millis: number | null): string {
  if (millis === null) return '–';
  if (millis > 0 && millis < 1000) return `${Math.round(millis)}m`;
  const value = millis / 1000;
  return value >= 100 ? thousands(value, 0) : String(Number(value.toFixed(2)));
}

export function memory(bytes: number | null): string {
  if (bytes === null) return '–';
  const gib = bytes / GIB;
  if (gib >= 1024) return `${Number((gib / 1024).toFixed(1))} Ti`;
  if (gib >= 1) return `${Number(gib.toFixed(gib >= 100 ? 0 : 1))} Gi`;
  return `${Math.round(bytes / 1024 ** 2)} Mi`;
}

/** Of a share; a dash where there is nothing to have a share of. */
export function percent(part: number, whole: number): string {
  return whole > 0 ? `${Math.round((100 * part) / whole)}%` : '–';
}

/** As kubectl prints ages: `52s`, `12m`, `3h20m`, `4d`. */
export function duration(ms: number): string {
  if (ms < 0) return '0s';
  if (ms < 2 * MINUTE_MS) return `${Math.floor(ms / SECOND_MS)}s`;
  if (ms < 2 * HOUR_MS) return `${Math.floor(ms / MINUTE_MS)}m`;
  if (ms < 2 * DAY_MS) {
    const minutes = Math.floor((ms % HOUR_MS) / MINUTE_MS);
    return `${Math.floor(ms / HOUR_MS)}h${minutes === 0 ? '' : `${minutes}m`}`;
  }
  return `${Math.floor(ms / DAY_MS)}d`;
}

/** Seconds with one digit for short times: `0.9 s`, `38 s`, `2 min 5 s`. */
export function seconds(ms: number): string {
  if (ms < 10 * SECOND_MS) return `${(Math.max(0, ms) / SECOND_MS).toFixed(1)} s`;
  if (ms < 2 * MINUTE_MS) return `${Math.round(ms / SECOND_MS)} s`;
  const rest = Math.round((ms % MINUTE_MS) / SECOND_MS);
  return `${Math.floor(ms / MINUTE_MS)} min${rest === 0 ? '' : ` ${rest} s`}`;
}

/** Hours and minutes in the time zone of the browser. */
export function clockTime(ms: number): string {
  const at = new Date(ms);
  return `${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** Date and time to the second in the time zone of the browser. */
export function fullTime(ms: number): string {
  const at = new Date(ms);
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
}

/** Of the day of `nowMs` only the time, of others the date as well. */
export function shortTime(ms: number, nowMs: number): string {
  const [day, time] = fullTime(ms).split(' ') as [string, string];
  return fullTime(nowMs).startsWith(day) ? time : `${day} ${time}`;
}

export function thousands(value: number, digits = 0): string {
  const [whole, fraction] = value.toFixed(digits).split('.');
  const grouped = whole!.replace(/\B(?=(\d{3})+(?!\d))/g, ',');
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

/** `1 node`, `2 nodes`. */
export function count(number: number, one: string, many = `${one}s`): string {
  return `${thousands(number)} ${number === 1 ? one : many}`;
}

/** An error as a sentence: errors begin with a small letter and have no full stop. */
export function sentence(text: string): string {
  const begun = `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
  return /[.!?]$/.test(begun) || begun === '' ? begun : `${begun}.`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
