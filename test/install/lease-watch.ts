/** Who led, from when to when: the leader election lease, read again and again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type KubeClient, LEASES } from '@chandler/kube';
import { inFlight } from './claims.ts';
import { NAMESPACE } from './cluster.ts';

export const LEASE = 'karpenter-leader-election';
const INTERVAL_MS = 50;
/** How long a lease is valid that nobody renews. A leader that ends in order releases it, and the next one does not wait for that. */
export const LEASE_MS = 15_000;

/** One holder, or nobody (the empty text), until the next. */
export interface Term {
  readonly holder: string;
  readonly fromMs: number;
  /** When it was last seen to renew the lease. */
  renewedMs: number;
  /** NodeClaims at that moment without a node. */
  readonly inFlight: number;
}

export class LeaseWatch {
  readonly terms: Term[] = [];
  readonly #admin: KubeClient;
  readonly #ended: Promise<void>;
  #stopped = false;
  #renewTime: string | undefined;

  constructor(admin: KubeClient) {
    this.#admin = admin;
    this.#ended = this.#watch();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#ended;
  }

  /** Who led, the longest time without a leader between two of them, and how many launches were in flight at each change. */
  summary(): {
    readonly leaders: readonly string[];
    readonly longestWithoutMs: number;
    readonly inFlight: readonly number[];
  } {
    // A leader that does not release the lease is followed by the next when it has expired.
    const gaps = this.terms.slice(0, -1).map(({ holder, fromMs, renewedMs }, index) => {
      const next = this.terms[index + 1]!;
      if (holder === '') return next.fromMs - fromMs;
      return next.holder === '' ? 0 : next.fromMs - renewedMs;
    });
    return {
      leaders: this.terms.map(({ holder }) => holder).filter((holder) => holder !== ''),
      longestWithoutMs: Math.round(Math.max(0, ...gaps)),
      inFlight: this.terms.slice(1).map((term) => term.inFlight),
    };
  }

  async #watch(): Promise<void> {
    while (!this.#stopped) {
      // While the API server does not answer, nothing is known.
      const lease = await leaseOf(this.#admin).catch(() => undefined);
      if (lease !== undefined) await this.#note(lease);
      await sleep(INTERVAL_MS);
    }
  }

  async #note({ holder, renewTime }: HeldLease): Promise<void> {
    const nowMs = performance.now();
    const last = this.terms.at(-1);
    if (holder !== last?.holder)
      this.terms.push({ holder, fromMs: nowMs, renewedMs: nowMs, inFlight: await inFlight(this.#admin) });
    else if (renewTime !== this.#renewTime) last.renewedMs = nowMs;
    this.#renewTime = renewTime;
  }
}

interface HeldLease {
  /** The pod; empty: none. */
  readonly holder: string;
  readonly renewTime: string | undefined;
}

/** The pod that holds the lease; empty: none. */
export async function leaderOf(admin: KubeClient): Promise<string> {
  return (await leaseOf(admin)).holder;
}

async function leaseOf(admin: KubeClient): Promise<HeldLease> {
  const lease = await admin.find(LEASES, { name: LEASE, namespace: NAMESPACE });
  const { holderIdentity = '', renewTime } = (lease?.['spec'] ?? {}) as {
    readonly holderIdentity?: string;
    readonly renewTime?: string;
  };
  return { holder: /^chandler_(.+)_[^_]+$/.exec(holderIdentity)?.[1] ?? holderIdentity, renewTime };
}
