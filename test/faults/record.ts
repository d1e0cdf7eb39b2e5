/**
 * The record of a run: one line per event in fixed columns, and a hash of all lines. The same seed gives the
 * same lines. Only the last lines are kept unless all are requested.
 */
import { createHash } from 'node:crypto';
import type { Clock } from '@chandler/kube';
import type { ObservedChange } from './server-state/kube-state.ts';

export class Record {
  readonly #clock: Clock;
  readonly #hash = createHash('sha256');
  readonly #onLine: ((line: string) => void) | undefined;
  /** Not hashed yet. */
  #text = '';
  #count = 0;

  constructor(clock: Clock, onLine?: (line: string) => void) {
    this.#clock = clock;
    this.#onLine = onLine;
  }

  get count(): number {
    return this.#count;
  }

  /** The actor, the kind of event, and the details. */
  add(who: string, kind: string, what: string): void {
    const seconds = (this.#clock.monotonic() / 1000).toFixed(3).padStart(9);
    const line = `${seconds} ${who.padEnd(8)} ${kind.padEnd(7)} ${what}`;
    this.#text += `${line}\n`;
    if (this.#text.length > HASHED_AT_ONCE) this.#hashText();
    this.#count += 1;
    this.#onLine?.(line);
  }

  /** May be called once, at the end. */
  digest(): string {
    this.#hashText();
    return this.#hash.digest('hex').slice(0, 16);
  }

  #hashText(): void {
    this.#hash.update(this.#text);
    this.#text = '';
  }
}

/** A change of an object. */
export function textOf({ kind, object, revision }: ObservedChange): string {
  const { name, deletionTimestamp } = object.metadata;
  const conditions = (object.status?.conditions ?? [])
    .filter(({ status }: { status: string }) => status !== 'False' || kind === 'claims' || kind === 'pools')
    .map(({ type, status }: { type: string; status: string }) => `${type}=${status}`)
    .join(',');
  const event = object as unknown as { reason?: string; message?: string };
  const details =
    kind === 'events' ? `${event.reason}: ${event.message}` : kind === 'nodes' ? '' : conditions;
  return `${kind} ${name} ${revision}${deletionTimestamp === undefined ? '' : ' going'} ${details}`.trimEnd();
}

/** The fields of a log line. */
export function shortText(fields: object): string {
  const parts = Object.entries(fields).map(([name, value]) => {
    const text = value instanceof Error ? `${value.name}: ${value.message}` : JSON.stringify(value);
    return `${name}=${text}`;
  });
  return parts.join(' ').slice(0, 400);
}

// ---------------------------------------------------------------------------------------------------

const HASHED_AT_ONCE = 64 * 1024;
