/**
 * The client against a real kube-apiserver: CHANDLER_TEST_SERVER (https://127.0.0.1:port), CHANDLER_TEST_TOKEN, and
 * CHANDLER_TEST_CA (a file; without it the certificate is not checked).
 */
import { readFileSync } from 'node:fs';
import { type Endpoint, KubeClient, NAMESPACES, undiciTransport } from '@chandler/kube';
import { afterAll, describe, expect, test } from 'vitest';
import { electionSuite } from '../kube/election-suite.ts';
import { ensureNamespace, kubeSuite, removeAll } from '../kube/kube-suite.ts';
import { type FaultyServer, runNoLoss } from '../kube/no-loss.ts';

const server = process.env['CHANDLER_TEST_SERVER'] ?? '';
const token = process.env['CHANDLER_TEST_TOKEN'] ?? '';
const caFile = process.env['CHANDLER_TEST_CA'];
const namespace = 'kube';

function endpoint(port?: number): Endpoint {
  return {
    server: port === undefined ? server : `https://127.0.0.1:${port}`,
    ...(caFile ? { ca: readFileSync(caFile, 'utf8') } : { insecure: true }),
    identify: async () => ({ headers: { authorization: `Bearer ${token}` } }),
  };
}

describe.skipIf(server === '')('against a real API server', () => {
  const connect = (port?: number) => undiciTransport(endpoint(port));
  const port = Number(new URL(server || 'https://127.0.0.1:6443').port);
  const wire = connect();
  const client = new KubeClient({ transport: wire.send });

  afterAll(async () => {
    await removeNamespace(client);
    await wire.close();
  });

  describe('the client', () => kubeSuite({ connect, namespace }));
  describe('two replicas', () => electionSuite({ connect, namespace, port }));

  test('a reflector loses nothing over 1,000 writes with resets and a slow reader', {
    timeout: 120_000,
  }, async () => {
    await ensureNamespace(client, namespace);
    await removeAll(client, namespace);
    // The server is shared: it is not ours to stop or to compact.
    const shared: FaultyServer = {
      start: async () => port,
      stop: async () => undefined,
      compact: async () => undefined,
      endpoint,
    };
    const report = await runNoLoss({
      server: shared,
      writes: 1000,
      seed: 3,
      namespace,
      faults: ['reset', 'slow reader'],
    });
    expect(report).toMatchObject({ lost: [], disorder: [], differences: [] });
    expect(report.faults.reset).toBeGreaterThan(0);
  });
});

/** Nothing finalizes namespaces where there is no controller manager, so the suite does it itself. */
async function removeNamespace(client: KubeClient): Promise<void> {
  await removeAll(client, namespace);
  await client.delete(NAMESPACES, { name: namespace });
  const left = await client.find(NAMESPACES, { name: namespace });
  if (left)
    await client.update(NAMESPACES, { ...left, spec: { finalizers: [] } }, { subresource: 'finalize' });
}
