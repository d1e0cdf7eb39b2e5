import { virtualWorld } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FolderMachine, folderMachine } from '../../../../../test/flexnode/machine/folder-context.ts';
import { type Mirror, startMirror } from '../../../../../test/flexnode/standins/mirror.ts';
import { sampleConfig } from '../config/config.fixture.ts';
import type { FlexConfig } from '../config/config.ts';
import { failure } from '../flex-error.fixture.ts';
import { targetConfig } from '../upgrade/versions.ts';
import { artifactRequests } from './artifact-requests.ts';
import type { ArtifactRequest } from './artifacts.ts';
import { makeBundle, verifyBundle } from './bundle.ts';
import { parseManifest } from './bundle-manifest.ts';
import { createArtifacts } from './create-artifacts.ts';
import type { DownloadTools } from './download.ts';
import { layoutPath } from './sources.ts';

const BOTH = ['amd64', 'arm64'] as const;
const REQUESTS = BOTH.flatMap((architecture) => artifactRequests(sampleConfig(), architecture));
const KUBELET: ArtifactRequest = { kind: 'kubelet', version: '1.32.7', architecture: 'arm64' };

let mirror: Mirror;
let machine: FolderMachine;

beforeEach(async () => {
  mirror = await startMirror(REQUESTS);
  machine = await folderMachine();
});
afterEach(async () => {
  await mirror.close();
  await machine.close();
});

describe.each(['/srv/bundle', '/srv/bundle.tar'])('a bundle in %s', (out) => {
  test('contains every file with its hash, for both architectures', async () => {
    const manifest = await made(out);
    expect(manifest).toMatchObject({
      schemaVersion: 1,
      versions: { kubernetes: '1.32.7', containerd: '1.7.20', runc: '1.1.12', cni: '1.5.1' },
    });
    expect(manifest.files.map(({ path }) => path)).toEqual(REQUESTS.map(layoutPath).sort());
    expect(await verifyBundle(out, machine.host)).toEqual([]);
    expect(await machine.host.list('/srv')).toEqual([out.slice('/srv/'.length)]);
  });

  test('provides all files on a machine without network access', async () => {
    await made(out);
    for (const request of REQUESTS) {
      const file = await offline(out).obtain(request, machine.host);
      const bytes = Buffer.from((await machine.host.readFile(file.path))!);
      expect(bytes.equals(mirror.file(layoutPath(request)))).toBe(true);
      expect(file).toMatchObject({
        from: `${out}:${layoutPath(request)}`,
        bytes: mirror.file(layoutPath(request)).length,
      });
    }
  });

  test('is rejected if it lacks the requested version, and the error lists its versions', async () => {
    await made(out);
    const request: ArtifactRequest = { ...KUBELET, version: '1.33.0' };
    await expect(offline(out).obtain(request, machine.host)).rejects.toMatchObject({
      facts: { code: 'bundle.lacks', message: expect.stringContaining('made for kubernetes 1.32.7') },
    });
  });

  test('is rejected if it does not exist', async () => {
    await expect(offline(out).obtain(KUBELET, machine.host)).rejects.toMatchObject({
      facts: { code: 'bundle.unreadable' },
    });
  });
});

test('a bundle contains single programs even if the config names an archive of them', async () => {
  const urlTemplates = ['https://files.example/v%s/kubernetes-node-linux-%s.tar.gz'];
  const manifest = await made('/srv/bundle', sampleConfig({ ...downloads(), kubernetes: { urlTemplates } }));
  expect(manifest.files.map(({ path }) => path)).toContain(layoutPath(KUBELET));
});

