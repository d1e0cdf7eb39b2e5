/**
 * Evidence (b) over time: the last answer of ARM to a VM with a given disk encryption set. A refusal counts for a
 * while and is then forgotten, so that a launch may try again: nobody else would tell us that the cause is gone. A VM
 * that came up clears it at once. Lives in memory; a restart costs one failed launch.
 */
import { type ArmErrorLike, findingOfArmError } from './arm-error.ts';
import type { Finding } from './finding.ts';

/** How long a refusal stops further launches. */
export const REFUSAL_COUNTS_MS = 5 * 60_000;

export class LaunchEvidence {
  readonly #refusals = new Map<string, { readonly finding: Finding; readonly untilMs: number }>();

  /** Called with every error of a VM create; returns the finding when the error is about disk encryption. */
  refused(diskEncryptionSetID: string, error: ArmErrorLike, nowMs: number): Finding | undefined {
    const finding = findingOfArmError(error);
    if (finding !== undefined) {
      this.#refusals.set(key(diskEncryptionSetID), { finding, untilMs: nowMs + REFUSAL_COUNTS_MS });
    }
    return finding;
  }

  accepted(diskEncryptionSetID: string): void {
    this.#refusals.delete(key(diskEncryptionSetID));
  }

  /** What still counts, and until when. */
  current(
    diskEncryptionSetID: string,
    nowMs: number,
  ): { readonly finding: Finding; readonly untilMs: number } | undefined {
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
