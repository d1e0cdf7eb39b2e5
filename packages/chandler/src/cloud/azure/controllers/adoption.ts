/**
 * Claims that another controller launched carry no record of what their VM was made with. Azure is read once in a
 * while; where the VM's disk encryption set is another than a launch would use now, that is recorded on the claim and
 * reported on the NodePool. Where it is the same nothing is written: taking over changes nothing. A claim of our own
 * gets the records that it lacks. A pool is reported once for all of its claims, so that the work grows with the claims
 * and not with their square.
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
/** The first claim of a pool that differs waits this long for the others, so that the event names them too. */
const COLLECT_MS = 10_000;

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
  /** By UID of the pool: from when on its claims are to be reported, and whether they were. */
  readonly #reports = new Map<string, { readonly fromMs: number; done: boolean }>();

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
    const records = await this.#recordsOf(claim, signal);
    if (records === undefined) return {};
    if (isAdopted(claim)) {
      // A VM that was found after a restart has no record of the Kubernetes version until its kubelet reports it.
      const missing = Object.entries(records).filter(([key]) => !(key in (claim.metadata.annotations ?? {})));
      if (missing.length > 0) await writeAnnotations(client, CLAIMS, claim, Object.fromEntries(missing));
      return this.#differs(claim) ? this.#report(claim) : { requeueAfterMs: PERIOD_MS };
    }
    const annotated = {
      ...claim,
      metadata: { ...claim.metadata, annotations: { ...claim.metadata.annotations, ...records } },
    };
    if (!this.#differs(annotated)) return { requeueAfterMs: PERIOD_MS };
    return this.#report(await writeAnnotations(client, CLAIMS, claim, records));
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

  #differs(claim: Stored<NodeClaim>): boolean {
    return this.#exempt([claim]).length > 0;
  }

  #exempt(claims: readonly Stored<NodeClaim>[]) {
    const classOf = ({ spec }: Stored<NodeClaim>): KubeObject | undefined =>
      this.#context.stores.nodeClass(spec.nodeClassRef);
    return this.#cloud.driftExemptPools(claims, classOf);
  }

  /** One event on the pool names all of its claims that differ; it is computed once for all of them. */
  #report(claim: Claim): Result {
    const { stores, events, world } = this.#context;
    const name = claim.metadata.labels?.[KarpenterLabel.nodePool] ?? '';
    const object = stores.pools.store.get({ name });
    if (object === undefined) return { requeueAfterMs: PERIOD_MS };
    const { uid } = object.metadata;
    const nowMs = world.clock.monotonic();
    const report = this.#reports.get(uid);
    if (report === undefined || nowMs - report.fromMs >= EVENT_DEDUPE_MS) {
      this.#reports.set(uid, { fromMs: nowMs + COLLECT_MS, done: false });
      return { requeueAfterMs: COLLECT_MS };
    }
    // Any claim of the pool that is reconciled later reports it, should the first one be gone by then.
    if (nowMs < report.fromMs || report.done) return { requeueAfterMs: PERIOD_MS };
    report.done = true;
    const claims = [...stores.claims.store.values()].filter(
      ({ metadata }) => metadata.labels?.[KarpenterLabel.nodePool] === name,
    );
    for (const { message } of this.#exempt(claims))
      events.publish({
        resource: NODE_POOLS,
        object,
        type: 'Normal',
        reason: REASON,
        message,
        dedupeValues: [uid],
        dedupeMs: EVENT_DEDUPE_MS,
      });
    return { requeueAfterMs: PERIOD_MS };
  }
}
