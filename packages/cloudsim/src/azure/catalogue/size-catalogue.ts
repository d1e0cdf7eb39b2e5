/**
 * The sizes of a region, and the restrictions of this subscription. Quota is counted in quota.ts; what is out of stock is
 * in stock-outs.ts.
 */
import type { EphemeralPlacement, SizeCatalogue, SizeFacts } from '../compute/services.ts';
import { SIZE_FAMILIES } from './families.table.ts';
import {
  isOffered,
  isRegion,
  type Region,
  regionKey,
  type SizeFamily,
  sizesOfFamily,
  type VmSize,
  zonesOf,
} from './size-family.ts';
import { type Sku, skuList } from './sku-list.ts';

export interface SizeCatalogueOptions {
  /** Default: all that are known. */
  readonly families?: readonly SizeFamily[];
  /** Minimum length of the SKU list of a region; it is filled with sizes that are not available. Default: no minimum. */
  readonly skusAtLeast?: number;
}

export class AzureSizes implements SizeCatalogue {
  readonly all: readonly VmSize[];
  readonly #byName: ReadonlyMap<string, VmSize>;
  readonly #restrictions = new Map<string, 'Location' | readonly string[]>();
  readonly #skusAtLeast: number | undefined;
  readonly #lists = new Map<string, Sku[]>();

  constructor(options: SizeCatalogueOptions = {}) {
    this.all = (options.families ?? SIZE_FAMILIES).flatMap(sizesOfFamily);
    this.#byName = new Map(this.all.map((size) => [size.name.toLowerCase(), size]));
    this.#skusAtLeast = options.skusAtLeast;
  }

  sizeOf(name: string, region: string): SizeFacts | undefined {
    const size = this.find(name, region);
    return (
      size && factsOf(size, regionKey(region) as Region, this.restrictedIn(size, regionKey(region) as Region))
    );
  }

  /** Names in any case; undefined: the region does not exist, or does not have the size. */
  find(name: string, region: string): VmSize | undefined {
    const size = this.#byName.get(name.toLowerCase());
    const key = regionKey(region);
    return size !== undefined && isRegion(key) && isOffered(size, key) ? size : undefined;
  }

  restrictedIn(size: VmSize, region: Region): 'Location' | readonly string[] | undefined {
    return this.#restrictions.get(restrictionKey(size.name, region)) ?? tableRestriction(size, region);
  }

  /** Restricts the size in the region, or in these of its zones. */
  restrict(name: string, region: Region, zones?: readonly string[]): void {
    this.#restrictions.set(restrictionKey(name, region), zones ?? 'Location');
    this.#lists.clear();
  }

  /** A region's name in any spelling; undefined: all regions. The list is shared: do not change it. */
  skus(location?: string): readonly Sku[] {
    const key = location === undefined ? '' : regionKey(location);
    let list = this.#lists.get(key);
    if (list === undefined) {
      list = skuList({
        sizes: this.all,
        location,
        restrictedIn: (size, region) => this.restrictedIn(size, region),
        ...(this.#skusAtLeast === undefined ? {} : { atLeast: this.#skusAtLeast }),
      });
      this.#lists.set(key, list);
    }
    return list;
  }
}

// ---------------------------------------------------------------------------------------------------

function restrictionKey(name: string, region: Region): string {
  return `${region}/${name.toLowerCase()}`;
}

function tableRestriction(size: VmSize, region: Region): 'Location' | readonly string[] | undefined {
  if (size.family.restriction === 'Location') return 'Location';
  return size.family.restriction === 'Zone' && region === 'westeurope' ? ['2'] : undefined;
}

function factsOf(
  size: VmSize,
  region: Region,
  restricted: 'Location' | readonly string[] | undefined,
): SizeFacts {
  const { family } = size;
  return {
    name: size.name,
    family: family.quotaFamily,
    vCpus: size.vCpus,
    memoryGiB: size.memoryGiB,
    zones: zonesOf(size, region),
    spot: family.spot !== false,
    architecture: family.cpu ?? 'x64',
    generations: family.generations.split(',') as ('V1' | 'V2')[],
    acceleratedNetworking: family.acceleratedNetworking !== false,
    encryptionAtHost: family.encryptionAtHost !== false,
    trustedLaunch: family.generations.includes('V2') && family.trustedLaunchDisabled !== true,
    ultraSsd: family.ultraSsd !== false,
    premiumIo: family.premiumIo !== false,
    ephemeralGB: ephemeralGB(size),
    ...(restricted === undefined
      ? {}
      : { restricted: restricted === 'Location' ? { region: true } : { zones: restricted } }),
  };
}

/** In GiB, which Azure calls GB. */
function ephemeralGB(size: VmSize): Partial<Record<EphemeralPlacement, number>> {
  const cache = Math.floor(size.cachedGiB);
  const resource = Math.floor(size.resourceGiB);
  switch (size.family.ephemeral) {
    case 'cache':
      return { CacheDisk: cache, ResourceDisk: resource };
    case 'resource':
      return { ResourceDisk: resource };
    case 'nvme':
      return { NvmeDisk: Math.floor(size.nvmeMiB / 1024) };
    default:
      return {};
  }
}
