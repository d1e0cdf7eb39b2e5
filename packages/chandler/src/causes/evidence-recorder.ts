/**
 * Records what was read for one question, from where and when, and what could not be read and why. The same thing is
 * recorded once.
 */
import type { Evidence, EvidenceKind, Reading, Unread } from './evidence.ts';
import { EvidenceSet } from './evidence-set.ts';
import { withoutLogSecrets } from './log-secrets.ts';
import type { LookupFailure, ObjectReader } from './object-reader.ts';

/** What a function that reads evidence works with: where it reads from, and where it records. */
export interface EvidenceContext {
  readonly reader: ObjectReader;
  readonly recorder: EvidenceRecorder;
}

export class EvidenceRecorder {
  readonly atMs: number;
  readonly #from: Reading['from'];
  readonly #records = new Map<string, Evidence>();
  readonly #unread = new Map<string, Unread>();

  constructor(from: Reading['from'], atMs: number) {
    this.#from = from;
    this.atMs = atMs;
  }

  reading(what: string, from: Reading['from'] = this.#from): Reading {
    return { what, from, atMs: this.atMs };
  }

  add(...records: readonly Evidence[]): void {
    for (const record of records)
      this.#records.set(`${record.kind} ${record.reading.what}`, withoutPrintedSecrets(record));
  }

  has(kind: EvidenceKind, what: string): boolean {
    return this.#records.has(`${kind} ${what}`);
  }

  addUnread(kind: EvidenceKind, what: string, { why, permission, message }: LookupFailure): void {
    this.#unread.set(`${kind} ${what}`, {
      kind,
      what,
      why,
      ...(permission === undefined ? {} : { permission }),
      ...(message === undefined ? {} : { message }),
    });
  }

  evidence(): EvidenceSet {
    return new EvidenceSet({
      records: [...this.#records.values()],
      unread: [...this.#unread.values()],
      atMs: this.atMs,
    });
  }
}

/** Scripts print their commands, with passwords, on the console: no log is kept as it was read, live or in a dump. */
function withoutPrintedSecrets(record: Evidence): Evidence {
  const isLog = record.kind === 'serialLog' || record.kind === 'containerLog';
  return isLog ? { ...record, text: withoutLogSecrets(record.text) } : record;
}
