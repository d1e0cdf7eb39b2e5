/** Liveness: a claim that does not get its machine, or whose machine never joins, is given up after a while. */
import type { Clock, Result } from '@chandler/kube';
import type { ClaimPatch } from './claim-patch.ts';

export const LAUNCH_TIMEOUT_MS = 5 * 60_000;
export const REGISTRATION_TIMEOUT_MS = 15 * 60_000;

export interface Verdict {
  /** Set: the claim is to be deleted. */
  readonly timedOut?: 'launch_timeout' | 'registration_timeout';
  readonly result: Result;
}

export class Liveness {
  readonly #clock: Clock;
  /** What happened before is not known: a claim may have stood in the line of the process before this one. */
  readonly #startedMs: number;
  /** By UID: until when a claim stood in line for its launch; in the order of that. */
  readonly #inLine = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.now();
  }

  /** The time in which our own limits keep a claim waiting is not held against it: a new one would wait as well. */
  rateLimited(claimUid: string): void {
    const nowMs = this.#clock.now();
    this.#inLine.delete(claimUid);
    this.#inLine.set(claimUid, nowMs);
    for (const [uid, untilMs] of this.#inLine) {
      if (nowMs - untilMs <= LAUNCH_TIMEOUT_MS) return;
      this.#inLine.delete(uid);
    }
  }

  judge({ conditions, claim }: ClaimPatch): Verdict {
    if (conditions.isTrue('Registered')) return { result: {} };
    const launched = conditions.isTrue('Launched');
    const [limitMs, timedOut] = launched
      ? ([REGISTRATION_TIMEOUT_MS, 'registration_timeout'] as const)
      : ([LAUNCH_TIMEOUT_MS, 'launch_timeout'] as const);
    const launchedMs = timeOf(conditions.get('Launched'));
    // `Registered` is as old as the claim; before there was a machine nothing could register.
    const fromMs = launched
      ? Math.max(timeOf(conditions.get('Registered')), launchedMs)
      : Math.max(launchedMs, this.#inLine.get(claim.metadata.uid ?? '') ?? this.#startedMs);
    // Waits that began before our clock say so; a time in the future would wait for ever.
    const leftMs = Math.min(limitMs, fromMs + limitMs - this.#clock.now());
    if (Number.isNaN(leftMs) || leftMs > 0)
      return { result: { requeueAfterMs: Number.isNaN(leftMs) ? limitMs : leftMs } };
    return { timedOut, result: {} };
  }
}

// ---------------------------------------------------------------------------------------------------

function timeOf(condition: { readonly lastTransitionTime: string } | undefined): number {
  return Date.parse(condition?.lastTransitionTime ?? '');
}
