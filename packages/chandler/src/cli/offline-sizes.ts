/**
 * The built-in catalogue of Azure's sizes, for verbs that ask no cloud: nothing is sold out, no quota is used up, prices
 * are the built-in ones.
 */
import { AzureSizes } from '@chandler/cloudsim/azure';
import type { World } from '@chandler/kube';
import {
  type InstanceTypeOptions,
  InstanceTypeProvider,
  PriceBook,
  type ResourceSku,
} from '../cloud/azure/index.ts';

/** The catalogue knows it; a region that it does not know is given its sizes. */
export const HOME_REGION = 'eastus';

/** What the region sells. */
export function offlineSkus(region: string): readonly ResourceSku[] {
  const sizes = new AzureSizes();
  const own = sizes.skus(region) as readonly ResourceSku[];
  const known = own.some(({ resourceType }) => resourceType === 'virtualMachines');
  return known ? own : moved(sizes.skus(HOME_REGION) as readonly ResourceSku[], region);
}

export interface OfflineSizes {
  readonly world: Pick<World, 'clock' | 'log' | 'fetch'>;
  readonly region: string;
  readonly options: InstanceTypeOptions;
  /** Default: all that the region sells. */
  readonly skus?: readonly ResourceSku[];
}

export function offlineInstanceTypes({ world, region, options, skus = offlineSkus(region) }: OfflineSizes) {
  const provider = new InstanceTypeProvider({
    clock: world.clock,
    log: world.log,
    region,
    options,
    prices: new PriceBook({ ...world, region, published: false }),
    quota: { sequence: 0, refusal: () => undefined },
    unavailable: { sequence: 0, why: () => undefined },
    listSkus: async () => skus,
  });
  provider.refresh(skus);
  return provider;
}

// ---------------------------------------------------------------------------------------------------

function moved(skus: readonly ResourceSku[], region: string): readonly ResourceSku[] {
  return skus.map((sku) => ({
    ...sku,
    locations: [region],
    locationInfo: (sku.locationInfo ?? []).map((info) => ({ ...info, location: region })),
  }));
}
