/**
 * Instance types from a list of sizes, for verbs that do not read Azure: no size is sold out, no quota is used up, prices
 * are the built-in ones.
 */
import type { World } from '@chandler/kube';
import type { AKSNodeClass } from '../../../api/index.ts';
import { resolveOptions } from '../../../settings/index.ts';
import type { CatalogueProvider, CatalogueRequest, SomeSizes } from '../../index.ts';

import { AZURE_CONTROLLER_OPTIONS } from '../options/options.ts';
import { PriceList } from '../prices/price-list.ts';
import type { ResourceSku } from '../sizes/resource-sku.ts';
import type { InstanceTypeOptions } from './parameters.ts';
import { InstanceTypeProvider } from './provider.ts';

export interface OfflineSizes {
  readonly world: Pick<World, 'clock' | 'log' | 'fetch'>;
  readonly region: string;
  readonly options: InstanceTypeOptions;
  /** What the region sells. */
  readonly skus: readonly ResourceSku[];
}

export function offlineInstanceTypes({ world, region, options, skus }: OfflineSizes): InstanceTypeProvider {
  const provider = new InstanceTypeProvider({
    clock: world.clock,
    log: world.log,
    region,
    options,
    prices: new PriceList({ ...world, region, published: false }),
    quota: { sequence: 0, refusal: () => undefined },
    unavailable: { sequence: 0, why: () => undefined },
    listSkus: async () => skus,
  });
  provider.refresh(skus);
  return provider;
}

/** With the defaults of the controller. */
export function offlineCatalogueProvider({
  world,
  region,
  sizes,
  howMany,
  everyZone = false,
}: CatalogueRequest): CatalogueProvider {
  const known = sizes as readonly ResourceSku[];
  const skus = everyZone ? known.map(inEveryZone) : known;
  const { values } = resolveOptions(AZURE_CONTROLLER_OPTIONS, { args: [], env: {}, readFile: () => '' });
  const provider = offlineInstanceTypes({
    world,
    region,
    options: values,
    skus: howMany === 'all' ? skus : chosen(skus, howMany),
  });
  return { instanceTypes: (nodeClass) => provider.forNodeClass((nodeClass ?? EMPTY_CLASS) as AKSNodeClass) };
}

// ---------------------------------------------------------------------------------------------------

const EMPTY_CLASS = {
  apiVersion: 'karpenter.azure.com/v1beta1',
  kind: 'AKSNodeClass',
  metadata: { name: '' },
  spec: {},
};

const ZONES = ['1', '2', '3'];

/** Subscriptions have other restrictions. A size of no zone stays regional. */
function inEveryZone(sku: ResourceSku): ResourceSku {
  const { locationInfo = [] } = sku;
  return {
    ...sku,
    locationInfo: locationInfo.map((info) =>
      (info.zones ?? []).length === 0
        ? info
        : {
            ...info,
            zones: ZONES,
            zoneDetails: (info.zoneDetails ?? []).map((detail) => ({ ...detail, name: ZONES })),
          },
    ),
    restrictions: [],
  };
}

/** Of the rest, so many are left out for one that stays. */
const EVERY = 16;

/** The largest of every family, so that what does not fit there fits nowhere, those that are named, and a few of the rest. */
function chosen(skus: readonly ResourceSku[], { named }: SomeSizes): readonly ResourceSku[] {
  const largest = new Map<string, ResourceSku>();
  for (const sku of skus) {
    const known = largest.get(sku.family ?? '');
    if (known === undefined || amountOf(sku) > amountOf(known)) largest.set(sku.family ?? '', sku);
  }
  const kept = new Set(largest.values());
  return skus.filter((sku, index) => kept.has(sku) || index % EVERY === 0 || named.has(sku.name ?? ''));
}

/** Memory decides where cores are equal. */
function amountOf({ capabilities = [] }: ResourceSku): number {
  const amount = (wanted: string) => Number(capabilities.find(({ name }) => name === wanted)?.value ?? 0);
  return amount('vCPUs') * 1e6 + amount('MemoryGB');
}
