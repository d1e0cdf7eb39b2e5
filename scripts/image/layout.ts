/**
 * The files of an OCI image layout: blobs by their hash, a manifest for each platform, an index over all of them. All of it
 * is a function of the content, so the same content has the same digest. What is in the layers is decided elsewhere.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { ImageArchitecture } from './debian.ts';
import { type TarEntry, writeTar } from './tar.ts';

export interface Layer {
  /** What it holds, for `docker history`. */
  readonly title: string;
  readonly entries: readonly TarEntry[];
}

/** What is said of the image: config, labels and time. */
export interface ImageSettings {
  /** ISO 8601. */
  readonly created: string;
  readonly user: string;
  readonly env: readonly string[];
  readonly entrypoint: readonly string[];
  /** As labels of the config, and as annotations of manifest and index. */
  readonly labels: Readonly<Record<string, string>>;
}

export interface Blob {
  readonly mediaType: string;
  /** `sha256:…`. */
  readonly digest: string;
  readonly content: Buffer;
}

export interface PlatformImage {
  readonly architecture: ImageArchitecture;
  readonly manifest: Blob;
  readonly config: Blob;
  readonly layers: readonly Blob[];
}

export function platformImage(
  architecture: ImageArchitecture,
  layers: readonly Layer[],
  settings: ImageSettings,
): PlatformImage {
  const archives = layers.map(({ title, entries }) => ({ title, archive: writeTar(entries, ENTRY_TIME) }));
  const packed = archives.map(({ archive }) =>
    blob(`${OCI}.layer.v1.tar+gzip`, gzipSync(archive, { level: 6 })),
  );
  const config = jsonBlob(`${OCI}.config.v1+json`, {
    created: settings.created,
    architecture,
    os: 'linux',
    config: {
      User: settings.user,
      Env: settings.env,
      Entrypoint: settings.entrypoint,
      Labels: settings.labels,
    },
    rootfs: { type: 'layers', diff_ids: archives.map(({ archive }) => digestOf(archive)) },
    history: archives.map(({ title }) => ({ created: settings.created, created_by: title })),
  });
  const manifest = jsonBlob(`${OCI}.manifest.v1+json`, {
    schemaVersion: 2,
    mediaType: `${OCI}.manifest.v1+json`,
    config: descriptor(config),
    layers: packed.map((layer) => descriptor(layer)),
    annotations: settings.labels,
  });
  return { architecture, manifest, config, layers: packed };
}

/** The index over the platforms: its digest is the digest of the image. */
export function imageIndex(images: readonly PlatformImage[], settings: ImageSettings): Blob {
  return jsonBlob(INDEX_TYPE, {
    schemaVersion: 2,
    mediaType: INDEX_TYPE,
    manifests: images.map(({ manifest, architecture }) => ({
      ...descriptor(manifest),
      platform: { architecture, os: 'linux' },
    })),
    annotations: settings.labels,
  });
}

/** Files of a layout by path. `root` is what the layout is of: an index, or the manifest of one platform. */
export function layoutFiles(
  root: Blob,
  blobs: readonly Blob[],
  reference: string,
): ReadonlyMap<string, Buffer> {
  const [, tag] = /:([^:/]+)$/.exec(reference) ?? [];
  const annotations = { 'org.opencontainers.image.ref.name': tag, 'io.containerd.image.name': reference };
  return new Map([
    ['oci-layout', json({ imageLayoutVersion: '1.0.0' })],
    [
      'index.json',
      json({
        schemaVersion: 2,
        mediaType: INDEX_TYPE,
        manifests: [{ ...descriptor(root), annotations }],
      }),
    ],
    ...[root, ...blobs].map((each): [string, Buffer] => [blobPath(each), each.content]),
  ]);
}

/** An archive of one platform that `ctr images import` and `docker load` take, the latter by its `manifest.json`. */
export function importArchive(image: PlatformImage, reference: string): Buffer {
  const files = new Map(layoutFiles(image.manifest, [image.config, ...image.layers], reference));
  const forDocker = [
    { Config: blobPath(image.config), RepoTags: [reference], Layers: image.layers.map(blobPath) },
  ];
  files.set('manifest.json', json(forDocker));
  const entries = [...files].map(([name, content]) => ({
    kind: 'file' as const,
    name,
    mode: 0o644,
    content,
  }));
  return writeTar(entries, ENTRY_TIME);
}

export function writeFiles(folder: string, files: ReadonlyMap<string, Buffer>): void {
  for (const [name, content] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

// ---------------------------------------------------------------------------------------------------

const OCI = 'application/vnd.oci.image';
const INDEX_TYPE = `${OCI}.index.v1+json`;
/** Of every entry, as a Unix time: a layer with the same content has the same digest in every version. */
const ENTRY_TIME = 0;

const digestOf = (content: Buffer) => `sha256:${createHash('sha256').update(content).digest('hex')}`;
const blobPath = ({ digest }: Blob) => `blobs/${digest.replace(':', '/')}`;
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const jsonBlob = (mediaType: string, value: unknown) => blob(mediaType, json(value));

function blob(mediaType: string, content: Buffer): Blob {
  return { mediaType, digest: digestOf(content), content };
}

function descriptor({ mediaType, digest, content }: Blob) {
  return { mediaType, digest, size: content.length };
}
