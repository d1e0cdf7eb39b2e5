/**
 * Claims that another controller launched carry no record of what their VM was made with. Azure is read once in a
 * while; where the VM's disk encryption set is another than a launch would use now, that is written down and
 * reported on the NodePool, so that people can decide. Where it is the same nothing is written: taking over changes nothing.
 */
import type { KubeObject, Stored } from '@chandler/kube';
import { Controller, itemBackoff, type Result, storeSource } from '@chandler/kube';
import { KarpenterLabel, NODE_POOLS, type NodeClaim, writeAnnotations } from '../../../api/index.ts';
import { type CloudControllerContext, isCloudError } from '../../index.ts';

import type { AzureCloud } from '../azure-cloud.ts';
import { isAdopted } from '../drift/index.ts';
import { CLAIMS, type Claim, isRegistered } from './claims.ts';

const PERIOD_MS = 30 * 60_000;
const REASON = 'DiskEncryptionSetDiffers';
const EVENT_DEDUPE_MS = 6 * 60 * 60_000;

export type AdoptingCloud = Pick<AzureCloud, 'adopt' | 'driftExemptPools'>;

export function adoption(context: CloudControllerContext, cloud: AdoptingCloud): Controller {
  const { world, stores } = context;
  const pass = new AdoptionPass(context, cloud);
  return new Controller({
    name: 'nodeclaim.adoption',
    world,
    concurrency: 4,
    limiter: itemBackoff({ baseMs: 1_000, maxMs: 60_000 }),
    sources: [
      storeSource(stores.claims, {
        filter: ({ object, before }) =>
          isRegistered(object) && (before === undefined || !isRegistered(before)),
      }),
    ],
    reconcile: (name, { signal }) => pass.reconcile(name, signal),
  });
}

export class AdoptionPass {
  readonly #context: CloudControllerContext;
  readonly #cloud: AdoptingCloud;

  constructor(context: CloudControllerContext, cloud: AdoptingCloud) {
    this.#context = context;
    this.#cloud = cloud;
  }

  async reconcile(name: string, signal: AbortSignal): Promise<Result> {
    const { stores } = this.#context;
    const client = this.#context.client.withSignal(signal);
    const claim = stores.claims.store.get({ name });
    if (claim === undefined || claim.metadata.deletionTimestamp !== undefined || !isRegistered(claim))
      return {};
    if (isAdopted(claim)) {
      this.#report(claim);
      return { requeueAfterMs: PERIOD_MS };
    }
    const records = await this.#recordsOf(claim, signal);
    if (records === undefined) return {};
    const annotated = {
      ...claim,
      metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, ...records } },
    };
    if (this.#kept(annotated).length > 0)
      this.#report(await writeAnnotations(client, CLAIMS, claim, records));
    return { requeueAfterMs: PERIOD_MS };
  }

  /** Undefined when there is nothing to record, now or later. */
  async #recordsOf(claim: Claim, signal: AbortSignal): Promise<Readonly<Record<string, string>> | undefined> {
    const { stores } = this.#context;
    const nodeClass = stores.nodeClass(claim.spec.nodeClassRef);
    if (nodeClass === undefined) return {};
    const node = stores.nodeOf(claim.status?.providerID ?? '');
    try {
      return await this.#cloud.adopt({ claim, nodeClass, ...(node === undefined ? {} : { node }) }, signal);
    } catch (error) {
      if (isCloudError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  #kept(claim: Stored<NodeClaim>) {
    const classOf = ({ spec }: Stored<NodeClaim>): KubeObject | undefined =>
      this.#context.stores.nodeClass(spec.nodeClassRef);
    return this.#cloud.driftExemptPools([claim], classOf);
  }

  /** One event on each pool names all of its claims that differ. */
  #report(claim: Claim): void {
    const { stores, events } = this.#context;
    if (this.#kept(claim).length === 0) return;
    const classOf = ({ spec }: Stored<NodeClaim>): KubeObject | undefined =>
      stores.nodeClass(spec.nodeClassRef);
    const pool = claim.metadata.labels?.[KarpenterLabel.nodePool];
    const all = this.#cloud.driftExemptPools([...stores.claims.store.values()], classOf);
    for (const { nodePool, message } of all) {
      const object = nodePool === pool ? stores.pools.store.get({ name: nodePool }) : undefined;
      if (object === undefined) continue;
      const dedupeValues = [object.metadata.uid];
      events.publish({
        resource: NODE_POOLS,
        object,
        type: 'Normal',
        reason: REASON,
        message,
        dedupeValues,
        dedupeMs: EVENT_DEDUPE_MS,
      });
    }
  }
}
