/**
 * Both ways: claims whose machine is gone are deleted, and machines without a claim are given back. A list may lag
 * behind or lack what we may not see, so nothing young is touched, a node that still reports Ready keeps its claim, a
 * machine is asked for by its id before its claim is deleted, and before one is given back the server is asked for its
 * claims. What cannot be removed does not hold up the rest.
 */
import {
  type Controller,
  isApiError,
  itemBackoff,
  keyOfObject,
  NODES,
  type ResourceRef,
  singleton,
} from '@chandler/kube';
import { KarpenterLabel } from '../../api/index.ts';
import { type Instance, isCloudError } from '../../cloud/index.ts';
import { BY_PROVIDER_ID, conditionOf, type NodeObject } from '../../state/index.ts';

import { type ControllerContext, type ReconcileScope, scopeOf } from '../context.ts';
import { CLAIMS, type Claim } from '../lifecycle/claim-patch.ts';
import { disruptedCounter } from './disrupted.ts';

const PERIOD_MS = 2 * 60_000;
/** Younger machines may belong to a claim that has yet to be written, or not be listed yet. */
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
  /** When a machine without a claim, or a claim without a machine, was first seen to be so (monotonic). */
  readonly #suspects = new Map<string, number>();

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#disrupted = disruptedCounter(context);
  }

  async run(scope: ReconcileScope): Promise<void> {
    const { cloud, stores, signal } = scope;
    const machines = await cloud.list(signal);
    const present = new Set(machines.filter(({ deleting }) => !deleting).map(idOf));
    const claims = [...stores.claims.store.values()];
    const seen = new Set<string>();
    for (const claim of claims) {
      if (this.#lacksMachine(claim, present) && this.#isOld(`claim/${claim.metadata.uid}`, 0, seen))
        await orLater(scope, 'failed to delete nodeclaim without an instance', claim.metadata.name, () =>
          this.#deleteClaim(scope, claim),
        );
    }
    const strays = strangers(machines, claims).filter(({ providerID, createdAtMs = 0 }) =>
      this.#isOld(`machine/${providerID}`, createdAtMs, seen),
    );
    for (const key of this.#suspects.keys()) if (!seen.has(key)) this.#suspects.delete(key);
    if (strays.length > 0) await releaseAll(scope, strays);
  }

  #lacksMachine(claim: Claim, present: ReadonlySet<string>): boolean {
    // Machines of another provider are on no list of ours.
    if (!this.#context.stores.runs(claim.spec.nodeClassRef)) return false;
    const providerID = claim.status?.providerID ?? '';
    if (
      providerID === '' ||
      present.has(idOf({ providerID })) ||
      claim.metadata.deletionTimestamp !== undefined
    )
      return false;
    if (conditionOf(claim, 'Registered')?.status !== 'True') return false;
    // It is on no list of ours, and none of ours to judge.
    if (this.#context.cloud.ownership.isManagedElsewhere(claim)) return false;
    const node = this.#context.stores.nodes.store.by(BY_PROVIDER_ID, providerID)[0];
    return node === undefined || conditionOf(node, 'Ready')?.status !== 'True';
  }

  /** Two looks apart, and old by the cloud's own word where it has one. */
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
      await client.delete(CLAIMS, keyOfObject(claim), { preconditions: { uid: claim.metadata.uid ?? '' } });
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

/** Held against the claims as the server has them now: ours may be behind. */
async function releaseAll(scope: ReconcileScope, strays: readonly Instance[]): Promise<void> {
  const { items } = await scope.client.listAll(CLAIMS);
  for (const machine of strangers(strays, items))
    await orLater(scope, 'failed to terminate instance without a nodeclaim', machine.name, () =>
      release(scope, machine),
    );
}

/** What fails is left for the next look. */
async function orLater(
  { world, signal }: ReconcileScope,
  problem: string,
  name: string | undefined,
  act: () => Promise<void>,
): Promise<void> {
  try {
    await act();
  } catch (error) {
    signal.throwIfAborted();
    // We lead no more: nothing of the rest is ours to do.
    if (isApiError(error, 'fenced')) throw error;
    world.log.warn(problem, { name, error: String(error) });
  }
}

/** @throws when nobody can say. */
async function exists({ cloud, signal }: ReconcileScope, providerID: string): Promise<boolean> {
  try {
    const { deleting } = await cloud.get(providerID, signal);
    return !deleting;
  } catch (error) {
    if (isCloudError(error, 'NotFound')) return false;
    throw error;
  }
}

/** The machine, and the Node that stood for it: no claim will ever drain it. */
async function release(
  { world, cloud, stores, client, signal }: ReconcileScope,
  machine: Instance,
): Promise<void> {
  world.log.info('terminating instance without a nodeclaim', {
    providerID: machine.providerID,
    name: machine.name,
  });
  await cloud.delete(claimFor(machine), signal);
  for (const node of stores.nodes.store.by(BY_PROVIDER_ID, machine.providerID)) {
    if (node.metadata.deletionTimestamp !== undefined) continue;
    const preconditions = { uid: node.metadata.uid ?? '' };
    try {
      await client.delete(NODES as ResourceRef<NodeObject>, keyOfObject(node), { preconditions });
    } catch (error) {
      if (!isApiError(error, 'notFound', 'conflict')) throw error;
    }
  }
}

/** Machines that none of the claims has. */
function strangers(machines: readonly Instance[], claims: readonly Claim[]): readonly Instance[] {
  const known = new Set(
    claims.flatMap(({ metadata, status }) => [metadata.uid ?? '', idOf({ providerID: status?.providerID })]),
  );
  return machines.filter(
    (machine) => !machine.deleting && !known.has(idOf(machine)) && !known.has(machine.claimUid ?? '-'),
  );
}

/** Not every cloud keeps to one way of writing names. */
function idOf({ providerID = '' }: { readonly providerID?: string | undefined }): string {
  return providerID.toLowerCase();
}

/** What of the claim is still known: enough for the cloud to find the machine. */
function claimFor(machine: Instance): Claim {
  const { nodePool, claimName, claimUid, providerID } = machine;
  return {
    metadata: {
      name: claimName ?? machine.name,
      ...(claimUid === undefined ? {} : { uid: claimUid }),
      ...(nodePool === undefined ? {} : { labels: { [KarpenterLabel.nodePool]: nodePool } }),
    },
    spec: { nodeClassRef: { group: '', kind: '', name: '' }, requirements: [] },
    status: { providerID },
  } as unknown as Claim;
}
