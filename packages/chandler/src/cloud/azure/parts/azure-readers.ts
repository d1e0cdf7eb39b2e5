/** Lists of Azure that several parts read, each a walk over all pages. What they mean is decided where they are used. */
import type { ArmClients } from '../../../arm/index.ts';
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
    allPages<ResourceSku>(
      clients,
      `/subscriptions/${clients.subscriptionId}/providers/Microsoft.Compute/skus?api-version=${RESOURCE_SKUS}&$filter=${filter}`,
    );
}

export function usageLister(clients: ArmClients, region: string): () => Promise<Iterable<ComputeUsage>> {
  return async () => {
    const compute = await clients.compute();
    const usages: ComputeUsage[] = [];
    for await (const usage of compute.usage.list(region)) usages.push(usage);
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
      for await (const each of compute.communityGalleryImageVersions.list(region, gallery, definition)) {
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
      allPages<NodeImageVersion>(
        clients,
        `/subscriptions/${clients.subscriptionId}/providers/Microsoft.ContainerService/locations/${region}/nodeImageVersions?api-version=${NODE_IMAGE_VERSIONS}`,
      ),
  };
}

// ---------------------------------------------------------------------------------------------------

const RESOURCE_SKUS = '2021-07-01';
/** The list is in a preview of the API that the SDK does not have. */
const NODE_IMAGE_VERSIONS = '2026-05-02-preview';

async function allPages<T>(
  { getJson, environment }: Pick<ArmClients, 'getJson' | 'environment'>,
  path: string,
): Promise<readonly T[]> {
  const found: T[] = [];
  let url: string | undefined = `${environment.resourceManagerUrl}${path}`;
  while (url !== undefined) {
    const page = (await getJson(url)) as { readonly value?: readonly T[]; readonly nextLink?: string };
    found.push(...(page.value ?? []));
    url = page.nextLink || undefined;
  }
  return found;
}
