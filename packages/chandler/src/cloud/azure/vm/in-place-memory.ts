/**
 * Which parts of a VM have been brought to a goal: Azure accepted the write, and its operation did not fail. What differs
 * afterwards, Azure itself changed (a policy), and another write would not help. Lost with the process, which costs one
 * more round of writes.
 */
import type { ArmError, Operation } from '../../../arm/index.ts';

export type InPlacePart = 'vm' | 'networkInterface' | `extension ${string}`;

export interface InPlaceProgress {
  readonly hash: string;
  readonly sent: Set<InPlacePart>;
  /** Parts that were sent a second time, because nobody knows how the first write ended. */
  readonly repeated: Set<InPlacePart>;
  /** Writes that failed: the more, the longer the pause before the next. */
  failures: number;
  /** How the last write of a VM that had failed before ended. */
  ofFailedVm?: ArmError;
  /** The last write, not known to be over. */
  pending?: PendingWrite;
}

export interface PendingWrite {
  readonly part: InPlacePart;
  readonly operation: Operation;
  /** The VM had failed before: then the operation ends as failed too, whatever becomes of the write. */
  readonly ofFailedVm: boolean;
  /** Polls in a row that failed. */
  unanswered?: number;
}

/** More than updates in flight; the oldest is dropped. */
const MAX_CLAIMS = 20_000;

export class InPlaceMemory {
  readonly #goals = new Map<string, InPlaceProgress>();

  /** What was done for this goal; another goal starts from nothing. */
  of(claimUid: string, hash: string): InPlaceProgress {
    const known = this.#goals.get(claimUid);
    if (known?.hash === hash) return known;
    const progress: InPlaceProgress = { hash, sent: new Set(), repeated: new Set(), failures: 0 };
    this.#goals.delete(claimUid);
    this.#goals.set(claimUid, progress);
    const [oldest] = this.#goals.keys();
    if (this.#goals.size > MAX_CLAIMS && oldest !== undefined) this.#goals.delete(oldest);
    return progress;
  }

  forget(claimUid: string): void {
    this.#goals.delete(claimUid);
  }
}
