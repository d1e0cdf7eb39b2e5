import { type ApiServer, startApiServer } from '@chandler/apiserver';
import {
  CONFIG_MAPS,
  DAEMON_SETS,
  fetchTransport,
  isProgramError,
  KubeClient,
  SERVICES,
} from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type KubeReaders, kubeReaders } from './kube-readers.ts';

const world = virtualWorld();
let server: ApiServer;
let client: KubeClient;
let readers: KubeReaders;
beforeAll(async () => {
  server = await startApiServer({ world });
  client = new KubeClient({ transport: fetchTransport(server.adminFetch) });
  readers = kubeReaders({ client, namespace: 'kube-system' });
});
afterAll(() => server.close());

describe('what is read from Kubernetes', () => {
  test('the version of the API server', async () => {
    expect(await readers.serverVersion()).toMatch(/^v1\.\d+\./);
  });

  test.each(['null', '{}', '"v1.33.1"', '{"gitVersion":1}'])(
    'a version %s of a proxy is no error of the program',
    async (body) => {
      const answering = new KubeClient({ transport: fetchTransport(async () => new Response(body)) });
      const error: unknown = await kubeReaders({ client: answering, namespace: 'kube-system' })
        .serverVersion()
        .catch((thrown: unknown) => thrown);
      expect(String(error)).toContain('/version');
      expect(isProgramError(error)).toBe(false);
    },
  );

  test('a missing object is no error', async () => {
    expect(await readers.kubeDnsServiceIP()).toBeUndefined();
    expect(await readers.maintenanceWindow()).toBeUndefined();
    expect(await readers.getSecret('kube-system', 'bootstrap-token-x')).toBeUndefined();
    expect(await readers.hasNodeLocalDns()).toBe(false);
    // Neither engine is installed, so its kinds do not exist.
    expect(await readers.hasNetworkPolicies('cilium')).toBe(false);
    expect(await readers.hasNetworkPolicies('calico')).toBe(false);
  });

  test('an existing object is found', async () => {
    const metadata = (name: string) => ({ name, namespace: 'kube-system' });
    const ports = [{ port: 53, protocol: 'UDP' }];
    await client.create(SERVICES, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadata('kube-dns'),
      spec: { clusterIP: '10.0.0.53', ports },
    });
    await client.create(CONFIG_MAPS, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: metadata('upcoming-maintenance-window'),
      data: { a: 'b' },
    });
    const labels = { app: 'dns' };
    await client.create(DAEMON_SETS, {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: metadata('node-local-dns'),
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'dns', image: 'dns' }] } },
      },
    });
    expect(await readers.kubeDnsServiceIP()).toBe('10.0.0.53');
    expect(await readers.maintenanceWindow()).toEqual({ a: 'b' });
    expect(await readers.hasNodeLocalDns()).toBe(true);
  });
});
