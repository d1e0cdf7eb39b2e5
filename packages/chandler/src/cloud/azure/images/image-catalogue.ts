/**
 * The newest images of AKS for a node class, read from the galleries and remembered for three days. What becomes of them
 * is decided in images-status.ts. A gallery that lists no version of an image it should have is an error with a name:
 * without it an id without a version would go into the status and fail only at launch.
 */
import type { Clock } from '@chandler/kube';
import type { AKSNodeClassSpec } from '../../../api/index.ts';
import type { Sourced } from '../../../settings/index.ts';
import { CloudError } from '../../index.ts';

import { type ResolvedFamily, resolveFamily } from './family.ts';
import { communityImageId, sharedImageId } from './image-id.ts';
import { imageRequirements, type NodeImage } from './images-status.ts';
import {
  type CommunityVersion,
  type NodeImageVersion,
  newestCommunityVersion,
  newestNodeImages,
} from './versions.ts';

export const IMAGE_CACHE_MS = 3 * 24 * 60 * 60 * 1000;

export interface ImageReaders {
  /** All versions of a definition in a community gallery, in the region of the cluster. */
  listCommunityVersions(gallery: string, definition: string): Promise<readonly CommunityVersion[]>;
  /** All node images of AKS in the region of the cluster. */
  listNodeImageVersions(): Promise<readonly NodeImageVersion[]>;
}

export interface ImageCatalogueOptions {
  readonly clock: Clock;
  readonly readers: ImageReaders;
  readonly useSig: Sourced<boolean>;
  readonly sigSubscriptionId: Sourced<string>;
}

export interface ImageCatalogue {
  /** In order of preference; empty where AKS builds none. @throws {CloudError} when a gallery cannot be read or is empty. */
  newest(spec: AKSNodeClassSpec, kubernetesVersion: Sourced<string>): Promise<readonly NodeImage[]>;
  /** Asks the galleries again next time. */
  forget(): void;
}

export function imageCatalogue(options: ImageCatalogueOptions): ImageCatalogue {
  const { clock } = options;
  const cache = new Map<string, { readonly untilMs: number; readonly images: readonly NodeImage[] }>();
  return {
    async newest(spec, kubernetesVersion) {
      const resolved = resolveFamily(spec, kubernetesVersion);
      const key = [
        resolved.family.name,
        resolved.variant,
        options.useSig.value,
        options.sigSubscriptionId.value,
        kubernetesVersion.value,
      ].join(' ');
      const known = cache.get(key);
      if (known !== undefined && clock.monotonic() < known.untilMs) return known.images;
      const images = await (options.useSig.value
        ? fromShared(options, resolved)
        : fromCommunity(options, resolved));
      // What has run out is dropped on the way, so that versions of long ago do not pile up.
      for (const [old, { untilMs }] of cache) if (untilMs <= clock.monotonic()) cache.delete(old);
      cache.set(key, { untilMs: clock.monotonic() + IMAGE_CACHE_MS, images });
      return images;
    },
    forget: () => cache.clear(),
  };
}

// ---------------------------------------------------------------------------------------------------

async function fromCommunity(
  { readers }: ImageCatalogueOptions,
  { family, variant, definitions }: ResolvedFamily,
): Promise<NodeImage[]> {
  // FIPS images are in no community gallery.
  if (variant === 'fips' || variant === 'fipsTrustedLaunch') return [];
  return Promise.all(
    definitions.map(async (definition) => {
      const versions = await readers.listCommunityVersions(family.gallery.community, definition.name);
      const version = newestCommunityVersion(versions);
      if (version === undefined) {
        throw new CloudError(
          'NodeClassNotReady',
          `the community gallery ${family.gallery.community} lists no version of image ${definition.name} in this region`,
          { reason: 'ImagesNotFound' },
        );
      }
      return {
        id: communityImageId(family.gallery, definition, version),
        requirements: imageRequirements(definition),
      };
    }),
  );
}

async function fromShared(
  { readers, sigSubscriptionId }: ImageCatalogueOptions,
  { family, definitions }: ResolvedFamily,
): Promise<NodeImage[]> {
  const listed = await readers.listNodeImageVersions();
  const newest = newestNodeImages(listed, family.gallery.name);
  if (definitions.length > 0 && newest.size === 0) {
    throw new CloudError(
      'NodeClassNotReady',
      `AKS lists no node image of ${family.gallery.name} in this region`,
      { reason: 'ImagesNotFound' },
    );
  }
  return definitions.flatMap((definition) => {
    const version = newest.get(definition.name);
    if (version === undefined) return [];
    return [
      {
        id: sharedImageId(sigSubscriptionId.value, family.gallery, definition, version),
        requirements: imageRequirements(definition),
      },
    ];
  });
}
