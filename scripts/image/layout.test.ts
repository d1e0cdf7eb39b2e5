import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { imageIndex, importArchive, layoutFiles, platformImage } from './layout.ts';
import { readTar } from './tar.ts';

const SETTINGS = {
  created: '2026-01-02T03:04:05.000Z',
  user: '65532:65532',
  env: ['PATH=/usr/local/bin'],
  entrypoint: ['/usr/local/bin/chandler'],
  labels: { 'org.opencontainers.image.version': '1.2.3' },
};
const anImage = (architecture: 'amd64' | 'arm64', text = 'hello') =>
  platformImage(
    architecture,
    [
      {
        title: 'one file',
        entries: [{ kind: 'file', name: 'a', mode: 0o644, content: Buffer.from(text) }],
      },
    ],
    SETTINGS,
  );
const digestOf = (content: Buffer) => `sha256:${createHash('sha256').update(content).digest('hex')}`;
const parsed = (content: Buffer | undefined) => JSON.parse(content!.toString());

test('everything that a layout refers to is in it, under its hash', () => {
  const images = [anImage('amd64'), anImage('arm64')];
  const index = imageIndex(images, SETTINGS);
  const blobs = images.flatMap(({ manifest, config, layers }) => [manifest, config, ...layers]);
  const files = layoutFiles(index, blobs, 'example.org/chandler:1.2.3');
  const get = ({ digest, size }: { digest: string; size: number }) => {
    const content = files.get(`blobs/${digest.replace(':', '/')}`);
    expect([digestOf(content!), content!.length]).toEqual([digest, size]);
    return content!;
  };
  const [top] = parsed(files.get('index.json')).manifests;
  expect(top.annotations).toEqual({
    'org.opencontainers.image.ref.name': '1.2.3',
    'io.containerd.image.name': 'example.org/chandler:1.2.3',
  });
  const { manifests } = parsed(get(top));
  expect(manifests.map(({ platform }: { platform: object }) => platform)).toEqual([
    { architecture: 'amd64', os: 'linux' },
    { architecture: 'arm64', os: 'linux' },
  ]);
  for (const each of manifests) {
    const manifest = parsed(get(each));
    const config = parsed(get(manifest.config));
    expect(config.architecture).toBe(each.platform.architecture);
    expect(config.config).toMatchObject({ User: '65532:65532', Labels: SETTINGS.labels });
    const archives = manifest.layers.map((layer: { digest: string; size: number }) => gunzipSync(get(layer)));
    expect(archives.map(digestOf)).toEqual(config.rootfs.diff_ids);
  }
});

test('the digest changes with the content, and with nothing else', () => {
  const digest = (text?: string) => imageIndex([anImage('amd64', text)], SETTINGS).digest;
  expect(digest()).toBe(digest());
  expect(digest('other')).not.toBe(digest());
});

test('the archive to import has the layout, and the manifest that docker load reads', () => {
  const image = anImage('amd64');
  const entries = readTar(importArchive(image, 'example.org/chandler:1.2.3'));
  const files = new Map(
    entries.flatMap((entry) => (entry.kind === 'file' ? [[entry.name, entry.content]] : [])),
  );
  const [{ Config, RepoTags, Layers }] = parsed(files.get('manifest.json'));
  expect(RepoTags).toEqual(['example.org/chandler:1.2.3']);
  expect(digestOf(files.get(Config)!)).toBe(image.config.digest);
  expect(Layers.map((name: string) => digestOf(files.get(name)!))).toEqual(
    image.layers.map(({ digest }) => digest),
  );
  expect(parsed(files.get('index.json')).manifests[0].digest).toBe(image.manifest.digest);
});
