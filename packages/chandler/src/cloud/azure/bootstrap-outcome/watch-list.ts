/**
 * Decides when each VM is read: after an initial delay, then at growing intervals, those with the longest wait first.
 * Keeps the results while they are requested. It makes no calls itself.
 */
import type { Clock, Stored } from '@chandler/kube';
import type { NodeClaim } from '../../../api/index.ts';
import type { BootstrapOutcome } from '../../index.ts';

import { vmNameOf, vmOfProviderId } from '../vm/names.ts';

export interface Watched {
  readonly uid: string;
  readonly vmName: string;
  claim: Stored<NodeClaim>;
  /** On the monotonic clock. */
  nextMs: number;
  reads: number;
  outcome?: BootstrapOutcome;
}

/** The intervals between two reads; the last one repeats. A cause should be on its NodeClaim half a minute after Azure knows it. */
export const PAUSES_MS: readonly number[] = [5_000, 5_000, 10_000, 10_000, 15_000, 20_000];

export class WatchList {
  readonly #clock: Clock;
  /** The time from the launch to the first read of a VM. */
  readonly #firstReadMs: number;
  readonly #watched = new Map<string, Watched>();

  constructor(clock: Clock, firstReadMs: number) {
    this.#clock = clock;
    this.#firstReadMs = firstReadMs;
  }

  get size(): number {
    return this.#watched.size;
  }

  values(): Iterable<Watched> {
    return this.#watched.values();
  }

  /** These and no others; gives back those that were dropped. */
  follow(claims: readonly Stored<NodeClaim>[]): readonly Watched[] {
    const asked = new Set<string>();
    for (const claim of claims) {
      const { uid, name } = claim.metadata;
      const vmName = vmOfProviderId(claim.status?.providerID ?? '')?.name ?? vmNameOf(name);
      const known = this.#watched.get(uid);
      asked.add(uid);
      if (known !== undefined) known.claim = claim;
      else this.#watched.set(uid, { uid, vmName, claim, nextMs: this.#firstReadAt(claim), reads: 0 });
    }
    const dropped = [...this.#watched.values()].filter(({ uid }) => !asked.has(uid));
    for (const { uid } of dropped) this.#watched.delete(uid);
    return dropped;
  }

  due(): readonly Watched[] {
    const nowMs = this.#clock.monotonic();
    return [...this.#watched.values()]
      .filter(({ nextMs, outcome }) => outcome === undefined && nextMs <= nowMs)
      .sort((one, other) => one.nextMs - other.nextMs || (one.vmName < other.vmName ? -1 : 1));
  }

  markRead(watched: Watched): void {
    const pauseMs = PAUSES_MS[Math.min(watched.reads, PAUSES_MS.length - 1)]!;
    watched.reads += 1;
    watched.nextMs = this.#clock.monotonic() + pauseMs;
  }

  outcomes(): ReadonlyMap<string, BootstrapOutcome> {
    return new Map(
      [...this.#watched.values()].flatMap(({ uid, outcome }) =>
        outcome === undefined ? [] : [[uid, outcome]],
      ),
    );
  }

  #firstReadAt({ status }: Stored<NodeClaim>): number {
    const launched = status?.conditions?.find(({ type }) => type === 'Launched')?.lastTransitionTime;
    const ageMs = this.#clock.now() - Date.parse(launched ?? '');
    // A time in the future is a clock that is wrong.
    const waitMs = Number.isNaN(ageMs) ? 0 : Math.min(this.#firstReadMs, this.#firstReadMs - ageMs);
    return this.#clock.monotonic() + Math.max(0, waitMs);
  }
}
