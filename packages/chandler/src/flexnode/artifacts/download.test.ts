import { settle, type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FolderMachine, folderMachine } from '../../../../../test/flexnode/machine/folder-context.ts';
import { type Mirror, startMirror } from '../../../../../test/flexnode/standins/mirror.ts';
import { FlexError } from '../flex-error.ts';
import type { ArtifactRequest, VerifiedFile } from './artifacts.ts';
import { type DownloadRequest, type DownloadTools, download } from './download.ts';
import { layoutPath } from './sources.ts';

const REQUEST: ArtifactRequest = { kind: 'containerd', version: '1.7.20', architecture: 'amd64' };
const FOLDER = '/var/lib/chandler-flexnode/downloads';

let mirror: Mirror;
let machine: FolderMachine;
let world: VirtualWorld;
const said: string[] = [];

beforeEach(async () => {
  mirror = await startMirror([REQUEST]);
  machine = await folderMachine();
  world = virtualWorld();
  said.length = 0;
});
afterEach(async () => {
  await mirror.close();
  await machine.close();
});

describe('a download', () => {
  test('[004-S6] is streamed, verified and stored under its file name', async () => {
    const file = await fetched();
    expect(file).toMatchObject({ path: `${FOLDER}/c.tar.gz`, from: `${mirror.url}/${layoutPath(REQUEST)}` });
    expect(Buffer.from((await machine.host.readFile(file.path))!)).toEqual(
      Buffer.from(mirror.file(layoutPath(REQUEST))),
    );
    expect(await machine.host.list(FOLDER)).toEqual(['c.tar.gz']);
    expect((await machine.host.lstat(file.path))?.mode).toBe(0o600);
  });

  test('is skipped if the file exists with the right hash', async () => {
    await fetched();
    await fetched();
    expect(mirror.requests).toHaveLength(1);
  });

  test('is repeated if the existing file was modified', async () => {
    const { path } = await fetched();
    await machine.put(path, 'something else');
    await fetched();
    expect(mirror.requests).toHaveLength(2);
  });

  test('[004-SEC-4] with a wrong hash is deleted and never returned', async () => {
    mirror.fail('containerd', 'tampered');
    expect(await refused()).toMatchObject({ class: 'network', code: 'download.hash-mismatch' });
    expect(await machine.host.list(FOLDER)).toEqual([]);
  });

  test('[004-SEC-4] that is truncated is deleted and never returned', async () => {
    mirror.fail('containerd', 'truncated');
    expect(await refused()).toMatchObject({ code: 'download.hash-mismatch' });
    expect(await machine.host.list(FOLDER)).toEqual([]);
  });

  test('[004-SEC-5] of a missing file is a clear error, not an error page to unpack', async () => {
    mirror.fail('containerd', 'missing');
    const error = await refused();
    expect(error.code).toBe('download.not-found');
    expect(error.message).toContain('HTTP 404');
    expect(mirror.requests).toHaveLength(1);
  });

  test('[004-SEC-5] that returns a login page is a clear error', async () => {
    mirror.fail('containerd', 'page');
    expect(await refused()).toMatchObject({ code: 'download.web-page' });
  });

  test('[004-SEC-5] over plain HTTP is allowed only from loopback addresses', async () => {
    const error = await refused({ sources: ['http://mirror.example/containerd.tar.gz?sig=secret'] });
    expect(error).toMatchObject({ class: 'config', code: 'download.insecure' });
    expect(JSON.stringify(error)).not.toContain('secret');
  });

  test('[004-SEC-5] that exceeds the size limit is not started', async () => {
    expect(await refused({ maxBytes: 100 })).toMatchObject({ code: 'download.too-large' });
    expect(await machine.host.list(FOLDER)).toEqual([]);
  });

  test('that does not fit on the disk is rejected before the first byte is written', async () => {
    const host = { ...machine.host, freeBytes: async () => 10 };
    expect(await refused({}, { host })).toMatchObject({ class: 'step', code: 'download.no-space' });
    // One that was left would keep the process.
    expect(world.clock.pendingTimers).toBe(0);
  });
});

