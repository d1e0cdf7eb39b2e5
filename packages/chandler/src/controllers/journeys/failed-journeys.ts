/**
 * Keeps the journeys of failed claims in one ConfigMap, so that `why nodeclaim/x` can answer after the claim is
 * deleted. Claims that fail together are written together. `diagnose/kept-journeys.ts` decides what is kept.
 */
import type { KubeObject } from '@chandler/kube';
import { CONFIG_MAPS, Controller, isApiError, itemBackoff, type Result, storeSource } from '@chandler/kube';
import { failedAtMs, KEPT_JOURNEYS_NAME, keptPatch, keptText, MAX_KEPT } from '../../diagnose/index.ts';
import { type ControllerContext, type ReconcileScope, scopeOf } from '../context.ts';
import type { Claim } from '../lifecycle/claim-patch.ts';

/** The key of all failed claims together. */
const ALL_JOURNEYS = '*';

export function failedJourneys(context: ControllerContext): Controller {
  const keeper = new JourneyKeeper();
  return new Controller({
    name: 'nodeclaim.failedjourneys',
    world: context.world,
    concurrency: 1,
    limiter: itemBackoff({ baseMs: 1_000, maxMs: 60_000 }),
    sources: [
      storeSource(context.stores.claims, {
        // The claim may be deleted before the reconcile, so its journey is taken from the change.
        filter: ({ object }) => keeper.note(object as Claim),
        keys: () => [ALL_JOURNEYS],
      }),
    ],
    reconcile: (_, run) => keeper.write(scopeOf(context, run)),
  });
}

export class JourneyKeeper {
  /** Journeys by name of the claim, until they are written. */
  readonly #waiting = new Map<string, string>();

  /** Returns whether the claim has a journey to write. */
  note(claim: Claim): boolean {
    const atMs = failedAtMs(claim);
    if (atMs === undefined) return false;
    this.#waiting.delete(claim.metadata.name);
    this.#waiting.set(claim.metadata.name, keptText(claim, atMs));
    // More are not kept in the ConfigMap either.
    const [oldest] = this.#waiting.size > MAX_KEPT ? this.#waiting.keys() : [];
    if (oldest !== undefined) this.#waiting.delete(oldest);
    return true;
  }

  /** The number of journeys that are not written yet. */
  get waiting(): number {
    return this.#waiting.size;
  }

  async write(scope: ReconcileScope): Promise<Result> {
    if (this.#waiting.size === 0) return {};
    const { client, settings } = scope;
    const key = { namespace: settings.namespace, name: KEPT_JOURNEYS_NAME };
    const taken = new Map(this.#waiting);
    const found = await client.find(CONFIG_MAPS, key);
    const patch = keptPatch(dataOf(found), taken);
    if (patch !== undefined && found === undefined) await create(scope, patch);
    else if (patch !== undefined) {
      const metadata = { resourceVersion: found?.metadata.resourceVersion };
      await client.patch(CONFIG_MAPS, key, { type: 'merge', patch: { metadata, data: patch } });
    }
    for (const [name, text] of taken) if (this.#waiting.get(name) === text) this.#waiting.delete(name);
    return {};
  }
}

// ---------------------------------------------------------------------------------------------------

async function create(
  { client, settings }: ReconcileScope,
  data: Readonly<Record<string, string | null>>,
): Promise<void> {
  try {
    await client.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: KEPT_JOURNEYS_NAME, namespace: settings.namespace },
      data,
    } as KubeObject);
  } catch (error) {
    // Another writer created it: the next attempt adds to it.
    if (!isApiError(error, 'alreadyExists')) throw error;
    throw new Error(`${KEPT_JOURNEYS_NAME} was created in the meantime`, { cause: error });
  }
}

function dataOf(object: KubeObject | undefined): Readonly<Record<string, string>> {
  return (object?.['data'] ?? {}) as Readonly<Record<string, string>>;
}