describe('[004-SEC-4] a modified bundle', () => {
  test('is rejected if a file differs, and verification finds the file', async () => {
    await made('/srv/bundle');
    await machine.put(`/srv/bundle/${layoutPath(KUBELET)}`, 'something else');
    expect(await verifyBundle('/srv/bundle', machine.host)).toEqual([layoutPath(KUBELET)]);
    await expect(offline('/srv/bundle').obtain(KUBELET, machine.host)).rejects.toMatchObject({
      facts: { code: 'bundle.hash-mismatch' },
    });
  });

  test('is rejected if a file and its manifest entry differ, because the built-in hash decides', async () => {
    const manifest = await made('/srv/bundle');
    const path = layoutPath(KUBELET);
    await machine.put(`/srv/bundle/${path}`, 'evil');
    const files = manifest.files.map((file) =>
      file.path === path ? { ...file, sha256: 'f16c8f9f5e2d3a1e'.padEnd(64, '0') } : file,
    );
    await machine.put('/srv/bundle/manifest.json', JSON.stringify({ ...manifest, files }));
    await expect(offline('/srv/bundle').obtain(KUBELET, machine.host)).rejects.toMatchObject({
      facts: { code: 'bundle.hash-mismatch' },
    });
  });

  test('without the Arc agent says that its hash must be in the config before the bundle is made', async () => {
    await made('/srv/bundle');
    const agent = { kind: 'azcmagent', version: '1.59', architecture: 'arm64' } as const;
    const { code, remedy } = await failure(offline('/srv/bundle').obtain(agent, machine.host));
    expect(code).toBe('bundle.lacks');
    expect(remedy).toContain('"azcmagent/1.59/arm64"');
  });

  test('is found by the version of Kubernetes, if its path contains it', async () => {
    await made('/srv/v1.32.7/bundle-1.32.7');
    const template = '/srv/{{.KubernetesVersion}}/bundle-{{ .KubernetesVersionNoV }}';
    const file = await offline(template).obtain(KUBELET, machine.host);
    expect(file.from).toContain('/srv/v1.32.7/bundle-1.32.7:');
    const newer = targetConfig(configured(), { kubernetes: '1.33.2' });
    const { message } = await failure(offline(template, newer).obtain(KUBELET, machine.host));
    expect(message).toContain('/srv/v1.33.2/bundle-1.33.2');
  });

  test('cannot introduce a version without a known hash', async () => {
    await made('/srv/bundle');
    const config = { ...sampleConfig({ downloads: { bundle: '/srv/bundle' } }) };
    const odd = { ...KUBELET, version: '1.32.777' };
    const manifest = {
      schemaVersion: 1,
      versions: {},
      files: [{ path: layoutPath(odd), sha256: '0'.repeat(64), bytes: 1 }],
    };
    await machine.put('/srv/bundle/manifest.json', JSON.stringify(manifest));
    await expect(offline('/srv/bundle', config).obtain(odd, machine.host)).rejects.toMatchObject({
      facts: { code: 'download.hash-unknown' },
    });
  });
});

test.each([
  ['not JSON', '{'],
  ['a list', '[]'],
  ['another schema', '{"schemaVersion": 2}'],
  ['versions that are not strings', '{"schemaVersion":1,"versions":{"runc":1},"files":[]}'],
  ['no hashes', '{"schemaVersion":1,"versions":{},"files":[{"path":"a"}]}'],
  [
    'a path outside the bundle',
    `{"schemaVersion":1,"versions":{},"files":[{"path":"../a","bytes":1,"sha256":"${'0'.repeat(64)}"}]}`,
  ],
])('a manifest with %s is rejected', (_, text) => {
  expect(parseManifest(text)).toEqual(expect.any(String));
});

// ---------------------------------------------------------------------------------------------------

function downloads() {
  return { downloads: { mirrors: [mirror.url], sha256: mirror.sha256 } };
}

function configured(): FlexConfig {
  return sampleConfig(downloads());
}

function made(out: string, config: FlexConfig = configured()) {
  const tools: DownloadTools = {
    world: virtualWorld(),
    host: machine.host,
    fetch: (input, init) => globalThis.fetch(input, init),
    signal: new AbortController().signal,
    say: () => undefined,
  };
  return makeBundle({ config, architectures: BOTH, out }, tools);
}

function offline(bundle: string, config: FlexConfig = configured()) {
  return createArtifacts(virtualWorld(), {
    config: { ...config, downloads: { ...config.downloads, mirrors: [], bundle } },
    architecture: 'arm64',
    fetch: () => Promise.reject(new Error('no network')),
    say: () => undefined,
  });
}
