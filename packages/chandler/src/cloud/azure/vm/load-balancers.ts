/**
 * The backend pools that a node's first address joins: those of the cluster's two load balancers, without the IPv6
 * ones and those that hold addresses instead of interfaces. Kept for two hours; a pool that turns out to be gone is
 * a reason to look again, once for all who noticed it.
 */
import type { LoadBalancer } from '@azure/arm-network';
import { type Clock, rethrowProgramError } from '@chandler/kube';
import { type ArmClients, type ArmError, pagesOf, toArmError } from '../../../arm/index.ts';

export const POOLS_KEPT_MS = 2 * 3600_000;

export interface BackendPools {
  readonly ids: readonly string[];
  /** Counts the looks; to be given back with `refresh`. */
  readonly generation: number;
}

const LOAD_BALANCERS: ReadonlySet<string> = new Set(['kubernetes', 'kubernetes-internal']);
const IPV6_POOLS: ReadonlySet<string> = new Set(['kubernetes-ipv6', 'aksoutboundbackendpool-ipv6']);

export class LoadBalancerPools {
  readonly #clients: Pick<ArmClients, 'network'>;
  readonly #clock: Clock;
  readonly #resourceGroup: string;
  #known: { readonly pools: BackendPools; readonly atMs: number } | undefined;
  #reading: Promise<BackendPools> | undefined;
  #generation = 0;

  constructor(options: { clients: Pick<ArmClients, 'network'>; clock: Clock; resourceGroup: string }) {
    this.#clients = options.clients;
    this.#clock = options.clock;
    this.#resourceGroup = options.resourceGroup;
  }

  async get(): Promise<BackendPools> {
    const known = this.#known;
    if (known !== undefined && this.#clock.monotonic() - known.atMs < POOLS_KEPT_MS) return known.pools;
    return this.#readOnce();
  }

  /** Reads again, unless another caller did so after the given pools were read. */
  async refresh(stale: BackendPools): Promise<BackendPools> {
    if (this.#known !== undefined && this.#known.pools.generation > stale.generation)
      return this.#known.pools;
    return this.#readOnce();
  }

  #readOnce(): Promise<BackendPools> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #read(): Promise<BackendPools> {
    try {
      const network = await this.#clients.network();
      const ids: string[] = [];
      for await (const balancer of pagesOf(network.loadBalancers.list(this.#resourceGroup)))
        ids.push(...poolsOf(balancer));
      this.#generation += 1;
      const pools = { ids: ids.sort(), generation: this.#generation };
      this.#known = { pools, atMs: this.#clock.monotonic() };
      return pools;
    } catch (error) {
      rethrowProgramError(error);
      // Pools change seldom: what was true two hours ago beats no node at all.
      if (this.#known !== undefined) return this.#known.pools;
      throw toArmError(error);
    }
  }
}

/** Whether a NIC was refused because one of the pools is gone. */
export function namesLostPool(error: ArmError, pools: BackendPools): boolean {
  if (!error.codes.includes('InvalidResourceReference')) return false;
  const text = error.text.toLowerCase();
  return pools.ids.some((id) => text.includes(id.toLowerCase()));
}

export function poolsOf(balancer: LoadBalancer): string[] {
  if (!LOAD_BALANCERS.has(balancer.name?.toLowerCase() ?? '')) return [];
  return (balancer.backendAddressPools ?? []).flatMap((pool) => {
    if (pool.id === undefined || IPV6_POOLS.has(pool.name?.toLowerCase() ?? '')) return [];
    const byAddress = pool.loadBalancerBackendAddresses?.some((address) => (address.ipAddress ?? '') !== '');
    return byAddress === true ? [] : [pool.id];
  });
}
