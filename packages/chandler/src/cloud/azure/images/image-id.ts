/** How images are named in Azure: ids of community and shared galleries, with and without their version. */
import type { Gallery, ImageDefinition } from './families.table.ts';

export function communityImageId(gallery: Gallery, definition: ImageDefinition, version: string): string {
  return `/CommunityGalleries/${gallery.community}/images/${definition.name}/versions/${version}`;
}

export function sharedImageId(
  subscriptionId: string,
  gallery: Gallery,
  definition: ImageDefinition,
  version: string,
): string {
  return (
    `/subscriptions/${subscriptionId}/resourceGroups/${gallery.resourceGroup}/providers/Microsoft.Compute` +
    `/galleries/${gallery.name}/images/${definition.name}/versions/${version}`
  );
}

export interface ParsedImageId {
  /** Everything before the version. */
  readonly base: string;
  readonly definition: string;
  readonly version: string;
  readonly community: boolean;
}

/** Nothing for what is no image of a gallery. */
export function parseImageId(id: string): ParsedImageId | undefined {
  const match = /^(.+\/images\/([^/]+))\/versions\/([^/]+)$/i.exec(id);
  if (match === null) return undefined;
  return { base: match[1]!, definition: match[2]!, version: match[3]!, community: isCommunityImage(id) };
}

export function isCommunityImage(id: string): boolean {
  return /^\/CommunityGalleries\//i.test(id);
}

/** As the VM object wants it. */
export type ImageReference = { readonly id: string } | { readonly communityGalleryImageId: string };

export function imageReference(id: string): ImageReference {
  return isCommunityImage(id) ? { communityGalleryImageId: id } : { id };
}

/** The id of a VM's image, as claims record it: the reference that is there, else the four parts of a market image. */
export function imageIdOf(
  reference: {
    readonly id?: string;
    readonly communityGalleryImageId?: string;
    readonly sharedGalleryImageId?: string;
    readonly publisher?: string;
    readonly offer?: string;
    readonly sku?: string;
    readonly version?: string;
  } = {},
): string | undefined {
  const direct = reference.id ?? reference.communityGalleryImageId ?? reference.sharedGalleryImageId;
  if (direct !== undefined) return direct;
  if (reference.publisher === undefined) return undefined;
  const { publisher, offer = '', sku = '', version = '' } = reference;
  return `${publisher}:${offer}:${sku}:${version}`;
}
