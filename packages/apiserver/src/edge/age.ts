/**
 * Durations and ages as Kubernetes prints them for people: two figures at most, `5s`, `3m20s`, `2d3h`, `400d`.
 * The one place that turns timestamps into ages; what the columns show beyond that is theirs.
 */

export const UNKNOWN = '<unknown>';
export const NONE = '<none>';

/** `<invalid>` for a time that lies more than a second ahead; clocks may differ a little. */
export function humanDuration(durationMs: number): string {
  const seconds = Math.trunc(durationMs / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.trunc(seconds / 60);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.trunc(minutes / 60);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.trunc(hours / 24);
  if (days < 8) return pair(days, 'd', hours % 24, 'h');
  if (days < 365 * 2) return `${days}d`;
  const years = Math.trunc(days / 365);
  return days < 365 * 8 ? pair(years, 'y', days % 365, 'd') : `${years}y`;
}

/** How long ago an RFC 3339 timestamp was; `<unknown>` without one. */
export function ageOf(timestamp: unknown, nowMs: number): string {
  if (typeof timestamp !== 'string' || timestamp === '') return UNKNOWN;
  const thenMs = Date.parse(timestamp);
  return Number.isNaN(thenMs) ? UNKNOWN : humanDuration(nowMs - thenMs);
}

// ---------------------------------------------------------------------------------------------------

function pair(first: number, firstUnit: string, second: number, secondUnit: string): string {
  return second === 0 ? `${first}${firstUnit}` : `${first}${firstUnit}${second}${secondUnit}`;
}
