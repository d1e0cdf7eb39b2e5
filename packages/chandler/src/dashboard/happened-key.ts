/** What makes two entries of the timeline the same one: what happened to what, for which reason, in which second. Pure. */
import type { Happened } from './wire.ts';

/** To the second: events have no more, and what is kept of the same failure has milliseconds. */
export function happenedKey({ atMs, what, subject, reason }: Happened): string {
  return `${Math.floor(atMs / 1000)} ${what} ${subject} ${reason}`;
}

/** Each once, the first of the same ones, in order of time. */
export function inOrder(happened: readonly Happened[]): Happened[] {
  const byKey = new Map<string, Happened>();
  for (const each of happened) {
    const key = happenedKey(each);
    if (!byKey.has(key)) byKey.set(key, each);
  }
  return [...byKey.values()].sort(
    (one, other) => one.atMs - other.atMs || (one.subject < other.subject ? -1 : 1),
  );
}
