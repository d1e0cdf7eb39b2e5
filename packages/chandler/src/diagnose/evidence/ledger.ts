/**
 * The book of one question: what was read, from where and when, and what could not be read and why. Gatherers write
 * into it; the same thing is written once.
 */
import {
  type Evidence,
  type EvidenceKind,
  EvidenceSet,
  type Reading,
  type Unread,
} from '../../causes/index.ts';
import type { NotSeen } from '../reader/reader.ts';

export class Ledger {
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
    for (const record of records) this.#records.set(`${record.kind} ${record.reading.what}`, record);
  }

  has(kind: EvidenceKind, what: string): boolean {
    return this.#records.has(`${kind} ${what}`);
  }

  missed(kind: EvidenceKind, what: string, { why, permission, message }: NotSeen): void {
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
