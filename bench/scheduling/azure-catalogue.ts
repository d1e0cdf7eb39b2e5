/**
 * The instance types of Azure as `chandler simulate` knows them without a cloud: sizes, labels, zones and list prices of one
 * region. Types with GPUs are left out.
 */
import { AzureSizes } from '@chandler/cloudsim/azure';
import { diagnosisOf } from '../../packages/chandler/src/cloud/registry.ts';
import type { InstanceType, Offering } from '../../packages/chandler/src/scheduling/index.ts';

import { benchWorld } from '../world.ts';

export const AZURE_TYPES = 421;

export interface AzureCatalogue {
  readonly types: readonly InstanceType[];
  readonly zones: readonly string[];
  readonly wellKnownLabels: readonly string[];
}

/** The first 421 types by name. */
export async function azureCatalogue(): Promise<AzureCatalogue> {
  const { types, ...rest } = await wholeCatalogue();
  return { ...rest, types: types.slice(0, AZURE_TYPES).map(plain) };
}

/** All types that have a list price, with the number of disks that they can attach. */
export async function pricedAzureCatalogue(): Promise<AzureCatalogue> {
  const { types, ...rest } = await wholeCatalogue();
  const priced = types.filter(({ offerings }) => offerings.every(isListed));
  return {
    ...rest,
    types: priced.map((type) => {
      const { volumeAttachmentLimits } = type;
      return { ...plain(type), ...(volumeAttachmentLimits === undefined ? {} : { volumeAttachmentLimits }) };
    }),
  };
}

// ---------------------------------------------------------------------------------------------------

/** By name, without those that have GPUs. */
async function wholeCatalogue(): Promise<AzureCatalogue> {
  const { catalogue } = await diagnosisOf('azure').diagnosis();
  const region = catalogue.homeRegion;
  const sizes = new AzureSizes().skus(region);
  const provider = await catalogue.provider({ world: benchWorld(), region, sizes, howMany: 'all' });
  const types = provider
    .instanceTypes(undefined)
    .filter((type) => type.requirements.every((row) => row.key !== GPU_COUNT || row.values?.[0] === '0'))
    .sort((first, second) => (first.name < second.name ? -1 : 1));
  return {
    types,
    zones: [1, 2, 3].map((zone) => `${region}-${zone}`),
    wellKnownLabels: catalogue.wellKnownLabels,
  };
}

const GPU_COUNT = 'karpenter.azure.com/sku-gpu-count';

function isListed(offering: Offering & { readonly priceEstimated?: true }): boolean {
  return offering.priceEstimated !== true;
}

/** Without what only Azure's provider reads. */
function plain({ name, requirements, offerings, capacity, overhead }: InstanceType): InstanceType {
  return { name, requirements, offerings, capacity, ...(overhead === undefined ? {} : { overhead }) };
}
