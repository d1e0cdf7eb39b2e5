/** Lists of Azure that several parts read, each a walk over all pages. What they mean is decided where they are used. */
import { type ArmClients, jsonPages, pagesOf } from '../../../arm/index.ts';
import type { CommunityVersion, ImageReaders, NodeImageVersion } from '../images/index.ts';
import type { ComputeUsage } from '../quota/index.ts';
import type { ResourceSku } from '../sizes/index.ts';

/** Read as it is on the wire: the model of the SDK drops the zones of `zoneDetails`, which Azure spells `Name`. */
export function skuLister(
  clients: Pick<ArmClients, 'getJson' | 'environment' | 'subscriptionId'>,
  region: string,
): () => Promise<Iterable<ResourceSku>> {
  const filter = encodeURIComponent(`location eq '${region}'`);
  return () =>
    jsonPages<ResourceSku>(
      clients,
      `/subscriptions/${clients.subscriptionId}/providers/Microsoft.Compute/skus?api-version=${RESOURCE_SKUS}&$filter=${filter}`,
    );
}

export function usageLister(clients: ArmClients, region: string): () => Promise<Iterable<ComputeUsage>> {
  return async () => {
    const compute = await clients.compute();
    const usages: ComputeUsage[] = [];
    for await (const usage of pagesOf(compute.usage.list(region))) usages.push(usage);
    return usages;
  };
}

export interface ImageReadersOptions {
  readonly clients: ArmClients;
  readonly region: string;
}

export function imageReaders({ clients, region }: ImageReadersOptions): ImageReaders {
  return {
    async listCommunityVersions(gallery, definition) {
      const compute = await clients.compute();
      const found: CommunityVersion[] = [];
      const list = compute.communityGalleryImageVersions.list(region, gallery, definition);
      for await (const each of pagesOf(list)) {
        const { name = '', publishedDate, excludeFromLatest } = each;
        found.push({
          name,
          ...(publishedDate === undefined ? {} : { publishedDate: publishedDate.toISOString() }),
          ...(excludeFromLatest === undefined ? {} : { excludeFromLatest }),
        });
      }
      return found;
    },
    listNodeImageVersions: () =>
      jsonPages<NodeImageVersion>(
        clients,
        `/subscriptions/${clients.subscriptionId}/providers/Microsoft.ContainerService/locations/${region}/nodeImageVersions?api-version=${NODE_IMAGE_VERSIONS}`,
      ),
  };
}

// ---------------------------------------------------------------------------------------------------

const RESOURCE_SKUS = '2021-07-01';
/** The list is in a preview of the API that the SDK does not have. */
const NODE_IMAGE_VERSIONS = '2026-05-02-preview';
