/**
 * Deletes claims whose instance is gone, and terminates instances without a claim, or beside the one that their claim
 * names. A list may lag behind or lack instances that we may not read, so: young instances are ignored, a claim whose node
 * is Ready is kept, the instance is read by its id before its claim is deleted, and the claims are read from the server
 * before an instance is terminated. A failure on one object does not stop the others.
 */
import {
  type Controller,
  isApiError,
  isProgramError,
  itemBackoff,
  keyOfObject,
  singleton,
} from '@chandler/kube';
import { KarpenterLabel } from '../../api/index.ts';
import { type Instance, isCloudError } from '../../cloud/index.ts';
import { BY_PROVIDER_ID, conditionOf } from '../../state/index.ts';

import { type ControllerContext, type ReconcileScope, scopeOf } from '../context.ts';
import { CLAIMS, type Claim } from '../lifecycle/claim-patch.ts';
import { deleteNode } from '../nodes/delete-node.ts';
import { disruptedCounter } from './disrupted.ts';

const PERIOD_MS = 2 * 60_000;
/** Younger instances may not be listed yet, or their claim may not be written yet. */
export const ORPHAN_AGE_MS = 5 * 60_000;

export function garbageCollection(context: ControllerContext): Controller {
  const { world } = context;
  const pass = new GarbagePass(context);
  return singleton({
    name: 'nodeclaim.garbagecollection',
    world,
    everyMs: PERIOD_MS,
    limiter: itemBackoff({ baseMs: 5_000, maxMs: PERIOD_MS }),
    run: (run) => pass.run(scopeOf(context, run)),
  });
}

export class GarbagePass {
  readonly #context: ControllerContext;
  readonly #disrupted: (claim: Claim, reason: string) => void;
  /** When an instance was first seen without a claim, or a claim without an instance (monotonic). */
  readonly #suspects = new Map<string, number>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#disrupted = disruptedCounter(context);
  }

  async run(scope: ReconcileScope): Promise<void> {
    const { cloud, stores, signal } = scope;
    const instances = await cloud.list(signal);
    const present = new Set(instances.filter(({ deleting }) => !deleting).map(idOf));
    const claims = [...stores.claims.store.values()];
    const seen = new Set<string>();
    const bugs: unknown[] = [];
    for (const claim of claims) {
      if (this.#lacksInstance(claim, present) && this.#isOld(`claim/${claim.metadata.uid}`, 0, seen))
        await logFailure(
          scope,
          bugs,
          'failed to delete nodeclaim without an instance',
          claim.metadata.name,
          () => this.#deleteClaim(scope, claim),
        );
    }
    const listed = new Set(instances.map(idOf));
    const orphans = withoutClaim(instances, claims, listed).filter(({ providerID, createdAtMs = 0 }) =>
      this.#isOld(`instance/${providerID}`, createdAtMs, seen),
    );
    for (const key of this.#suspects.keys()) if (!seen.has(key)) this.#suspects.delete(key);
    if (orphans.length > 0) await terminateOrphans(scope, { orphans, listed, bugs });
    // Thrown after the other objects were handled.
    if (bugs.length > 0) throw bugs[0];
  }

  #lacksInstance(claim: Claim, present: ReadonlySet<string>): boolean {
    // Instances of another provider are not in our list.
    if (!this.#context.stores.runs(claim.spec.nodeClassRef)) return false;
    const providerID = claim.status?.providerID ?? '';
    if (
      providerID === '' ||
      present.has(idOf({ providerID })) ||
      claim.metadata.deletionTimestamp !== undefined
    )
      return false;
    if (conditionOf(claim, 'Registered')?.status !== 'True') return false;
    // A service of the cloud manages it; it is not in our list.
    if (this.#context.cloud.ownership.isManagedElsewhere(claim)) return false;
    const node = this.#context.stores.nodes.store.by(BY_PROVIDER_ID, providerID)[0];
    return node === undefined || conditionOf(node, 'Ready')?.status !== 'True';
  }

  /** Seen in two runs, and old enough by its creation time where the cloud reports one. */
  #isOld(key: string, createdAtMs: number, seen: Set<string>): boolean {
    const { clock } = this.#context.world;
    seen.add(key);
    const first = this.#suspects.get(key);
    if (first === undefined) this.#suspects.set(key, clock.monotonic());
    const oldByAge = createdAtMs > 0 && clock.now() - createdAtMs > ORPHAN_AGE_MS;
    const waited = first === undefined ? 0 : clock.monotonic() - first;
    return first !== undefined && (oldByAge || waited >= PERIOD_MS);
  }

  async #deleteClaim(scope: ReconcileScope, claim: Claim): Promise<void> {
    const { client, world } = scope;
    if (await exists(scope, claim.status?.providerID ?? '')) return;
    try {
      await client.delete(CLAIMS, keyOfObject(claim), { preconditions: { uid: claim.metadata.uid } });
    } catch (error) {
      if (isApiError(error, 'notFound', 'conflict')) return;
      throw error;
    }
    world.log.info('deleted nodeclaim without an instance', {
      nodeclaim: claim.metadata.name,
      providerID: claim.status?.providerID,
    });
    this.#disrupted(claim, 'garbage_collected');
  }
}

