/** When a question is asked again: decided from what was asked last, what changed since, and the connection. Pure. */

/** The last time that a question was asked. */
export interface Asked {
  /** By a clock that does not jump. */
  readonly atMs: number;
  /** Of the server that was asked. */
  readonly epoch: string;
  /** Sum of the revisions that the question depends on. */
  readonly revision: number;
  readonly outcome: Outcome;
}

export type Outcome =
  | { readonly state: 'asking' }
  /** The number of the last change that it knows of; undefined: it does not say. */
  | {
      readonly state: 'answered';
      readonly sequence: number | undefined;
      /** Of the server that answered; undefined: that which was asked. */
      readonly epoch?: string | undefined;
    }
  /** Status 0: there was no answer. */
  | { readonly state: 'failed'; readonly status: number };

/** What is known now. */
export interface Known {
  readonly nowMs: number;
  readonly epoch: string;
  readonly revision: number;
  /** The number of the last change that the question depends on. */
  readonly changedAt: number;
  /** Since when the connection has been live; undefined: it is not. */
  readonly liveSinceMs: number | undefined;
}

/** Time between two askings while there are changes. */
export const REFRESH_MS = 4_000;
/** Time until a question is asked again that could not be answered. */
export const RETRY_MS = 15_000;

/** In how many ms the question is due; undefined: not before something changes. */
export function dueInMs(asked: Asked, known: Known): number | undefined {
  const { outcome } = asked;
  const inMs = (intervalMs: number) => Math.max(0, asked.atMs + intervalMs - known.nowMs);
  if (outcome.state === 'asking') return undefined;
  if (outcome.state === 'answered') {
    // The numbers of another replica say nothing about this stream: the answer may be older or newer.
    if (outcome.epoch !== undefined && outcome.epoch !== known.epoch)
      return inMs(asked.revision !== known.revision ? REFRESH_MS : RETRY_MS);
    return isOlder(asked, outcome.sequence, known) ? inMs(REFRESH_MS) : undefined;
  }
  if (known.liveSinceMs === undefined) return undefined;
  // It failed while the connection was lost.
  if (known.liveSinceMs > asked.atMs) return 0;
  if (asked.revision !== known.revision || asked.epoch !== known.epoch) return inMs(REFRESH_MS);
  return isPassing(outcome.status) ? inMs(RETRY_MS) : undefined;
}

function isOlder(asked: Asked, sequence: number | undefined, known: Known): boolean {
  if (asked.epoch !== known.epoch) return true;
  // A kept answer may be of before the change that was the reason to ask.
  return sequence === undefined ? asked.revision !== known.revision : sequence < known.changedAt;
}

function isPassing(status: number): boolean {
  return status === 0 || status === 429 || status >= 500;
}
