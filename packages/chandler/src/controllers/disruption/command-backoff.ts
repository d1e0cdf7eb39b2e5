/**
 * Holds back commands that launch nodes in a NodePool in which such commands failed: for a minute, and twice as long after
 * each further failure. Otherwise a pool whose replacements fail would be tried for ever, and others would have to wait.
 */
import type { Clock } from '@chandler/kube';
import type { Command } from '../../disruption/index.ts';
import type { Stores } from '../../state/index.ts';
import type { CommandRecord } from './command-record.ts';

const FIRST_MS = 60_000;
const MAX_MS = 60 * 60_000;

interface Failures {
  readonly count: number;
  /** When the last one was counted (monotonic). */
  readonly atMs: number;
  /** Monotonic. */
  readonly untilMs: number;
  /** A changed pool is tried again at once. */
  readonly generation: string;
}

export class CommandBackoff {
  readonly #stores: Stores;
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #failures = new Map<string, Failures>();

  constructor(stores: Stores, clock: Pick<Clock, 'now' | 'monotonic'>) {
    this.#stores = stores;
    this.#clock = clock;
  }

  /** A replacement failed. Commands that began before the last counted failure belong to the same incident. */
  failed(record: CommandRecord): void {
    const atMs = this.#clock.monotonic();
    const startedMs = atMs - (this.#clock.now() - record.startedAtMs);
    for (const nodePool of poolsOf(record)) {
      const generation = this.#generation(nodePool);
      const known = this.#failures.get(nodePool);
      const same = known?.generation === generation ? known : undefined;
      if (same !== undefined && startedMs <= same.atMs) continue;
      const count = (same?.count ?? 0) + 1;
      const forMs = Math.min(MAX_MS, FIRST_MS * 2 ** (count - 1));
      this.#failures.set(nodePool, { count, generation, atMs, untilMs: atMs + forMs });
    }
  }

  succeeded(record: CommandRecord): void {
    for (const nodePool of poolsOf(record)) this.#failures.delete(nodePool);
  }

  /** The first pool that holds the command, and for how long. */
  holding({ replacements }: Command): { readonly nodePool: string; readonly forMs: number } | undefined {
    for (const { nodePool } of replacements) {
      const known = this.#failures.get(nodePool);
      if (known === undefined || known.generation !== this.#generation(nodePool)) continue;
      const forMs = known.untilMs - this.#clock.monotonic();
      if (forMs > 0) return { nodePool, forMs };
    }
    return undefined;
  }

  /** By pool, for the plan: its drifted nodes wait. */
  pools(nowMs: number): ReadonlyMap<string, { readonly untilMs: number; readonly failures: number }> {
    const held = new Map<string, { readonly untilMs: number; readonly failures: number }>();
    for (const [nodePool, { count, untilMs, generation }] of this.#failures) {
      const forMs = untilMs - this.#clock.monotonic();
      if (forMs > 0 && generation === this.#generation(nodePool))
        held.set(nodePool, { untilMs: nowMs + forMs, failures: count });
    }
    return held;
  }

  #generation(name: string): string {
    const pool = this.#stores.pools.store.get({ name });
    return `${pool?.metadata.uid}/${pool?.metadata.generation}`;
  }
}

// ---------------------------------------------------------------------------------------------------

function poolsOf({ replacements }: CommandRecord): ReadonlySet<string> {
  return new Set(replacements.flatMap(({ metadata }) => metadata.labels?.['karpenter.sh/nodepool'] ?? []));
}
