/**
 * Tags and identities of running VMs, brought up to date without replacing anything. What has to change, the cloud
 * decides; the claim's annotations keep what it was brought to. A claim whose recorded hash is right already is not
 * written, even if another controller wrote the hash: taking over a cluster changes nothing.
 */
import { Controller, itemBackoff, LOW_PRIORITY, type Result, type Source, storeSource } from '@chandler/kube';
import { AzureAnnotation, writeAnnotations } from '../../../api/index.ts';
import { type CloudControllerContext, isCloudError } from '../../index.ts';

import type { AzureCloud } from '../azure-cloud.ts';
import { CLAIMS, type Claim, isRegistered } from './claims.ts';

const HASH = AzureAnnotation.inPlaceUpdateHash;
/** Options that VMs carry, as tags and identities. */
const CARRIED = ['additionalTags', 'nodeIdentities'];

export function inPlaceUpdate(
  context: CloudControllerContext,
  cloud: Pick<AzureCloud, 'updateInPlace'>,
): Controller {
  const { world, stores } = context;
  const pass = new InPlacePass(context, cloud);
  return new Controller({
    name: 'nodeclaim.inplaceupdate',
    world,
    concurrency: 10,
    limiter: itemBackoff({ baseMs: 1_000, maxMs: 60_000 }),
    sources: [
      storeSource(stores.claims),
      ...[...stores.nodeClasses].map(([name, reflector]) =>
        storeSource(reflector, {
          filter: ({ object, before }) => object.metadata.generation !== before?.metadata.generation,
          keys: ({ object }) => {
            const [group = '', kind = ''] = name.split('/');
            const claims = stores.claimsOfClass({ group, kind, name: object.metadata.name });
            return claims.map(({ metadata }) => metadata.name);
          },
        }),
      ),
      optionsSource(context, () => pass.forget()),
    ],
    reconcile: (name, { signal }) => pass.reconcile(name, signal),
  });
}

export class InPlacePass {
  readonly #context: CloudControllerContext;
  readonly #cloud: Pick<AzureCloud, 'updateInPlace'>;
  /** What was found to be right at the last look, by claim name: uid, recorded hash and generation of the class. */
  readonly #right = new Map<string, string>();
  #turn = 0;

  constructor(context: CloudControllerContext, cloud: Pick<AzureCloud, 'updateInPlace'>) {
    this.#context = context;
    this.#cloud = cloud;
  }

  /** The desired tags changed; checks in progress were made for the old ones. */
  forget(): void {
    this.#turn++;
    this.#right.clear();
  }

  async reconcile(name: string, signal: AbortSignal): Promise<Result> {
    const { stores } = this.#context;
    const client = this.#context.client.withSignal(signal);
    const claim = stores.claims.store.get({ name });
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined) {
      this.#right.delete(name);
      return {};
    }
    const nodeClass = stores.nodeClass(claim.spec.nodeClassRef);
    if (nodeClass === undefined || !isRegistered(claim)) return {};
    const { uid, generation } = nodeClass.metadata;
    const turn = this.#turn;
    const state = (each: Claim) =>
      `${each.metadata.uid} ${each.metadata.annotations?.[HASH]} ${uid} ${generation} ${turn}`;
    if (this.#right.get(name) === state(claim)) return {};
    const pool = stores.pools.store.get({ name: claim.metadata.labels?.['karpenter.sh/nodepool'] ?? '' });
    try {
      const result = await this.#cloud.updateInPlace(
        { claim, nodeClass, ...(pool === undefined ? {} : { nodePool: pool }) },
        signal,
      );
      if (result.state === 'patched') return { requeueAfterMs: result.retryAfterMs };
      const recorded = claim.metadata.annotations?.[HASH] === result.annotations[HASH];
      const now = recorded ? claim : await writeAnnotations(client, CLAIMS, claim, result.annotations);
      this.#right.set(name, state(now));
      return {};
    } catch (error) {
      // Garbage collection handles a VM that no longer exists.
      if (isCloudError(error, 'NotFound')) return {};
      if (isCloudError(error) && error.advice.retry === 'after') return { requeueAfterMs: error.advice.ms };
      throw error;
    }
  }
}

// ---------------------------------------------------------------------------------------------------

/** All claims, when an option changes at runtime. */
function optionsSource({ onOptionsChange, stores }: CloudControllerContext, changed: () => void): Source {
  return {
    synced: Promise.resolve(),
    start: (queue) =>
      onOptionsChange((names) => {
        if (!names.some((name) => CARRIED.includes(name))) return;
        changed();
        for (const { metadata } of stores.claims.store.values())
          queue.add(metadata.name, { priority: LOW_PRIORITY });
      }),
  };
}
