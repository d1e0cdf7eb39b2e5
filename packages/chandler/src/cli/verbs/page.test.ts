/** `chandler page` as a user runs it, against an API server over TLS. */
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fetchTransport, KubeClient } from '@chandler/kube';
import { realTimeWorld } from '@chandler/kube/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { aSnapshot } from '../../dashboard/testing.ts';
import { type Playground, startPlayground } from '../../playground/index.ts';
import { run } from '../run.ts';
import { fill } from '../top/top.fixture.ts';
import { VERBS } from './index.ts';

let folder: string;
let cluster: Playground;
let kubeconfig: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-page-'));
  kubeconfig = join(folder, 'kubeconfig');
  cluster = await startPlayground({ world: realTimeWorld(), azure: false, standins: false });
  writeFileSync(kubeconfig, cluster.server.kubeconfig);
  await fill(new KubeClient({ transport: fetchTransport(cluster.server.adminFetch) }));
});
afterAll(async () => {
  await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Stops it when it has printed its address. */
async function page(
  args: readonly string[],
  whenReady: (out: string) => Promise<void> = async () => undefined,
) {
  const interrupt = new AbortController();
  let [out, err] = ['', ''];
  const code = await run(VERBS, {
    args: ['page', ...args],
    env: {},
    terminal: {
      out(text) {
        out += text;
        void whenReady(out).finally(() => interrupt.abort(new Error('stopped')));
      },
      err: (text) => (err += text),
      color: false,
    },
    interrupted: interrupt.signal,
    world: async () => realTimeWorld(),
  });
  return { code, out, err };
}

test('prints an address with its token, answers who has it and nobody else, and ends with Ctrl-C', async () => {
  const statuses: number[] = [];
  const { code, out, err } = await page(['--kubeconfig', kubeconfig], async (text) => {
    const address = new URL(/http:\S+/.exec(text)![0]);
    const token = /^#token=([\w-]{43})$/.exec(address.hash)![1]!;
    for (const headers of [{ authorization: `Bearer ${token}` }, {}])
      statuses.push((await fetch(new URL('/api/v1/snapshot', address), { headers })).status);
  });
  expect({ code, err, statuses }).toEqual({ code: 0, err: '', statuses: [200, 401] });
  expect(out).toMatch(/^The page of \S+: http:\/\/127\.0\.0\.1:\d+\/#token=/);
  expect(out).toContain('Nothing can be changed there.');
});

test('-o json is one line for scripts', async () => {
  const { code, out } = await page(['--kubeconfig', kubeconfig, '-o', 'json']);
  expect(code).toBe(0);
  expect(out.trim().split('\n')).toHaveLength(1);
  expect(JSON.parse(out)).toMatchObject({
    ready: true,
    address: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]{43}$/),
    missing: [],
  });
});

test('--token-file keeps the address valid; others cannot read it', async () => {
  const tokenFile = join(folder, 'token');
  const args = ['--kubeconfig', kubeconfig, '-o', 'json', '--token-file', tokenFile];
  const hashOf = ({ out }: { readonly out: string }) =>
    new URL((JSON.parse(out) as { readonly address: string }).address).hash;
  const first = hashOf(await page(args));
  expect(first).toMatch(/^#token=[\w-]{43}$/);
  expect(statSync(tokenFile).mode & 0o777).toBe(0o600);
  expect(hashOf(await page(args))).toBe(first);
  chmodSync(tokenFile, 0o644);
  expect(await page(args)).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('can be read by others'),
  });
});

test.each(['', 'hello', 'x'.repeat(44), `${'x'.repeat(43)} y`])(
  'a token file with %j is rejected',
  async (text) => {
    const tokenFile = join(folder, 'broken');
    rmSync(tokenFile, { force: true });
    writeFileSync(tokenFile, text, { mode: 0o600 });
    const { code, err } = await page(['--kubeconfig', kubeconfig, '--token-file', tokenFile]);
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining(`${tokenFile} holds no token of the page; delete it`),
    });
  },
);

test('a token file in a folder that does not exist is named', async () => {
  const tokenFile = join(folder, 'no', 'such');
  const { code, err } = await page(['--kubeconfig', kubeconfig, '--token-file', tokenFile]);
  expect({ code, err }).toEqual({
    code: 1,
    err: expect.stringContaining(`${tokenFile} cannot be written (ENOENT)`),
  });
});

test('--recording serves a recorded run, without a cluster', async () => {
  const file = join(folder, 'run.jsonl');
  const lines = [
    { recording: 1, program: '1', cluster: 'seed 7' },
    aSnapshot(1_000),
    { atMs: 61_000, changes: [] },
  ];
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  const answers: unknown[] = [];
  const { code, out } = await page(['--recording', file], async (text) => {
    const address = new URL(/http:\S+/.exec(text)![0]);
    const headers = { authorization: `Bearer ${address.hash.slice('#token='.length)}` };
    const get = (path: string) => fetch(new URL(`/api/v1/${path}`, address), { headers });
    answers.push(((await (await get('session')).json()) as { recording: string }).recording);
    answers.push(await (await get('recording')).text());
    answers.push((await get('pending')).status);
    answers.push((await fetch(new URL('/api/v1/recording', address))).status);
  });
  expect(code).toBe(0);
  expect(out).toContain('The recording of seed 7, 1 minutes');
  expect(answers).toEqual(['file', lines.map((line) => `${JSON.stringify(line)}\n`).join(''), 404, 401]);
});

test('a broken recording is an error with file, line and what to do, and no stack trace', async () => {
  const file = join(folder, 'broken.jsonl');
  writeFileSync(file, '{"recording":1,"program":"1","cluster":"c"}\n{"version":1');
  const { code, out, err } = await page(['--recording', file]);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toContain(`${file}:2: the line is not JSON; record it again`);
  expect(err).not.toMatch(/^\s+at /m);
});

test('--recording reads no cluster, so options of one are rejected', async () => {
  const { code, err } = await page(['--recording', 'x', '--kubeconfig', kubeconfig, '--token-file', 'y']);
  expect(code).toBe(2);
  expect(err).toContain('--kubeconfig: cannot be used with --recording');
  expect(err).toContain('--token-file: cannot be used with --recording');
});

test('a port that is in use is named in the error, with what to do', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  const { port } = other.address() as { port: number };
  const { code, out, err } = await page(['--kubeconfig', kubeconfig, '--port', String(port)]);
  other.close();
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toBe(
    `chandler page: port ${port} on 127.0.0.1 is in use; choose another port with --port, or omit --port to use a free one\n`,
  );
});

test('a cluster that cannot be reached is a failure in one line', async () => {
  const file = join(folder, 'nowhere');
  const text = cluster.server.kubeconfig.replace(/https:\/\/127\.0\.0\.1:\d+/, 'https://127.0.0.1:1');
  writeFileSync(file, text);
  const { code, out, err } = await page(['--kubeconfig', file]);
  expect({ code, out }).toEqual({ code: 1, out: '' });
  expect(err).toMatch(/^chandler page: the cluster cannot be read: .*\n$/);
});

test('an invalid port is a usage error', async () => {
  expect(await page(['--port', '70000'])).toMatchObject({ code: 2, out: '' });
});
