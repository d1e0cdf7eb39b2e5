/**
 * Protects against runaway launches: a maximum of new claims in a minute, and no new claim while too many recent ones
 * fail. Off by default. It also words why a claim is held; `provisioning-reporter.ts`
 * publishes it.
 */
import type { Stored } from '@chandler/kube';
import type { NodeClaim } from '../../api/index.ts';
import { conditionOf, failedToBootstrap } from '../../state/index.ts';

import type { ControllerContext } from '../context.ts';

const MINUTE_MS = 60_000;
/**
 * An instance that has not registered by then most likely will not: nodes register within two to four minutes, and the
 * liveness timeout of fifteen minutes is too long for a guard. It equals the launch timeout.
 */
const JOINS_WITHIN_MS = 5 * MINUTE_MS;

/** A claim to be created. */
export interface ForPool {
  readonly nodePool: string;
}

/** Why claims are held. */
export type LaunchHold =
  | { readonly code: 'LaunchesStopped'; readonly failing: number; readonly atMost: number }
  | {
      readonly code: 'LaunchesLimited';
      readonly waiting: number;
      readonly planned: number;
      readonly atMost: number;
    };

export interface Judged<T extends ForPool> {
  readonly allowed: readonly T[];
  readonly held: readonly T[];
  /** Set when some are held. */
  readonly why?: LaunchHold;
}

export class LaunchGuard {
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  /** Which of the claims may be created now; these count at once. */
  judge<T extends ForPool>(claims: readonly T[]): Judged<T> {
    const { maxFailingLaunches, maxLaunchesPerMinute } = this.#context.settings;
    if (claims.length === 0) return { allowed: claims, held: [] };
    const failing = maxFailingLaunches > 0 ? this.#failing() : 0;
    if (maxFailingLaunches > 0 && failing >= maxFailingLaunches)
      return {
        allowed: [],
        held: claims,
        why: { code: 'LaunchesStopped', failing, atMost: maxFailingLaunches },
      };
    const stored = maxLaunchesPerMinute > 0 ? this.#createdLately() : 0;
    const allowedCount = this.#context.launches.take(claims.length, maxLaunchesPerMinute, stored);
    if (allowedCount >= claims.length) return { allowed: claims, held: [] };
    const held = claims.slice(allowedCount);
    return {
      allowed: claims.slice(0, allowedCount),
      held,
      why: {
        code: 'LaunchesLimited',
        waiting: held.length,
        planned: claims.length,
        atMost: maxLaunchesPerMinute,
      },
    };
  }

  /**
   * For claims that are of use only together: all of them, or as many as a minute allows. The others of so many are judged
   * when they are created.
   */
  judgeTogether<T extends ForPool>(claims: readonly T[]): Judged<T> {
    const { maxLaunchesPerMinute } = this.#context.settings;
    const judged = this.judge(claims);
    const { allowed, why } = judged;
    const wanted = maxLaunchesPerMinute > 0 ? Math.min(claims.length, maxLaunchesPerMinute) : claims.length;
    if (allowed.length >= wanted || why === undefined) return judged;
    this.notTried(allowed.length);
    const hold = why.code === 'LaunchesLimited' ? { ...why, waiting: claims.length } : why;
    return { allowed: [], held: claims, why: hold };
  }

  /** Those of the claims that may be created now; each pool that must wait is reported. */
  allow<T extends ForPool>(
    claims: readonly T[],
    report: (pool: string, reason: string, message: string) => void,
  ): readonly T[] {
    const { allowed, held, why } = this.judge(claims);
    if (why !== undefined) for (const pool of poolsOf(held)) report(pool, why.code, holdText(why));
    return allowed;
  }

  /** Refunds allowed claims that were not attempted. Attempted claims count, whatever the result. */
  notTried(count: number): void {
    this.#context.launches.refund(count);
  }

  /** Claims that are deleted at once do not count here: backoff and unavailable offerings limit those. */
  #failing(): number {
    return this.#ours().filter((claim) => this.#fails(claim)).length;
  }

  #fails(claim: Stored<NodeClaim>): boolean {
    if (claim.metadata.deletionTimestamp !== undefined) return false;
    if (failedToBootstrap(claim)) return true;
    const launched = conditionOf(claim, 'Launched');
    if (launched === undefined) return false;
    if (launched.status !== 'True') return launched.reason !== 'AwaitingReconciliation';
    if (conditionOf(claim, 'Registered')?.status === 'True') return false;
    return this.#context.world.clock.now() - Date.parse(launched.lastTransitionTime ?? '') > JOINS_WITHIN_MS;
  }

  #createdLately(): number {
    const now = this.#context.world.clock.now();
    // The server's clock may be slightly ahead; a creation time far ahead is ignored.
    return this.#ours().filter(
      ({ metadata }) => Math.abs(now - Date.parse(metadata.creationTimestamp ?? '')) < MINUTE_MS,
    ).length;
  }

  /** Claims of another cloud belong to another controller. */
  #ours(): Stored<NodeClaim>[] {
    const { stores } = this.#context;
    return [...stores.claims.store.values()].filter(({ spec }) => stores.runs(spec.nodeClassRef));
  }
}

/** For the pool, with counts. */
export function holdText(hold: LaunchHold): string {
  return hold.code === 'LaunchesStopped'
    ? `${hold.failing} NodeClaims fail to launch or to register, the maximum is ${hold.atMost}; no NodeClaim is created until some of them succeed or are deleted`
    : `${hold.waiting} of ${hold.planned} planned NodeClaims wait: at most ${hold.atMost} are created in a minute`;
}

/** For a pod, without counts and times: the same state gives the same text. */
export function heldPodText(nodePool: string, hold: LaunchHold): string {
  const why =
    hold.code === 'LaunchesStopped'
      ? `too many launches fail, at most ${hold.atMost} may (max-failing-launches)`
      : `no more launches in this minute, at most ${hold.atMost} may begin (max-launches-per-minute)`;
  return `nodepool ${JSON.stringify(nodePool)}, it would take the pod, but its claim is held up: ${why}`;
}

export function poolsOf(claims: readonly ForPool[]): readonly string[] {
  return [...new Set(claims.map(({ nodePool }) => nodePool))];
}
