/**
 * Node images and their versions, as the community galleries, the shared galleries and AKS's own list show them. New
 * versions can be published and old ones withdrawn at run time.
 */
import type { ImageFacts, ImageFinder, ImageReference } from '../compute/services.ts';
import {
  FIRST_VERSIONS,
  type GalleryName,
  IMAGE_DEFINITIONS,
  type ImageDefinitionRow,
  OTHER_NODE_IMAGES,
} from './image-definitions.table.ts';
import { isRegion, regionKey } from './size-family.ts';

export const COMMUNITY_GALLERIES: Readonly<Record<GalleryName, string>> = {
  AKSUbuntu: 'AKSUbuntu-38d80f77-467a-481f-a8d4-09b6d4220bd2',
  AKSAzureLinux: 'AKSAzureLinux-f7c7cda5-1c9a-4bdc-a222-9614c968580b',
};

/** The resource groups of the shared galleries; their subscription is the image publisher's. */
export const GALLERY_GROUPS: Readonly<Record<GalleryName, string>> = {
  AKSUbuntu: 'AKS-Ubuntu',
  AKSAzureLinux: 'AKS-AzureLinux',
};

export interface ImageVersion {
  readonly version: string;
  readonly publishedDate: string;
}

export interface NodeImageVersion {
  readonly os: string;
  readonly sku: string;
  readonly version: string;
  readonly fullName: string;
}

export class ImageGallery implements ImageFinder {
  readonly #definitions: ReadonlyMap<string, Definition>;

  constructor() {
    this.#definitions = new Map(
      IMAGE_DEFINITIONS.map((row) => [
        definitionKey(row[0], row[1]),
        { row, versions: FIRST_VERSIONS.map(([version, publishedDate]) => ({ version, publishedDate })) },
      ]),
    );
  }

  /** Versions of one definition, or of all of a gallery's; `publishedDate` is ISO 8601. */
  publishImage(image: {
    readonly gallery: GalleryName;
    readonly definition?: string;
    readonly version: string;
    readonly publishedDate: string;
  }): void {
    const concerned = this.#of(image.gallery, image.definition);
    if (concerned.length === 0) throw new Error(`no image definition ${image.gallery}/${image.definition}`);
    for (const definition of concerned) {
      const { version, publishedDate } = image;
      definition.versions = [
        ...definition.versions.filter((known) => known.version !== version),
        { version, publishedDate },
      ];
    }
  }

  /** Existing VMs are not affected; new ones cannot be created from it. Without a version: all versions are withdrawn. */
  withdrawImage(gallery: GalleryName, definition: string, version?: string): void {
    for (const found of this.#of(gallery, definition))
      found.versions =
        version === undefined ? [] : found.versions.filter((known) => known.version !== version);
  }

  /** Of a community gallery; undefined: the gallery or the image does not exist. Not ordered by age, as in Azure. */
  communityVersions(publicGallery: string, definition: string): readonly ImageVersion[] | undefined {
    const gallery = galleryOfPublicName(publicGallery);
    const found = gallery && this.#definitions.get(definitionKey(gallery, definition));
    return found?.row[6] ? inOddOrder(found.versions) : undefined;
  }

  isCommunityGallery(publicGallery: string): boolean {
    return galleryOfPublicName(publicGallery) !== undefined;
  }

  /** AKS lists the newest of each definition, and images that no NodePool uses. */
  nodeImageVersions(): NodeImageVersion[] {
    const listed = [...this.#definitions.values()].flatMap(
      ({ row, versions }): [string, string, string][] => {
        const newest = [...versions].sort((one, other) =>
          one.publishedDate < other.publishedDate ? 1 : -1,
        )[0];
        return newest ? [[row[0], row[1], newest.version]] : [];
      },
    );
    return [...OTHER_NODE_IMAGES, ...listed].map(([os, sku, version]) => ({
      os,
      sku,
      version,
      fullName: `${os}-${sku}-${version}`,
    }));
  }

  find(reference: ImageReference, region: string): ImageFacts | undefined {
    if (!isRegion(regionKey(region))) return undefined;
    const community = COMMUNITY_ID.exec(reference.communityGalleryImageId ?? '');
    if (community) {
      const gallery = galleryOfPublicName(community[1]!);
      return gallery && this.#facts(gallery, community[2]!, community[3]!, true);
    }
    const shared = SHARED_ID.exec(reference.id ?? '');
    const gallery = shared && galleryNamed(shared[2]!);
    return shared && gallery && sameText(shared[1]!, GALLERY_GROUPS[gallery])
      ? this.#facts(gallery, shared[3]!, shared[4]!, false)
      : undefined;
  }

  #facts(
    gallery: GalleryName,
    definition: string,
    version: string,
    community: boolean,
  ): ImageFacts | undefined {
    const found = this.#definitions.get(definitionKey(gallery, definition));
    if (found === undefined || (community && !found.row[6])) return undefined;
    if (!found.versions.some((known) => known.version === version)) return undefined;
    const [, , generation, architecture, osDiskSizeGB, trustedLaunch] = found.row;
    return { generation, architecture, osDiskSizeGB, trustedLaunch };
  }

  #of(gallery: GalleryName, definition: string | undefined): Definition[] {
    return [...this.#definitions.values()].filter(
      ({ row }) => row[0] === gallery && (definition === undefined || sameText(row[1], definition)),
    );
  }
}

// ---------------------------------------------------------------------------------------------------

interface Definition {
  readonly row: ImageDefinitionRow;
  versions: readonly ImageVersion[];
}

const COMMUNITY_ID = /^\/CommunityGalleries\/([^/]+)\/images\/([^/]+)\/versions\/([^/]+)$/i;
const SHARED_ID =
  /^\/subscriptions\/[^/]+\/resourceGroups\/([^/]+)\/providers\/Microsoft\.Compute\/galleries\/([^/]+)\/images\/([^/]+)\/versions\/([^/]+)$/i;

function definitionKey(gallery: GalleryName, definition: string): string {
  return `${gallery}/${definition.toLowerCase()}`;
}

function galleryNamed(name: string): GalleryName | undefined {
  return (Object.keys(COMMUNITY_GALLERIES) as GalleryName[]).find((gallery) => sameText(gallery, name));
}

function galleryOfPublicName(name: string): GalleryName | undefined {
  return (Object.keys(COMMUNITY_GALLERIES) as GalleryName[]).find((gallery) =>
    sameText(COMMUNITY_GALLERIES[gallery], name),
  );
}

function sameText(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Odd versions first, then even ones: a caller that takes the first or the last as the newest is wrong. */
function inOddOrder(versions: readonly ImageVersion[]): ImageVersion[] {
  return [
    ...versions.filter((_, at) => at % 2 === 1),
    ...versions.filter((_, at) => at % 2 === 0 && at > 0),
    ...versions.slice(0, 1),
  ];
}