describe('a server that declares the archive as encoded', () => {
  const encoded =
    (change: (bytes: Uint8Array) => Uint8Array): DownloadTools['fetch'] =>
    async (input, init) => {
      const answer = await globalThis.fetch(input, init);
      const bytes = change(new Uint8Array(await answer.arrayBuffer()));
      const headers = { 'content-encoding': 'x-gzip', 'content-length': `${bytes.length + 7}` };
      return new Response(new Uint8Array(bytes), { headers });
    };

  test('and sends other bytes is named as the cause, not somebody who modified the file', async () => {
    const error = await refused({}, { fetch: encoded((bytes) => bytes.map((byte) => byte ^ 1)) });
    expect(error.code).toBe('download.encoded');
    expect(error.message).toContain('encoded with x-gzip');
    expect(await machine.host.list(FOLDER)).toEqual([]);
  });

  test('and sends the right bytes is accepted', async () => {
    await fetched({}, { fetch: encoded((bytes) => bytes) });
  });
});

describe('a file server that fails', () => {
  test('in the middle of a file gets a request for the remaining range', async () => {
    await fetched({}, { fetch: breaking(1) });
    const half = mirror.file(layoutPath(REQUEST)).length >> 1;
    expect(mirror.requests[1]).toMatchObject({
      range: `bytes=${half}-`,
      ifRange: expect.stringMatching(/^"/),
    });
  });

  test('repeatedly is resumed by a later run', async () => {
    await refused({}, { fetch: breaking(100) });
    mirror.requests.length = 0;
    await fetched();
    expect(mirror.requests.map(({ range }) => range)).toEqual([expect.stringMatching(/^bytes=\d+-$/)]);
  });

  test('by closing the connection gets another request', async () => {
    mirror.fail('containerd', 'reset', 1);
    await fetched();
    expect(mirror.requests).toHaveLength(2);
  });

  test('and does not support ranges sends the whole file again', async () => {
    mirror.fail('containerd', 'no-range');
    await fetched({}, { fetch: breaking(1) });
    expect(mirror.requests).toHaveLength(2);
  });

  test('and returns another range than requested is rejected', async () => {
    mirror.fail('containerd', 'wrong-range', 2);
    await fetched({}, { fetch: breaking(1) });
    expect(mirror.requests.map(({ range }) => range)).toEqual([undefined, expect.any(String), undefined]);
  });

  test('and has a different file since the last run is read from the beginning', async () => {
    await machine.put(`${FOLDER}/d.tar.gz.part`, 'the beginning of an older file');
    const origin = { source: `${mirror.url}/${layoutPath(REQUEST)}`, validator: '"older"' };
    await machine.put(`${FOLDER}/d.tar.gz.part.json`, JSON.stringify(origin));
    await fetched({ path: `${FOLDER}/d.tar.gz` });
    expect(mirror.requests).toEqual([expect.objectContaining({ ifRange: '"older"' })]);
  });

  test('with Retry-After gets another request after that time', async () => {
    mirror.fail('containerd', 'busy', 1);
    const before = world.clock.monotonic();
    await fetched();
    expect(world.clock.monotonic() - before).toBeGreaterThanOrEqual(7_000);
    expect(mirror.requests).toHaveLength(2);
  });

  test('permanently is given up after a few attempts', async () => {
    mirror.fail('containerd', 'broken');
    expect(await refused()).toMatchObject({ class: 'network', code: 'download.busy' });
    expect(mirror.requests).toHaveLength(5);
  });

  test('by sending no data times out after a minute and gets another request', async () => {
    mirror.fail('containerd', 'slow', 1);
    await fetched();
    expect(mirror.requests).toHaveLength(2);
  });

  test('is replaced by the next source, and the reason is reported', async () => {
    const other = await startMirror([REQUEST]);
    try {
      mirror.fail('containerd', 'tampered');
      const sources = [mirror, other].map(({ url }) => `${url}/${layoutPath(REQUEST)}`);
      expect((await fetched({ sources })).from).toContain(other.url);
      expect(said.join('\n')).toContain('SHA-256');
    } finally {
      await other.close();
    }
  });
});

describe('a redirect', () => {
  test('to a loopback address is followed', async () => {
    mirror.fail('elsewhere', { redirect: `/${layoutPath(REQUEST)}` });
    await fetched({ sources: [`${mirror.url}/elsewhere`] });
  });

  test('[004-SEC-5] from https to http is rejected', async () => {
    const fetch = async () =>
      new Response(null, { status: 302, headers: { location: 'http://mirror.example/c' } });
    expect(await refused({ sources: ['https://mirror.example/c'] }, { fetch })).toMatchObject({
      code: 'download.redirected',
    });
  });

  test('[004-SEC-5] from https to a loopback address over http is rejected', async () => {
    const fetch = async () =>
      new Response(null, { status: 302, headers: { location: 'http://127.0.0.1:1/c' } });
    expect(await refused({ sources: ['https://mirror.example/c'] }, { fetch })).toMatchObject({
      code: 'download.redirected',
    });
  });

  test('loop ends with an error', async () => {
    mirror.fail('containerd', { redirect: `/${layoutPath(REQUEST)}` });
    expect(await refused()).toMatchObject({ code: 'download.redirected' });
  });
});

test('the end of a run stops the download and keeps the partial file', async () => {
  mirror.fail('containerd', 'slow');
  const end = new AbortController();
  const pending = download(request(), tools({ signal: end.signal })).catch((error: unknown) => error);
  while (mirror.requests.length === 0) await settle();
  end.abort(new Error('the end'));
  expect(await pending).toMatchObject({ message: 'the end' });
});

// ---------------------------------------------------------------------------------------------------

function request(over: Partial<DownloadRequest> = {}): DownloadRequest {
  return {
    what: 'containerd/1.7.20/amd64',
    sources: [`${mirror.url}/${layoutPath(REQUEST)}`],
    sha256: mirror.sha256['containerd/1.7.20/amd64']!,
    path: `${FOLDER}/c.tar.gz`,
    ...over,
  };
}

function tools(over: Partial<DownloadTools> = {}): DownloadTools {
  return {
    world,
    host: machine.host,
    fetch: (input, init) => globalThis.fetch(input, init),
    signal: new AbortController().signal,
    say: (message) => said.push(message),
    ...over,
  };
}

/** The connection breaks after the first half of the body, `times` times. */
function breaking(times: number): DownloadTools['fetch'] {
  let left = times;
  return async (input, init) => {
    const answer = await globalThis.fetch(input, init);
    if (left-- <= 0) return answer;
    const bytes = new Uint8Array(await answer.arrayBuffer());
    let sent = false;
    const body = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
          if (sent) controller.error(new Error('the connection ended'));
          else controller.enqueue(bytes.subarray(0, bytes.length >> 1));
          sent = true;
        },
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { status: answer.status, headers: answer.headers });
  };
}

/** Advances the virtual clock while the download waits. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let over = false;
  work.then(
    () => (over = true),
    () => (over = true),
  );
  for (;;) {
    for (let round = 0; round < 20 && !over; round++) await new Promise((resolve) => setTimeout(resolve, 1));
    if (over) return await work;
    await world.clock.advance(5_000);
  }
}

function fetched(
  over: Partial<DownloadRequest> = {},
  more: Partial<DownloadTools> = {},
): Promise<VerifiedFile> {
  return inTime(download(request(over), tools(more)));
}

async function refused(
  over: Partial<DownloadRequest> = {},
  more: Partial<DownloadTools> = {},
): Promise<FlexError['facts']> {
  const error = await fetched(over, more).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(FlexError);
  return (error as FlexError).facts;
}