// ---------------------------------------------------------------------------------------------------

/** Compared with the claims as the server has them now: the stores may lag behind. */
async function terminateOrphans(
  scope: ReconcileScope,
  found: {
    readonly orphans: readonly Instance[];
    readonly listed: ReadonlySet<string>;
    readonly bugs: unknown[];
  },
): Promise<void> {
  const { items } = await scope.client.listAll(CLAIMS);
  const { orphans, listed, bugs } = found;
  for (const instance of withoutClaim(orphans, items, listed))
    await logFailure(scope, bugs, 'failed to terminate instance without a nodeclaim', instance.name, () =>
      terminate(scope, instance),
    );
}

/** The next run retries what fails. @param bugs receives errors of the program. */
async function logFailure(
  { world, signal }: ReconcileScope,
  bugs: unknown[],
  problem: string,
  name: string | undefined,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (error) {
    signal.throwIfAborted();
    // This replica is no longer the leader and must not continue.
    if (isApiError(error, 'fenced')) throw error;
    if (isProgramError(error)) bugs.push(error);
    world.log.warn(problem, { name, error: String(error) });
  }
}

/** @throws when the cloud gives no answer. */
async function exists({ cloud, signal }: ReconcileScope, providerID: string): Promise<boolean> {
  try {
    const { deleting } = await cloud.get(providerID, signal);
    return !deleting;
  } catch (error) {
    if (isCloudError(error, 'NotFound')) return false;
    throw error;
  }
}

/** Terminates the instance, and deletes its Node, which no claim would drain. */
async function terminate(
  { world, cloud, stores, client, signal }: ReconcileScope,
  instance: Instance,
): Promise<void> {
  world.log.info('terminating instance without a nodeclaim', {
    providerID: instance.providerID,
    name: instance.name,
  });
  await cloud.delete(claimFor(instance), signal);
  for (const node of stores.nodes.store.by(BY_PROVIDER_ID, instance.providerID))
    await deleteNode(client, node);
}

/**
 * Instances that belong to none of the claims. One that was launched for a claim is of no use to it when the claim names
 * another one that is listed.
 */
function withoutClaim(
  instances: readonly Instance[],
  claims: readonly Claim[],
  listed: ReadonlySet<string>,
): readonly Instance[] {
  const named = new Set(claims.map(({ status }) => idOf({ providerID: status?.providerID })));
  const waiting = new Set(
    claims.flatMap(({ metadata, status }) =>
      listed.has(idOf({ providerID: status?.providerID })) ? [] : [metadata.uid],
    ),
  );
  return instances.filter(
    (instance) => !instance.deleting && !named.has(idOf(instance)) && !waiting.has(instance.claimUid ?? '-'),
  );
}

/** Clouds do not always write ids in the same case. */
function idOf({ providerID = '' }: { readonly providerID?: string | undefined }): string {
  return providerID.toLowerCase();
}

/** The known part of the claim: enough for the cloud to find the instance. */
function claimFor(instance: Instance): Claim {
  const { nodePool, claimName, claimUid, providerID } = instance;
  return {
    metadata: {
      name: claimName ?? instance.name,
      ...(claimUid === undefined ? {} : { uid: claimUid }),
      ...(nodePool === undefined ? {} : { labels: { [KarpenterLabel.nodePool]: nodePool } }),
    },
    spec: { nodeClassRef: { group: '', kind: '', name: '' }, requirements: [] },
    status: { providerID },
  } as unknown as Claim;
}
