import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Fetch } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FolderMachine, folderMachine } from '../../../../../test/flexnode/machine/folder-context.ts';
import { type Mirror, startMirror } from '../../../../../test/flexnode/standins/mirror.ts';
import { type DeepPartial, sampleConfig } from '../config/config.fixture.ts';
import type { FlexConfig } from '../config/config.ts';
import { artifactRequests } from './artifact-requests.ts';
import type { ArtifactRequest } from './artifacts.ts';
import { type ArtifactOptions, createArtifacts, DOWNLOADS_FOLDER } from './create-artifacts.ts';
import { createDryRunArtifacts } from './dry-run-artifacts.ts';
import { proxiedFetch } from './proxy-fetch.ts';
import { layoutPath, vendorUrl } from './sources.ts';

const REQUESTS = artifactRequests(sampleConfig(), 'amd64');
const RUNC = REQUESTS[0]!;
const NEW: ArtifactRequest = { kind: 'containerd', version: '1.7.99', architecture: 'amd64' };

let mirror: Mirror;
let machine: FolderMachine;
/** Of the test: what they still fetch must end before the folder is removed. */
const stores: ReturnType<typeof createArtifacts>[] = [];

beforeEach(async () => {
  mirror = await startMirror([...REQUESTS, NEW]);
  machine = await folderMachine();
});
afterEach(async () => {
  for (const store of stores.splice(0)) await store.stop();
  await mirror.close();
  await machine.close();
});

describe('a file that a step obtains', () => {
  test('[004-SEC-14] is verified and stored in a directory that only root can write to', async () => {
    const file = await artifacts().obtain(RUNC, machine.host);
    expect(file.path.startsWith(`${DOWNLOADS_FOLDER}/`)).toBe(true);
    for (const folder of ['/var/lib/chandler-flexnode', DOWNLOADS_FOLDER]) {
      expect((await machine.host.lstat(folder))?.mode).toBe(0o700);
    }
    expect(machine.effects.filter((effect) => /\/tmp|\/root|\/home/.test(effect))).toEqual([]);
  });

  test('is deleted when it is no longer needed; partial downloads are kept', async () => {
    const store = artifacts();
    await store.obtain(RUNC, machine.host);
    await machine.put(`${DOWNLOADS_FOLDER}/x.part`, 'half');
    await store.discard(machine.host);
    expect(await machine.host.list(DOWNLOADS_FOLDER)).toEqual(['x.part']);
  });

  test('[004-SEC-4] is rejected before the download if no hash is known', async () => {
    await expect(artifacts({ downloads: { sha256: {} } }).obtain(NEW, machine.host)).rejects.toMatchObject({
      facts: { code: 'download.hash-unknown', class: 'config' },
    });
    expect(mirror.requests).toEqual([]);
  });

  test('[004-SEC-4] is verified against the published checksum of the vendor only if the config allows it, and never against one of a mirror', async () => {
    const over = { downloads: { sha256: {}, allowPublishedChecksums: true } };
    const vendor = vendorUrl(NEW);
    const asked: string[] = [];
    const file = await artifacts(over, {
      fetch: async (input, init) => {
        asked.push(String(input));
        const path = String(input).startsWith('https://')
          ? `/${layoutPath(NEW)}${String(input).slice(vendor.length)}`
          : undefined;
        return await globalThis.fetch(path === undefined ? String(input) : mirror.url + path, init);
      },
    }).obtain(NEW, machine.host);
    expect(asked[0]).toBe(`${vendor}.sha256sum`);
    expect(file).toMatchObject({
      sha256: mirror.sha256['containerd/1.7.99/amd64'],
      from: `${mirror.url}/${layoutPath(NEW)}`,
    });
  });

  test('of the Arc agent is rejected without a hash in the config, even if published checksums are allowed', async () => {
    const request: ArtifactRequest = { kind: 'azcmagent', version: '1.59', architecture: 'amd64' };
    const store = artifacts({ downloads: { allowPublishedChecksums: true } });
    await expect(store.obtain(request, machine.host)).rejects.toMatchObject({
      facts: { code: 'download.hash-unknown' },
    });
  });
});

