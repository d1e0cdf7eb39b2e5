/**
 * Evidence (b) over time: the last answer of ARM to a VM with a given disk encryption set, at the request or during the
 * operation. A refusal counts until it expires, so that a launch may try again. A VM that was created after the refusal
 * and starts clears it at once; one that was created before may have read the key before it was disabled, and proves
 * nothing. Listeners learn of every change, because node classes must follow at once. Lives in memory; a restart costs
 * one failed launch.
 */
import { type ArmErrorLike, diskEncryptionProblemOf } from './arm-error.ts';
import type { DiskEncryptionProblem } from './problem.ts';

/** How long a refusal stops further launches. */
export const REFUSAL_COUNTS_MS = 5 * 60_000;

/** A VM that Azure refuses during its creation fails within this time. */
const REFUSED_WITHIN_MS = 5 * 60_000;

export interface Refusal {
  readonly problem: DiskEncryptionProblem;
  readonly untilMs: number;
  /** It had happened by then; it may be read much later, for example after a restart. */
  readonly atMs: number;
}

type Listener = (diskEncryptionSetID: string) => void;

export class LaunchEvidence {
  readonly #refusals = new Map<string, Refusal>();
  readonly #listeners = new Set<Listener>();

  /** Calls the listener with the set that was refused or cleared, until the returned function is called. */
  onChange(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Called with every error of a VM create, and when the VM was created if there is one; returns the problem when the
   * error is about disk encryption.
   */
  refused(
    diskEncryptionSetID: string,
    error: ArmErrorLike,
    nowMs: number,
    createdAtMs: number = nowMs,
  ): DiskEncryptionProblem | undefined {
    const problem = diskEncryptionProblemOf(error);
    if (problem === undefined) return undefined;
    const untilMs = nowMs + REFUSAL_COUNTS_MS;
    const atMs = Math.min(nowMs, createdAtMs + REFUSED_WITHIN_MS);
    this.#refusals.set(key(diskEncryptionSetID), { problem, untilMs, atMs });
    this.#changed(diskEncryptionSetID);
    return problem;
  }

  /** A VM with this set has started. */
  accepted(diskEncryptionSetID: string, createdAtMs: number): void {
    const refusal = this.#refusals.get(key(diskEncryptionSetID));
    if (refusal === undefined || createdAtMs <= refusal.atMs) return;
    this.#refusals.delete(key(diskEncryptionSetID));
    this.#changed(diskEncryptionSetID);
  }

  /** What still counts, and until when. */
  current(diskEncryptionSetID: string, nowMs: number): Refusal | undefined {
    const refusal = this.#refusals.get(key(diskEncryptionSetID));
    if (refusal === undefined || refusal.untilMs > nowMs) return refusal;
    this.#refusals.delete(key(diskEncryptionSetID));
    return undefined;
  }

  #changed(diskEncryptionSetID: string): void {
    for (const listener of this.#listeners) listener(diskEncryptionSetID);
  }
}

// ---------------------------------------------------------------------------------------------------

function key(diskEncryptionSetID: string): string {
  return diskEncryptionSetID.toLowerCase();
}
