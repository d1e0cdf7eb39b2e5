/**
 * All that was read for one question, with the lookups that causes share. Nothing is judged here, and nothing is read
 * from outside: what is not in the set is not known.
 */
import type { Condition } from '../api/index.ts';
import type { EventFact, Evidence, EvidenceKind, EvidenceOf, NodeClaimEvidence, Unread } from './evidence.ts';

export interface EvidenceSetOptions {
  readonly records: readonly Evidence[];
  readonly unread?: readonly Unread[];
  /** Now, or when the dump was made: ages are counted to here. */
  readonly atMs: number;
}

export class EvidenceSet {
  readonly records: readonly Evidence[];
  readonly unread: readonly Unread[];
  readonly atMs: number;
  readonly #byKind: ReadonlyMap<EvidenceKind, readonly Evidence[]>;

  constructor(options: EvidenceSetOptions) {
    this.records = options.records;
    this.unread = options.unread ?? [];
    this.atMs = options.atMs;
    this.#byKind = Map.groupBy(options.records, ({ kind }) => kind);
  }

  all<K extends EvidenceKind>(kind: K): readonly EvidenceOf<K>[] {
    return (this.#byKind.get(kind) ?? []) as readonly EvidenceOf<K>[];
  }

  first<K extends EvidenceKind>(kind: K): EvidenceOf<K> | undefined {
    return this.all(kind)[0];
  }

  /** Whether reading records of this kind failed: then their absence proves nothing. */
  couldNotRead(kind: EvidenceKind): boolean {
    return this.unread.some((unread) => unread.kind === kind);
  }

  /** Claims that should become nodes: not those that are being deleted. */
  get liveClaims(): readonly NodeClaimEvidence[] {
    return this.all('nodeClaim').filter(({ deletingSinceMs }) => deletingSinceMs === undefined);
  }

  /** The newest last. `about` is the beginning of the object's name, as `Pod/`. */
  events(about: string, ...reasons: readonly string[]): readonly EventFact[] {
    return this.all('events')
      .flatMap(({ events }) => events)
      .filter(
        (event) => event.object.startsWith(about) && (reasons.length === 0 || reasons.includes(event.reason)),
      )
      .sort((one, other) => one.lastMs - other.lastMs);
  }

  ageMs(sinceMs: number): number {
    return this.atMs - sinceMs;
  }
}

export interface Conditioned {
  readonly conditions: readonly Condition[];
}

export function conditionOf({ conditions }: Conditioned, type: string): Condition | undefined {
  return conditions.find((condition) => condition.type === type);
}

export function isTrue(object: Conditioned, type: string): boolean {
  return conditionOf(object, type)?.status === 'True';
}
