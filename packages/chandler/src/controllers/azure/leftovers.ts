/**
 * Network interfaces and disks that a launch left behind and no claim asks for any more. Machines are the business of the
 * core's garbage collection; here is what a list of machines cannot show.
 */
import { type Controller, itemBackoff, type Result, singleton } from '@chandler/kube';
import type { ClaimRef, GarbageCollector, Orphan } from '../../cloud/azure/index.ts';
import type { ControllerContext } from '../context.ts';
import { CLAIMS, type Claim } from '../lifecycle/draft.ts';

const PERIOD_MS = 5 * 60_000;

export function leftovers(context: ControllerContext, garbage: GarbageCollector): Controller {
  const pass = new LeftoversPass(context, garbage);
  return singleton({
    name: 'networkinterface.garbagecollection',
    world: context.world,
    everyMs: PERIOD_MS,
    limiter: itemBackoff({ baseMs: 5_000, maxMs: PERIOD_MS }),
    run: () => pass.run(),
  });
}

export class LeftoversPass {
  readonly #context: ControllerContext;
  readonly #garbage: GarbageCollector;
  /** Found, and not seen to be gone. By id. */
  readonly #going = new Map<string, Orphan>();
  #lookAtMs = Number.NEGATIVE_INFINITY;

  constructor(context: ControllerContext, garbage: GarbageCollector) {
    this.#context = context;
    this.#garbage = garbage;
  }

  async run(): Promise<Result> {
    const { clock } = this.#context.world;
    if (clock.monotonic() >= this.#lookAtMs) {
      await this.#look();
      this.#lookAtMs = clock.monotonic() + PERIOD_MS;
    }
    let waitMs = this.#lookAtMs - clock.monotonic();
    for (const orphan of this.#going.values()) waitMs = Math.min(waitMs, await this.#step(orphan));
    return { requeueAfterMs: Math.max(1_000, waitMs) };
  }

  /** What looks like nobody's is held against the claims as the server has them now: ours may be behind. */
  async #look(): Promise<void> {
    const { stores, client } = this.#context;
    this.#going.clear();
    const known = [...stores.claims.store.values()];
    const suspects = partsOnly(await this.#garbage.find(known.map(referenceOf)));
    if (suspects.length === 0) return;
    const { items } = await client.listAll(CLAIMS);
    const all = [...known, ...items].map(referenceOf);
    for (const orphan of partsOnly(await this.#garbage.find(all))) this.#going.set(orphan.id, orphan);
  }

  /** How long until it should be looked at again. One that cannot be removed does not hold up the others. */
  async #step(orphan: Orphan): Promise<number> {
    try {
      const step = await this.#garbage.remove(orphan);
      if (step.state === 'deleting') return step.retryAfterMs;
    } catch (error) {
      this.#context.world.log.warn('a leftover of a launch could not be removed', {
        part: orphan.part,
        name: orphan.name,
        error: String(error),
      });
    }
    this.#going.delete(orphan.id);
    return Number.POSITIVE_INFINITY;
  }
}

// ---------------------------------------------------------------------------------------------------

function partsOnly(orphans: readonly Orphan[]): readonly Orphan[] {
  return orphans.filter(({ part }) => part !== 'vm');
}

function referenceOf({ metadata, status }: Claim): ClaimRef {
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    ...(status?.providerID ? { providerID: status.providerID } : {}),
  };
}
