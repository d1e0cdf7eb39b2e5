/**
 * Evidence (b) over time: the last answer of ARM to a VM with a given disk encryption set. A refusal counts for a
 * while and is then forgotten, so that a launch may try again. A VM
 * that came up clears it at once. Lives in memory; a restart costs one failed launch.
 */
import { type ArmErrorLike, diskEncryptionProblemOf } from './arm-error.ts';
import type { DiskEncryptionProblem } from './problem.ts';

/** How long a refusal stops further launches. */
export const REFUSAL_COUNTS_MS = 5 * 60_000;

export class LaunchEvidence {
  readonly #refusals = new Map<
    string,
    { readonly problem: DiskEncryptionProblem; readonly untilMs: number }
  >();

  /** Called with every error of a VM create; returns the problem when the error is about disk encryption. */
  refused(
    diskEncryptionSetID: string,
    error: ArmErrorLike,
    nowMs: number,
  ): DiskEncryptionProblem | undefined {
    const problem = diskEncryptionProblemOf(error);
    if (problem !== undefined) {
      this.#refusals.set(key(diskEncryptionSetID), { problem, untilMs: nowMs + REFUSAL_COUNTS_MS });
    }
    return problem;
  }

  accepted(diskEncryptionSetID: string): void {
    this.#refusals.delete(key(diskEncryptionSetID));
  }

  /** What still counts, and until when. */
  current(
    diskEncryptionSetID: string,
    nowMs: number,
  ): { readonly problem: DiskEncryptionProblem; readonly untilMs: number } | undefined {
    const refusal = this.#refusals.get(key(diskEncryptionSetID));
    if (refusal === undefined || refusal.untilMs > nowMs) return refusal;
    this.#refusals.delete(key(diskEncryptionSetID));
    return undefined;
  }
}

// ---------------------------------------------------------------------------------------------------

function key(diskEncryptionSetID: string): string {
  return diskEncryptionSetID.toLowerCase();
}
