/**
 * A finding that somebody has accepted, until a day and for a reason. Both are mandatory: what has neither suppresses
 * nothing, and is reported. `collect.ts` finds suppressions, `apply.ts` applies them.
 */
import type { Place } from '../model/place.ts';

/** The name of the annotation, and the first word of the comment. */
export const IGNORE = 'readiness/ignore';

export interface Suppression {
  /** `S-32`. */
  readonly ids: readonly string[];
  /** The last day on which it holds, in UTC: `2027-01-31`. */
  readonly until: string;
  readonly reason: string;
  /** Where it is written. */
  readonly at: Place;
  readonly kind: 'comment' | 'annotation' | 'config';
  /** What it is limited to; everything where none is given. */
  readonly object?: string;
  /** Of the object: one of the same name that is live in another namespace is not meant. */
  readonly namespace?: string;
  /** The end of a path. */
  readonly file?: string;
  readonly line?: number;
}

export const EXPECTED = `expected "${IGNORE} S-32 until 2027-01-31: REASON"`;

/** `S-32,S-34 until 2027-01-31: REASON`; undefined for everything else. */
export function parseIgnore(text: string): Pick<Suppression, 'ids' | 'until' | 'reason'> | undefined {
  const found = /^\s*([A-Z]-\d+(?:\s*,\s*[A-Z]-\d+)*)\s+until\s+(\S+?):\s+(\S.*?)\s*$/is.exec(text);
  if (found === null || !isDay(found[2]!)) return undefined;
  return {
    ids: found[1]!.split(',').map((id) => id.trim().toUpperCase()),
    until: found[2]!,
    reason: found[3]!,
  };
}

/** A day that exists: not the 30th of February. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const time = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}
