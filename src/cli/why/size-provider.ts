/** Makes instance types of the built-in catalogue, all of them or enough for most questions. */
import { InstanceTypeProvider } from '../../cloud/azure/instance-types/index.ts';
import { PriceBook } from '../../cloud/azure/prices/index.ts';
import type { ResourceSku } from '../../cloud/azure/sizes/index.ts';
import { AzureSizes } from '../../playground/azure/catalogue/size-catalogue.ts';
import { AZURE_CONTROLLER_OPTIONS } from '../../settings/azure-options.ts';
import { resolveOptions } from '../../settings/resolve-options.ts';
import { HOME_REGION, type PlannerWorld } from './planner-world.ts';

/** `some`: the largest of every family and a few of the rest. */
export function sizeProvider(
  world: PlannerWorld,
  region: string,
  howMany: 'some' | 'all',
): InstanceTypeProvider {
  const sizes = new AzureSizes();
  const own = sizes.skus(region) as readonly ResourceSku[];
  const known = own.some(({ resourceType }) => resourceType === 'virtualMachines');
  const all = known ? own : moved(sizes.skus(HOME_REGION) as readonly ResourceSku[], region);
  const skus = howMany === 'all' ? all : chosen(all);
  const { values } = resolveOptions(AZURE_CONTROLLER_OPTIONS, { args: [], env: {}, readFile: () => '' });
  const provider = new InstanceTypeProvider({
    clock: world.clock,
    log: world.log,
    region,
    options: values,
    prices: new PriceBook({ ...world, region, published: false }),
    quota: { sequence: 0, refusal: () => undefined },
    unavailable: { sequence: 0, why: () => undefined },
    listSkus: async () => skus,
  });
  provider.refresh(skus);
  return provider;
}

// ---------------------------------------------------------------------------------------------------

/** Of the rest, so many are left out for one that stays. */
const EVERY = 16;

/** The largest of every family, so that what does not fit there fits nowhere, and a few of the rest. */
function chosen(skus: readonly ResourceSku[]): readonly ResourceSku[] {
  const largest = new Map<string, ResourceSku>();
  for (const sku of skus) {
    const known = largest.get(sku.family ?? '');
    if (known === undefined || amountOf(sku) > amountOf(known)) largest.set(sku.family ?? '', sku);
  }
  const kept = new Set(largest.values());
  return skus.filter((sku, index) => kept.has(sku) || index % EVERY === 0);
}

/** Memory decides where cores are equal. */
function amountOf({ capabilities = [] }: ResourceSku): number {
  const amount = (wanted: string) => Number(capabilities.find(({ name }) => name === wanted)?.value ?? 0);
  return amount('vCPUs') * 1e6 + amount('MemoryGB');
}

function moved(skus: readonly ResourceSku[], region: string): readonly ResourceSku[] {
  return skus.map((sku) => ({
    ...sku,
    locations: [region],
    locationInfo: (sku.locationInfo ?? []).map((info) => ({ ...info, location: region })),
  }));
}
