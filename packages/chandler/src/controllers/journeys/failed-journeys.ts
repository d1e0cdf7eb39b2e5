/**
 * Keeps what is known of claims that came to nothing in one ConfigMap, so that `why nodeclaim/x` still answers when the
 * claim is gone. Many that fail together are one write. What is kept and how much of it, `diagnose/kept-journeys.ts`
 * decides.
 */
import type { KubeObject } from '@chandler/kube';
import { CONFIG_MAPS, Controller, isApiError, itemBackoff, type Result, storeSource } from '@chandler/kube';
import { failedAtMs, KEPT_JOURNEYS_NAME, keptPatch, keptText } from '../../diagnose/index.ts';
import { type ControllerContext, type ReconcileScope, scopeOf } from '../context.ts';
import type { Claim } from '../lifecycle/claim-patch.ts';

/** All of them together. */
const EVERYBODY = '*';

export function failedJourneys(context: ControllerContext): Controller {
  const keeper = new JourneyKeeper();
  return new Controller({
    name: 'nodeclaim.failedjourneys',
    world: context.world,
    concurrency: 1,
    limiter: itemBackoff({ baseMs: 1_000, maxMs: 60_000 }),
    sources: [
      storeSource(context.stores.claims, {
        // A claim may be gone before its turn comes: what is kept is taken from the change itself.
        filter: ({ object }) => keeper.note(object as Claim),
        keys: () => [EVERYBODY],
      }),
    ],
    reconcile: (_, run) => keeper.write(scopeOf(context, run)),
  });
}

export class JourneyKeeper {
  /** By name of the claim, until they are written. */
  readonly #waiting = new Map<string, string>();

  /** Whether there is something to write now. */
  note(claim: Claim): boolean {
    const atMs = failedAtMs(claim);
    if (atMs === undefined) return false;
    this.#waiting.set(claim.metadata.name ?? '', keptText(claim, atMs));
    return true;
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
    // Somebody was faster: the next attempt adds to it.
    if (!isApiError(error, 'alreadyExists')) throw error;
    throw new Error(`${KEPT_JOURNEYS_NAME} appeared meanwhile`, { cause: error });
  }
}

function dataOf(object: KubeObject | undefined): Readonly<Record<string, string>> {
  return (object?.['data'] ?? {}) as Readonly<Record<string, string>>;
}
