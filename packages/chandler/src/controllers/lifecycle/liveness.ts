/** Liveness: deletes a claim whose instance is not launched, or does not register, within a time limit. */
import type { Clock, Result } from '@chandler/kube';
import type { ClaimPatch } from './claim-patch.ts';

export const LAUNCH_TIMEOUT_MS = 5 * 60_000;
export const REGISTRATION_TIMEOUT_MS = 15 * 60_000;

export interface Verdict {
  /** Set: the claim must be deleted. */
  readonly timedOut?: 'launch_timeout' | 'registration_timeout';
  readonly result: Result;
}

export class Liveness {
  readonly #clock: Clock;
  /** The rate limits of earlier processes are not known: one of them may have delayed a claim. */
  readonly #startedMs: number;
  /** By UID: until when a rate limit delayed the launch; in this order. */
  readonly #rateLimitedUntil = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedMs = clock.now();
  }

  /** The delay of our own rate limit does not count: a new claim would be delayed as well. */
  rateLimited(claimUid: string): void {
    const nowMs = this.#clock.now();
    this.#rateLimitedUntil.delete(claimUid);
    this.#rateLimitedUntil.set(claimUid, nowMs);
    for (const [uid, untilMs] of this.#rateLimitedUntil) {
      if (nowMs - untilMs <= LAUNCH_TIMEOUT_MS) return;
      this.#rateLimitedUntil.delete(uid);
    }
  }

  judge({ conditions, claim }: ClaimPatch): Verdict {
    if (conditions.isTrue('Registered')) return { result: {} };
    const launched = conditions.isTrue('Launched');
    const [limitMs, timedOut] = launched
      ? ([REGISTRATION_TIMEOUT_MS, 'registration_timeout'] as const)
      : ([LAUNCH_TIMEOUT_MS, 'launch_timeout'] as const);
    const launchedMs = timeOf(conditions.get('Launched'));
    // `Registered` is as old as the claim, but no node can register before the launch.
    const fromMs = launched
      ? Math.max(timeOf(conditions.get('Registered')), launchedMs)
      : Math.max(launchedMs, this.#rateLimitedUntil.get(claim.metadata.uid) ?? this.#startedMs);
    // A start time in the future must not delay the timeout forever.
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
