/**
 * Garbage collection of orphaned network interfaces and disks: those that a launch created and that belong to no
 * NodeClaim. The garbage collection of the core deletes orphaned VMs.
 */
import {
  type Controller,
  isProgramError,
  itemBackoff,
  type Log,
  type Result,
  singleton,
} from '@chandler/kube';
import type { CloudControllerContext } from '../../index.ts';
import type { GarbageCollector } from '../vm/garbage-collection.ts';
import type { ClaimRef, Orphan } from '../vm/orphans.ts';
import { CLAIMS, type Claim } from './claims.ts';

const PERIOD_MS = 5 * 60_000;

export function leftovers(context: CloudControllerContext, garbage: GarbageCollector): Controller {
  const pass = new LeftoversPass(context, garbage);
  return singleton({
    name: 'networkinterface.garbagecollection',
    world: context.world,
    everyMs: PERIOD_MS,
    limiter: itemBackoff({ baseMs: 5_000, maxMs: PERIOD_MS }),
    run: ({ signal, log }) => pass.run(signal, log),
  });
}

export class LeftoversPass {
  readonly #context: CloudControllerContext;
  readonly #garbage: GarbageCollector;
  /** Orphans that are not deleted yet, by ID. */
  readonly #deleting = new Map<string, Orphan>();
  #dueAtMs = Number.NEGATIVE_INFINITY;

  constructor(context: CloudControllerContext, garbage: GarbageCollector) {
    this.#context = context;
    this.#garbage = garbage;
  }

  async run(signal: AbortSignal, log: Log = this.#context.world.log): Promise<Result> {
    const { clock } = this.#context.world;
    if (clock.monotonic() >= this.#dueAtMs) {
      await this.#collect(signal);
      this.#dueAtMs = clock.monotonic() + PERIOD_MS;
    }
    let waitMs = this.#dueAtMs - clock.monotonic();
    const bugs: unknown[] = [];
    for (const orphan of this.#deleting.values())
      waitMs = Math.min(waitMs, await this.#step(orphan, signal, log, bugs));
    // Thrown after the other orphans were handled.
    if (bugs.length > 0) throw bugs[0];
    return { requeueAfterMs: Math.max(1_000, waitMs) };
  }

  /**
   * Orphans are checked against the NodeClaims of the API server, because the cache may be stale. What only the second
   * look shows may be younger than that list, and so may its NodeClaim.
   */
  async #collect(signal: AbortSignal): Promise<void> {
    const { stores, client } = this.#context;
    this.#deleting.clear();
    const known = [...stores.claims.store.values()];
    const suspects = partsOnly(await this.#garbage.find(known.map(referenceOf), signal));
    if (suspects.length === 0) return;
    const { items } = await client.withSignal(signal).listAll(CLAIMS);
    const all = [...known, ...items].map(referenceOf);
    const before = new Set(suspects.map(identityOf));
    for (const orphan of partsOnly(await this.#garbage.find(all, signal)))
      if (before.has(identityOf(orphan))) this.#deleting.set(orphan.id, orphan);
  }

  /** The time until the next check. An orphan that cannot be deleted does not delay the others. */
  async #step(orphan: Orphan, signal: AbortSignal, log: Log, bugs: unknown[]): Promise<number> {
    try {
      const step = await this.#garbage.remove(orphan, signal);
      if (step.state === 'deleting') return step.retryAfterMs;
    } catch (error) {
      signal.throwIfAborted();
      if (isProgramError(error)) bugs.push(error);
      log.warn('orphaned resource could not be deleted', {
        part: orphan.part,
        name: orphan.name,
        error: String(error),
      });
    }
    this.#deleting.delete(orphan.id);
    return Number.POSITIVE_INFINITY;
  }
}

// ---------------------------------------------------------------------------------------------------

function partsOnly(orphans: readonly Orphan[]): readonly Orphan[] {
  return orphans.filter(({ part }) => part !== 'vm');
}

/** A resource that was created anew has the ID of the earlier one, and another NodeClaim. */
function identityOf({ id, claimUid }: Orphan): string {
  return `${id.toLowerCase()} ${claimUid ?? ''}`;
}

function referenceOf({ metadata, status }: Claim): ClaimRef {
  return {
    name: metadata.name,
    uid: metadata.uid,
    ...(status?.providerID ? { providerID: status.providerID } : {}),
  };
}
