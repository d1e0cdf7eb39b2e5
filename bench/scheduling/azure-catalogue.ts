/**
 * The instance types of Azure as `chandler simulate` knows them without a cloud: sizes, labels, zones and list prices of one
 * region. Types with GPUs are left out.
 */
import { AzureSizes } from '@chandler/cloudsim/azure';
import { diagnosisOf } from '../../packages/chandler/src/cloud/registry.ts';
import type { InstanceType } from '../../packages/chandler/src/scheduling/index.ts';

import { benchWorld } from '../world.ts';

export const AZURE_TYPES = 421;

export interface AzureCatalogue {
  readonly types: readonly InstanceType[];
  readonly zones: readonly string[];
  readonly wellKnownLabels: readonly string[];
}

/** The first 421 types by name. */
export async function azureCatalogue(): Promise<AzureCatalogue> {
  const { catalogue } = await diagnosisOf().diagnosis();
  const region = catalogue.homeRegion;
  const sizes = new AzureSizes().skus(region);
  const provider = await catalogue.provider({ world: benchWorld(), region, sizes, howMany: 'all' });
  const types = provider
    .instanceTypes(undefined)
    .filter((type) => type.requirements.every((row) => row.key !== GPU_COUNT || row.values?.[0] === '0'))
    .map(plain)
    .sort((first, second) => (first.name < second.name ? -1 : 1))
    .slice(0, AZURE_TYPES);
  return {
    types,
    zones: [1, 2, 3].map((zone) => `${region}-${zone}`),
    wellKnownLabels: catalogue.wellKnownLabels,
  };
}

// ---------------------------------------------------------------------------------------------------

const GPU_COUNT = 'karpenter.azure.com/sku-gpu-count';

/** Without what only Azure's provider reads. */
function plain({ name, requirements, offerings, capacity, overhead }: InstanceType): InstanceType {
  return { name, requirements, offerings, capacity, ...(overhead === undefined ? {} : { overhead }) };
}
