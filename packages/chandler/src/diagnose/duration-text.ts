/** `3 min`, `45 s`, `2 h`. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 90) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

/** `2026-06-01 03:00 UTC`. Numbers of users may be added up in it: what is out of range is shown as the nearest time. */
export function minuteText(ms: number): string {
  const shownMs = Math.min(Math.max(ms, 0), LAST_MS);
  return `${new Date(shownMs).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

// ---------------------------------------------------------------------------------------------------

/** Later years have more than four digits, and soon there is no date. */
const LAST_MS = Date.UTC(9999, 11, 31, 23, 59);