describe('prefetching', () => {
  test('downloads a few files at a time in the background', async () => {
    const gate = gated();
    const store = artifacts({}, { fetch: gate.fetch, host: machine.host });
    store.prefetch(REQUESTS);
    await gate.waiting(3);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(gate.count()).toBe(3);
    gate.open();
    for (const request of REQUESTS) await store.obtain(request, machine.host);
    expect(mirror.requests).toHaveLength(REQUESTS.length);
  });

  test('that has failed is started once more when a step needs the file', async () => {
    let isDown = true;
    const asked: string[] = [];
    const fetch: Fetch = async (input, init) => {
      asked.push(String(input));
      return isDown ? new Response('', { status: 403 }) : await globalThis.fetch(String(input), init);
    };
    const store = artifacts({}, { fetch, host: machine.host });
    store.prefetch([RUNC]);
    // The bytes are requested from the mirror, then from the vendor.
    while (asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 20));
    isDown = false;
    expect((await store.obtain(RUNC, machine.host)).sha256).toBe(mirror.sha256['runc/1.1.12/amd64']);
  });

  test('never delays the file that a step waits for', async () => {
    const gate = gated();
    const store = artifacts({}, { fetch: gate.fetch, host: machine.host });
    store.prefetch(REQUESTS);
    await gate.waiting(3);
    const last = store.obtain(REQUESTS.at(-1)!, machine.host);
    await gate.waiting(4);
    gate.open();
    expect((await last).path).toContain('cni-plugins');
  });

  test('reports a failure only to the step that obtains the file', async () => {
    mirror.fail('containerd', 'missing');
    const store = artifacts({}, { host: machine.host });
    store.prefetch(REQUESTS);
    await store.obtain(RUNC, machine.host);
    await expect(store.obtain(REQUESTS[1]!, machine.host)).rejects.toMatchObject({
      facts: { code: 'download.not-found' },
    });
    mirror.heal();
    await store.obtain(REQUESTS[1]!, machine.host);
  });

  test('starts with the first obtained file if no host was given', async () => {
    const store = artifacts();
    store.prefetch(REQUESTS);
    await store.obtain(RUNC, machine.host);
    await store.obtain(REQUESTS.at(-1)!, machine.host);
    expect(mirror.requests.filter(({ path }) => path.includes('runc'))).toHaveLength(1);
  });

  test('stops at the end of the run', async () => {
    const gate = gated();
    const store = artifacts({}, { fetch: gate.fetch, host: machine.host });
    store.prefetch(REQUESTS);
    await gate.waiting(3);
    await store.stop();
    expect(gate.count()).toBe(3);
  });
});

test('a dry run lists the files to download and downloads nothing', async () => {
  const said: unknown[] = [];
  const noted = createDryRunArtifacts({
    config: config(),
    say: (message, fields) => said.push(message, fields),
  });
  noted.prefetch(REQUESTS);
  expect(await noted.obtain(RUNC, machine.host)).toMatchObject({
    sha256: mirror.sha256['runc/1.1.12/amd64'],
  });
  expect(said).toEqual([
    'would download runc/1.1.12/amd64',
    expect.objectContaining({ from: `${mirror.url}/${layoutPath(RUNC)}` }),
  ]);
  expect(mirror.requests).toEqual([]);
  const unpinned = createDryRunArtifacts({ config: sampleConfig(), say: () => undefined });
  await expect(unpinned.obtain(NEW, machine.host)).rejects.toMatchObject({
    facts: { code: 'download.hash-unknown' },
  });
});

test('the proxy of the config is used, except for loopback addresses', async () => {
  const seen: string[] = [];
  const proxy = createServer((request, response) => {
    seen.push(request.url ?? '');
    response.end('through the proxy');
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  try {
    const through = proxiedFetch({ http: address, noProxy: ['direct.example'] }, globalThis.fetch);
    const answer = await through('http://files.example/x');
    expect(await answer.text()).toBe('through the proxy');
    expect((await through(`${mirror.url}/${layoutPath(RUNC)}`)).status).toBe(200);
    expect(seen).toHaveLength(1);
    expect(proxiedFetch({ noProxy: [] }, globalThis.fetch)).toBe(globalThis.fetch);
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
});

// ---------------------------------------------------------------------------------------------------

function config(over: DeepPartial<FlexConfig> = {}): FlexConfig {
  const base = sampleConfig({ downloads: { mirrors: [mirror.url], sha256: mirror.sha256 } });
  return {
    ...base,
    downloads: { ...base.downloads, ...(over.downloads as Partial<FlexConfig['downloads']>) },
  };
}

function artifacts(over: DeepPartial<FlexConfig> = {}, more: Partial<ArtifactOptions> = {}) {
  const store = createArtifacts(virtualWorld(), {
    config: config(over),
    architecture: 'amd64',
    fetch: onlyMirror,
    say: () => undefined,
    ...more,
  });
  stores.push(store);
  return store;
}

/** The vendor has no files here: tests never use the internet. */
const onlyMirror: Fetch = async (input, init) =>
  String(input).startsWith(mirror.url)
    ? await globalThis.fetch(input, init)
    : new Response(null, { status: 404 });

/** A network that blocks every request until `open` is called. */
function gated(): { fetch: Fetch; count(): number; waiting(n: number): Promise<void>; open(): void } {
  const held = Promise.withResolvers<void>();
  let count = 0;
  return {
    async fetch(input, init) {
      count++;
      const stopped = new Promise<never>((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(new Error('stopped')));
      });
      await Promise.race([held.promise, stopped]);
      return await onlyMirror(input, init);
    },
    count: () => count,
    async waiting(n) {
      while (count < n) await new Promise((resolve) => setTimeout(resolve, 1));
    },
    open: () => held.resolve(),
  };
}
