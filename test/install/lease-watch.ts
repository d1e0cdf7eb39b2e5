/** Who led, from when to when: the leader election lease, read again and again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type KubeClient, LEASES } from '@chandler/kube';
import { inFlight } from './claims.ts';
import { NAMESPACE } from './cluster.ts';

export const LEASE = 'karpenter-leader-election';
const INTERVAL_MS = 50;

/** One holder, or nobody (the empty text), until the next. */
export interface Term {
  readonly holder: string;
  readonly fromMs: number;
  /** NodeClaims at that moment without a node. */
  readonly inFlight: number;
}

export class LeaseWatch {
  readonly terms: Term[] = [];
  readonly #admin: KubeClient;
  readonly #ended: Promise<void>;
  #stopped = false;

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
    const gaps = this.terms
      .slice(0, -1)
      .flatMap(({ holder, fromMs }, index) =>
        holder === '' ? [this.terms[index + 1]!.fromMs - fromMs] : [],
      );
    return {
      leaders: this.terms.map(({ holder }) => holder).filter((holder) => holder !== ''),
      longestWithoutMs: Math.round(Math.max(0, ...gaps)),
      inFlight: this.terms.slice(1).map((term) => term.inFlight),
    };
  }

  async #watch(): Promise<void> {
    while (!this.#stopped) {
      const holder = await leaderOf(this.#admin).catch(() => this.terms.at(-1)?.holder ?? '');
      if (holder !== this.terms.at(-1)?.holder)
        this.terms.push({ holder, fromMs: performance.now(), inFlight: await inFlight(this.#admin) });
      await sleep(INTERVAL_MS);
    }
  }
}

/** The pod that holds the lease; empty: none. */
export async function leaderOf(admin: KubeClient): Promise<string> {
  const lease = await admin.find(LEASES, { name: LEASE, namespace: NAMESPACE });
  const { holderIdentity = '' } = (lease?.['spec'] ?? {}) as { holderIdentity?: string };
  return /^chandler_(.+)_[^_]+$/.exec(holderIdentity)?.[1] ?? holderIdentity;
}
