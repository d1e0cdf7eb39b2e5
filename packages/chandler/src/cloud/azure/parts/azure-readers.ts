/** Lists of Azure that several parts read, each a walk over all pages. What they mean is decided where they are used. */
import type { Fetch, World } from '@chandler/kube';
import { type ArmClients, createHttpClient, getThroughPipeline } from '../../../arm/index.ts';
import type { CommunityVersion, ImageReaders, NodeImageVersion } from '../images/index.ts';
import type { ComputeUsage } from '../quota/index.ts';
import type { ResourceSku } from '../sizes/index.ts';

export function skuLister(clients: ArmClients, region: string): () => Promise<Iterable<ResourceSku>> {
  return async () => {
    const compute = await clients.compute();
    const skus: ResourceSku[] = [];
    for await (const sku of compute.resourceSkus.list({ filter: `location eq '${region}'` })) skus.push(sku);
    return skus;
  };
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
  readonly world: World;
  readonly fetch: Fetch;
  readonly clients: ArmClients;
  readonly region: string;
}

export function imageReaders(options: ImageReadersOptions): ImageReaders {
  const { clients, region } = options;
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
    listNodeImageVersions: () => nodeImageVersions(options),
  };
}

// ---------------------------------------------------------------------------------------------------

/** The list is in a preview of the API that the SDK does not have; its pipeline signs the call all the same. */
const NODE_IMAGE_VERSIONS = '2026-05-02-preview';

async function nodeImageVersions({
  world,
  fetch,
  clients,
  region,
}: ImageReadersOptions): Promise<readonly NodeImageVersion[]> {
  const aks = await clients.containerService();
  const wire = createHttpClient({ world, fetch });
  const found: NodeImageVersion[] = [];
  let url: string | undefined =
    `${clients.environment.resourceManagerUrl}/subscriptions/${clients.subscriptionId}` +
    `/providers/Microsoft.ContainerService/locations/${region}/nodeImageVersions?api-version=${NODE_IMAGE_VERSIONS}`;
  while (url !== undefined) {
    const answer = await getThroughPipeline(aks, wire, url);
    if (answer.status !== 200)
      throw new Error(`the list of node image versions of ${region} returned status ${answer.status}`);
    const page = JSON.parse(answer.bodyAsText ?? '{}') as {
      readonly value?: readonly NodeImageVersion[];
      readonly nextLink?: string;
    };
    found.push(...(page.value ?? []));
    url = page.nextLink || undefined;
  }
  return found;
}
