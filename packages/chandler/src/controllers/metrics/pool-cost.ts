/**
 * What the instances of each pool cost per hour, at the prices that plans use: those of the cloud, with NodeOverlays. Prices
 * are read when a pool gets an instance without a known price, once an hour, and a minute after a failure; the sum is
 * computed at every scrape. A pool with instances whose prices were never read has no series.
 */
import { Controller, type Counter, type Result, type Source, storeSource } from '@chandler/kube';
import { KarpenterLabel, KubernetesLabel } from '../../api/index.ts';
import { isCloudError } from '../../cloud/index.ts';
import type { InstanceType } from '../../scheduling/index.ts';
import { BY_POOL, failedToBootstrap } from '../../state/index.ts';

import type { ControllerContext } from '../context.ts';
import type { Claim } from '../lifecycle/claim-patch.ts';
import { typesWithOverlays } from '../overlays/overlays-in-force.ts';
import { poolNamed } from '../pools/pool-store.ts';

const PERIOD_MS = 60 * 60_000;
/** After a failure of the cloud. */
const RETRY_MS = 60_000;

export function poolCost(context: ControllerContext): Controller {
  const { world, stores } = context;
  const prices = new PriceList(context);
  return new Controller({
    name: 'state.pricing',
    world,
    sources: [
      storeSource(stores.claims, {
        filter: ({ type, object }) => type !== 'deleted' && prices.isMissing(object),
        keys: ({ object }) => [object.metadata.labels?.[KarpenterLabel.nodePool] ?? ''],
      }),
      prices.shown(),
    ],
    reconcile: (name, { signal }) => prices.read(name, signal),
  });
}

// ---------------------------------------------------------------------------------------------------

class PriceList {
  readonly #context: ControllerContext;
  /** By pool, then by type, zone and capacity type. */
  readonly #prices = new Map<string, ReadonlyMap<string, number>>();
  readonly #errors: Counter;

  constructor(context: ControllerContext) {
    this.#context = context;
    this.#errors = context.world.metrics.counter({
      name: 'karpenter_nodepools_cost_tracker_errors_total',
      help: 'Machines whose price is not known.',
      labels: ['nodepool'],
    });
  }

  isMissing(claim: Claim): boolean {
    const pool = claim.metadata.labels?.[KarpenterLabel.nodePool];
    if (pool === undefined || !claim.status?.providerID) return false;
    return this.#prices.get(pool)?.get(placeOf(claim)) === undefined;
  }

  async read(pool: string, signal: AbortSignal): Promise<Result> {
    const { stores, cloud } = this.#context;
    const nodePool = poolNamed(this.#context, pool);
    const nodeClass =
      nodePool === undefined ? undefined : stores.nodeClass(nodePool.spec.template.spec.nodeClassRef);
    if (nodePool === undefined) this.#prices.delete(pool);
    if (nodePool === undefined || nodeClass === undefined) return {};
    try {
      const types = await cloud.instanceTypes({ nodePool, nodeClass }, signal);
      const prices = pricesOf(typesWithOverlays(this.#context, nodePool, types));
      const claims = stores.claims.store.by(BY_POOL, pool).filter(({ status }) => status?.providerID);
      // An instance whose type is no longer listed counts as one error and costs nothing.
      for (const claim of claims) {
        if (prices.has(placeOf(claim))) continue;
        prices.set(placeOf(claim), 0);
        this.#errors.add(1, { nodepool: pool });
      }
      this.#prices.set(pool, prices);
      return claims.length === 0 ? {} : { requeueAfterMs: PERIOD_MS };
    } catch (error) {
      signal.throwIfAborted();
      if (!isCloudError(error)) throw error;
      this.#errors.add(1, { nodepool: pool });
      return { requeueAfterMs: RETRY_MS };
    }
  }

  shown(): Source {
    const { world, stores } = this.#context;
    const spec = {
      name: 'karpenter_nodepools_cost_total',
      help: 'What the machines of a pool cost per hour.',
      labels: ['nodepool'],
    };
    return {
      synced: stores.pools.synced,
      start: () =>
        world.metrics.observableGauge(spec, () =>
          [...stores.pools.store.values()].flatMap(({ metadata }) => {
            const nodepool = metadata.name;
            const cost = this.#costOf(nodepool);
            return cost === undefined ? [] : [[cost, { nodepool }] as const];
          }),
        ),
    };
  }

  /** Undefined: it has instances, and no price is known. */
  #costOf(pool: string): number | undefined {
    const prices = this.#prices.get(pool);
    const claims = this.#context.stores.claims.store
      .by(BY_POOL, pool)
      .filter((claim) => !failedToBootstrap(claim));
    if (prices === undefined && claims.some(({ status }) => status?.providerID)) return undefined;
    return claims.reduce((sum, claim) => sum + (prices?.get(placeOf(claim)) ?? 0), 0);
  }
}

function placeOf({ metadata }: Claim): string {
  const { labels = {} } = metadata;
  return [KubernetesLabel.instanceType, KubernetesLabel.zone, KarpenterLabel.capacityType]
    .map((key) => labels[key] ?? '')
    .join('|');
}

/** Of several offerings the first one counts, as upstream. */
function pricesOf(types: readonly InstanceType[]): Map<string, number> {
  const prices = new Map<string, number>();
  for (const { name, offerings } of types) {
    for (const { requirements, price } of offerings) {
      const firstOf = (key: string) => requirements.find((one) => one.key === key)?.values?.[0] ?? '';
      const place = [name, firstOf(KubernetesLabel.zone), firstOf(KarpenterLabel.capacityType)].join('|');
      if (!prices.has(place)) prices.set(place, price);
    }
  }
  return prices;
}
