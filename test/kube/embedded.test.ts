/** The suites of `packages/kube/src` against our own API server: in process, over HTTPS, and through faults and restarts. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiServer, startApiServer } from '@chandler/apiserver';
import { type Endpoint, fetchTransport, undiciTransport } from '@chandler/kube';
import { realTimeWorld } from '@chandler/kube/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { someOf } from '../part.ts';
import { electionSuite } from './election-suite.ts';
import { kubeSuite } from './kube-suite.ts';
import { type FaultyServer, runNoLoss } from './no-loss.ts';

const namespace = 'kube';
const TOKEN = 'embedded-admin';
const WRITES = someOf('writes', 10_000, 1_000);

const inProcess = await startApiServer({ world: realTimeWorld() });
const overHttps = await startApiServer({ world: realTimeWorld(), port: 0, adminToken: TOKEN });
afterAll(async () => {
  await inProcess.close();
  await overHttps.close();
});

const portOf = (server: ApiServer) => Number(new URL(server.url ?? '').port);
const identify = async () => ({ headers: { authorization: `Bearer ${TOKEN}` } });
const endpoint = (port: number): Endpoint => ({
  server: `https://127.0.0.1:${port}`,
  ca: overHttps.caPem,
  identify,
});

describe('the client in one process with the server', () => {
  kubeSuite({
    connect: () => ({ send: fetchTransport(inProcess.adminFetch), close: async () => undefined }),
    namespace,
  });
});

describe('the client over HTTPS', () => {
  const connect = (port = portOf(overHttps)) => undiciTransport(endpoint(port));
  kubeSuite({ connect, namespace });
  electionSuite({ connect, namespace, port: portOf(overHttps) });
});

describe('a reflector', () => {
  let dir: string;
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'no-loss-'));
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  test('loses no event over thousands of writes with resets, 410s, slow reading and restarts', {
    timeout: 300_000,
  }, async () => {
    const report = await runNoLoss({
      server: restartable(join(dir, 'snapshot.json')),
      writes: WRITES,
      seed: 11,
      namespace,
      faults: ['reset', 'compact', 'slow reader', 'restart'],
    });
    expect(report).toMatchObject({ lost: [], disorder: [], differences: [] });
    expect(report.acknowledged).toBeGreaterThan(WRITES * 0.8);
    for (const count of Object.values(report.faults)) expect(count).toBeGreaterThan(0);
    expect(report.lists).toBeGreaterThan(1);
  });
});

/** Every start is a new server that reads what the one before wrote. */
function restartable(snapshotFile: string): FaultyServer {
  let server: ApiServer | undefined;
  return {
    async start() {
      server = await startApiServer({
        world: realTimeWorld(),
        port: 0,
        adminToken: TOKEN,
        snapshotFile,
        initialObjects: [KUBE],
      });
      return portOf(server);
    },
    stop: async () => server?.close(),
    compact: async () => server?.compact(),
    // Each start has a certificate of its own; the connection is what is tested here, not trust.
    endpoint: (port) => ({ server: `https://127.0.0.1:${port}`, insecure: true, identify }),
  };
}

const KUBE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
