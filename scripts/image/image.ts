/** Puts the image together: layers, config, manifests and index, from the published package in dist/; and writes them. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BuildFacts } from '../build/build-facts.ts';
import { nodePackage } from '../build/node-package.ts';
import { BILL, imageBill } from '../sbom/bills.ts';
import { type ImageArchitecture, packagesOf } from './debian.ts';
import {
  type ImageSettings,
  imageIndex,
  importArchive,
  layoutFiles,
  type PlatformImage,
  platformImage,
  writeFiles,
} from './layout.ts';
import { debianLayer, IMAGE_PROGRAM, NONROOT, nodeLayer, programLayer } from './root-files.ts';

export const ARCHITECTURES: readonly ImageArchitecture[] = ['amd64', 'arm64'];
/** As containerd names an image without a registry. */
export const DEFAULT_NAME = 'docker.io/library/chandler';

export interface ImageRequest {
  /** Of the repository. */
  readonly root: string;
  /** The published package. */
  readonly dist: string;
  /** To write to; what was there is removed. */
  readonly folder: string;
  /** Without a tag; the tag is the version. */
  readonly name: string;
  readonly architectures: readonly ImageArchitecture[];
  readonly facts: BuildFacts;
}

export interface BuiltImage {
  /** Of the index over all architectures. */
  readonly digest: string;
  readonly platforms: readonly {
    readonly architecture: ImageArchitecture;
    readonly digest: string;
    readonly packedBytes: number;
  }[];
}

export function buildImage({ root, dist, folder, name, architectures, facts }: ImageRequest): BuiltImage {
  const settings = imageSettings(dist, facts);
  const reference = `${name}:${facts.version}`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const images = architectures.map((architecture) => {
    const node = nodePackage(root, `node-linux-${architecture === 'amd64' ? 'x64' : architecture}`);
    const bundle = readFileSync(join(dist, BILL));
    const bill = imageBill({ architecture, bundle, node, debian: packagesOf(architecture) }, facts);
    const layers = [
      debianLayer(architecture),
      nodeLayer(node.folder, node.version),
      programLayer(dist, bill),
    ];
    const image = platformImage(architecture, layers, settings);
    const file = `chandler-${facts.version}-image-linux-${architecture}`;
    writeFileSync(join(folder, `${file}.tar`), importArchive(image, reference));
    writeFileSync(join(folder, `${file}.cdx.json`), bill);
    return image;
  });
  const index = imageIndex(images, settings);
  const blobs = images.flatMap(({ manifest, config, layers }) => [manifest, config, ...layers]);
  writeFiles(join(folder, 'layout'), layoutFiles(index, blobs, reference));
  const built = { digest: index.digest, platforms: images.map(summary) };
  writeFileSync(join(folder, 'digests.json'), `${JSON.stringify(built, undefined, 2)}\n`);
  return built;
}

// ---------------------------------------------------------------------------------------------------

function summary({ architecture, manifest, config, layers }: PlatformImage) {
  const packedBytes = [config, ...layers].reduce((sum, { content }) => sum + content.length, 0);
  return { architecture, digest: manifest.digest, packedBytes };
}

function imageSettings(dist: string, { version, commit, time }: BuildFacts): ImageSettings {
  const { description, license } = JSON.parse(readFileSync(join(dist, 'package.json'), 'utf8')) as {
    readonly description: string;
    readonly license: string;
  };
  const created = new Date(time === 'unknown' ? 0 : time).toISOString();
  return {
    created,
    user: `${NONROOT}:${NONROOT}`,
    env: ['PATH=/usr/local/bin:/usr/bin'],
    entrypoint: [IMAGE_PROGRAM],
    labels: {
      'org.opencontainers.image.created': created,
      'org.opencontainers.image.description': description,
      'org.opencontainers.image.licenses': license,
      'org.opencontainers.image.revision': commit,
      'org.opencontainers.image.title': 'chandler',
      'org.opencontainers.image.version': version,
    },
  };
}
