/**
 * Keeps a mistake from buying a fleet: at most so many new claims in a minute, and none while too many of the last
 * ones fail. Off unless asked for. What it holds up is data here; `provisioning-reporter.ts` and whoever else asks make text of it.
 */
import type { Stored } from '@chandler/kube';
import type { NodeClaim } from '../../api/index.ts';
import { conditionOf, failedToBootstrap } from '../../state/index.ts';

import type { ControllerContext } from '../context.ts';

const MINUTE_MS = 60_000;
/**
 * A machine that has not joined by then most likely will not: nodes join within two to four minutes, and liveness gives
 * up only after fifteen, in which a mistake would buy on. It is as long as a launch itself may take.
 */
const JOINS_WITHIN_MS = 5 * MINUTE_MS;

/** A claim to be made. */
export interface ForPool {
  readonly nodePool: string;
}

/** Why claims wait. */
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
  /** Set where some are held. */
  readonly why?: LaunchHold;
}

export class LaunchGuard {
  readonly #context: ControllerContext;

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  /** Which of the claims may be created now; those count from here on. */
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
    const room = this.#context.launches.take(claims.length, maxLaunchesPerMinute, stored);
    if (room >= claims.length) return { allowed: claims, held: [] };
    const held = claims.slice(room);
    return {
      allowed: claims.slice(0, room),
      held,
      why: {
        code: 'LaunchesLimited',
        waiting: held.length,
        planned: claims.length,
        atMost: maxLaunchesPerMinute,
      },
    };
  }

  /** Those of the claims that may be created now; each pool that has to wait is told of. */
  allow<T extends ForPool>(
    claims: readonly T[],
    tell: (pool: string, reason: string, message: string) => void,
  ): readonly T[] {
    const { allowed, held, why } = this.judge(claims);
    if (why !== undefined) for (const pool of poolsOf(held)) tell(pool, why.code, holdText(why));
    return allowed;
  }

  /** Of those that were allowed, some were not even tried. What was tried counts, whatever became of it. */
  notTried(count: number): void {
    this.#context.launches.refund(count);
  }

  /** Claims that are given up at once are gone: back-off and what is known to be sold out bound those. */
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
    // A server whose clock is a little ahead is believed, one that is far ahead is not.
    return this.#ours().filter(
      ({ metadata }) => Math.abs(now - Date.parse(metadata.creationTimestamp ?? '')) < MINUTE_MS,
    ).length;
  }

  /** Claims of another cloud are another controller's business. */
  #ours(): Stored<NodeClaim>[] {
    const { stores } = this.#context;
    return [...stores.claims.store.values()].filter(({ spec }) => stores.runs(spec.nodeClassRef));
  }
}

/** For the pool: with figures. */
export function holdText(hold: LaunchHold): string {
  return hold.code === 'LaunchesStopped'
    ? `${hold.failing} claims fail to launch or to join, at most ${hold.atMost} may; no new claim is created until some succeed or are gone`
    : `${hold.waiting} of ${hold.planned} planned claims wait: at most ${hold.atMost} may be created in a minute`;
}

/** For a pod: without counts and times, so that the same state is the same text. */
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
