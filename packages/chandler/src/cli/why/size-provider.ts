/** Makes instance types of the built-in catalogue, all of them or enough for most questions. */
import {
  AZURE_CONTROLLER_OPTIONS,
  type InstanceTypeProvider,
  type ResourceSku,
} from '../../cloud/azure/index.ts';
import { resolveOptions } from '../../settings/index.ts';

import { HOME_REGION, offlineInstanceTypes, offlineSkus } from '../offline-sizes.ts';
import type { PlannerWorld } from './planner-world.ts';

/** `some`: the largest of every family and a few of the rest. */
export function sizeProvider(
  world: PlannerWorld,
  region: string | undefined,
  howMany: 'some' | 'all',
): InstanceTypeProvider {
  const at = region ?? HOME_REGION;
  const all = offlineSkus(at);
  const { values } = resolveOptions(AZURE_CONTROLLER_OPTIONS, { args: [], env: {}, readFile: () => '' });
  return offlineInstanceTypes({
    world,
    region: at,
    options: values,
    skus: howMany === 'all' ? all : chosen(all),
  });
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
