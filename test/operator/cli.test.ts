/** `chandler controller` as a process runs it: over HTTPS to an API server and to ARM, with its ports open. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { controllerEnvironment, writeControllerFiles } from '@chandler/cloudsim/azure';
import type { ArmServer } from '@chandler/cloudsim/azure/testing';
import { CONFIG_MAPS, fetchTransport, KubeClient, LEASES } from '@chandler/kube';
import { realTimeWorld } from '@chandler/kube/testing';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { controller, run } from '../../packages/chandler/src/cli/testing.ts';
import { type Playground, startPlayground } from '../../packages/chandler/src/playground/index.ts';
import { accountWhoMayRead } from './page-stage.ts';

const world = realTimeWorld();
const folder = mkdtempSync(join(tmpdir(), 'chandler-run-'));
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
let playground: Playground;
let arm: ArmServer;
let env: Record<string, string>;

beforeAll(async () => {
  playground = await startPlayground({ world, systemNodes: 0 });
  const kubeconfig = file('kubeconfig', playground.server.kubeconfig);
  const azure = playground.azure!;
  arm = azure.arm;
  const around = { azure, kubeconfig, serverUrl: playground.url! };
  const files = await writeControllerFiles(folder, around);
  env = { ...controllerEnvironment(around, files), METRICS_PORT: '0', HEALTH_PROBE_PORT: '0' };
});
afterAll(async () => {
  await playground.stop();
  rmSync(folder, { recursive: true });
});

function start(args: readonly string[] = [], changed: Record<string, string> = {}) {
  const interrupt = new AbortController();
  const seen = { out: '', err: '' };
  const code = run([controller], {
    args: ['controller', ...args],
    env: { ...env, ...changed },
    terminal: {
      out: (text) => {
        seen.out += text;
      },
      err: (text) => {
        seen.err += text;
      },
      color: false,
    },
    interrupted: interrupt.signal,
    world: async () => world,
  });
  const lines = () =>
    seen.out
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const said = async (message: string) => {
    await vi.waitFor(() => expect(lines().map((line) => line['message'])).toContain(message), WAIT);
    return lines().find((line) => line['message'] === message)!;
  };
  return { code, seen, lines, said, stop: () => interrupt.abort(new Error('SIGTERM')) };
}

const WAIT = { timeout: 30_000, interval: 50 };
const PATIENCE_MS = 60_000;
const get = (port: unknown, path: string) => fetch(`http://127.0.0.1:${port}${path}`);

describe('chandler controller', () => {
  test(
    'runs, answers probes and metrics, logs in JSON, stops with code 0 and hands its lease over',
    async () => {
      const running = start();
      const { metricsPort, healthProbePort } = await running.said('starting');
      expect((await get(healthProbePort, '/healthz')).status).toBe(200);
      await running.said('became leader');
      expect(await (await get(healthProbePort, '/readyz?verbose')).text()).toContain('[+]caches ok');
      const metrics = await (await get(metricsPort, '/metrics')).text();
      expect(metrics).toMatch(/^karpenter_build_info\{version="\d.*commit="sources"/m);
      expect(metrics).toContain('leader_election_master_status{name="karpenter-leader-election"} 1');
      expect(metrics).toContain('process_resident_memory_bytes');
      expect((await get(metricsPort, '/debug/pprof/profile')).status).toBe(404);
      running.stop();
      expect(await running.code).toBe(0);
      expect(running.seen.err).toBe('');
      expect(running.seen.out).not.toContain(arm.credentials.clientSecret);
      const admin = new KubeClient({ transport: fetchTransport(playground.server.adminFetch) });
      const lease = await admin.get(LEASES, { namespace: 'kube-system', name: 'karpenter-leader-election' });
      expect((lease['spec'] as { holderIdentity?: string }).holderIdentity ?? '').toBe('');
      await expect(get(healthProbePort, '/healthz')).rejects.toThrow();
    },
    PATIENCE_MS,
  );

  test(
    'with --readiness-check-interval the leader checks the cluster, and keeps the result in a ConfigMap and in metrics',
    async () => {
      const running = start(['--readiness-check-interval', '1m']);
      const { metricsPort } = await running.said('starting');
      await running.said('checked the readiness of the cluster');
      expect(await (await get(metricsPort, '/metrics')).text()).toMatch(
        /^chandler_check_score_percent \d+$/m,
      );
      running.stop();
      expect(await running.code).toBe(0);
      const admin = new KubeClient({ transport: fetchTransport(playground.server.adminFetch) });
      const found = await admin.get(CONFIG_MAPS, { namespace: 'kube-system', name: 'chandler-check' });
      expect(found['data']).toMatchObject({ summary: expect.stringMatching(/^Readiness: \d+ %/) });
    },
    PATIENCE_MS,
  );

  test(
    'with a kubeconfig it runs in kube-system, not in the namespace of the context: the lease is the one of Karpenter',
    async () => {
      const admin = new KubeClient({ transport: fetchTransport(playground.server.adminFetch) });
      const name = 'laptop';
      const config = playground.server.kubeconfig.replace(
        /^(\s+)(cluster: \S+)$/m,
        '$1$2\n$1namespace: shop',
      );
      expect(config).toContain('namespace: shop');
      const running = start(['--kubeconfig', file('shop', config)], {
        SYSTEM_NAMESPACE: '',
        LEADER_ELECTION_NAME: name,
      });
      expect(await running.said('starting')).toMatchObject({
        namespace: 'kube-system',
        lease: `kube-system/${name}`,
      });
      await running.said('became leader');
      running.stop();
      expect(await running.code).toBe(0);
      const leases = (await admin.list(LEASES)).items.filter(({ metadata }) => metadata.name === name);
      expect(leases.map(({ metadata }) => metadata.namespace)).toEqual(['kube-system']);
    },
    PATIENCE_MS,
  );

  test(
    '--observe takes no lease and writes nothing, neither here nor in Azure',
    async () => {
      const before = arm.resources.totalCalls;
      const running = start(['--observe', '--log-level=debug'], { LEADER_ELECTION_NAME: 'never' });
      await running.said('observe mode: nothing is written and no lease is taken');
      running.stop();
      expect(await running.code).toBe(0);
      const calls = arm.resources.calls().slice(before - arm.resources.totalCalls);
      expect(calls.filter(({ method }) => method !== 'GET' && method !== 'POST')).toEqual([]);
      const admin = new KubeClient({ transport: fetchTransport(playground.server.adminFetch) });
      const leases = (await admin.list(LEASES)).items.map(({ metadata }) => metadata.name);
      expect(leases).not.toContain('never');
    },
    PATIENCE_MS,
  );

  test(
    'with --page it serves the page to people whose token the API server accepts, and to nobody else',
    async () => {
      const admin = new KubeClient({ transport: fetchTransport(playground.server.adminFetch) });
      const reader = await accountWhoMayRead(admin, 'page-reader', 'nodes');
      const running = start(['--page', '--page-port', '0'], { LEADER_ELECTION_NAME: 'with-page' });
      const { pagePort } = await running.said('starting');
      await running.said('became leader');
      const ask = (path: string, token: string) =>
        fetch(`http://127.0.0.1:${pagePort}${path}`, { headers: { authorization: `Bearer ${token}` } });
      expect(await (await ask('/', 'none')).text()).toContain('<title>Chandler</title>');
      expect((await ask('/api/v1/snapshot', 'nonsense')).status).toBe(401);
      const session = (await (await ask('/api/v1/session', reader)).json()) as Record<string, unknown>;
      expect(session).toMatchObject({ version: 1, signIn: 'kubernetes' });
      const { missing } = session as { missing: readonly { resource: string }[] };
      expect(missing.map(({ resource }) => resource)).toContain('pods');
      expect(missing.map(({ resource }) => resource)).not.toContain('nodes');
      expect((await ask('/api/v1/snapshot', reader)).status).toBe(200);
      running.stop();
      expect(await running.code).toBe(0);
      expect(running.seen.out).not.toContain(reader);
      await expect(ask('/', reader)).rejects.toThrow();
    },
    2 * PATIENCE_MS,
  );

  test(
    'stops cleanly while it is still waiting to start',
    async () => {
      const running = start(['--settings-file', file('s.yaml', 'kind: ConfigMap\ndata: {}')], {
        AZURE_CLIENT_SECRET_FILE: file('wrong-secret', 'wrong'),
      });
      await running.said('the cloud is not ready yet');
      running.stop();
      expect(await running.code).toBe(0);
    },
    PATIENCE_MS,
  );

  test(
    'profiles are served when they are enabled',
    async () => {
      const running = start(['--enable-profiling', '--disable-leader-election'], {
        LEADER_ELECTION_NAME: 'other',
      });
      const { metricsPort } = await running.said('starting');
      const profile = await (await get(metricsPort, '/debug/pprof/profile?seconds=0.1')).json();
      expect(profile).toHaveProperty('nodes');
      running.stop();
      expect(await running.code).toBe(0);
    },
    PATIENCE_MS,
  );
});

describe('a start error is one line that names the option', () => {
  test.each([
    [
      'a file that is not there',
      { ARM_CA_FILE: '/nowhere/ca.pem' },
      '--arm-ca-file: /nowhere/ca.pem cannot be read',
    ],
    ['a file without certificates', { ARM_CA_FILE: '@environment.json' }, 'contains no PEM certificate'],
    ['an unknown cloud', { AZURE_ENVIRONMENT_FILEPATH: '@ca.pem' }, 'ca.pem: is not JSON'],
    [
      'a secret without a client',
      { AZURE_CLIENT_ID: '' },
      'azure-client-secret is set, but azure-client-id is not',
    ],
    [
      'a server to bootstrap from, and no group',
      {
        PROVISION_MODE: 'bootstrappingclient',
        NODEBOOTSTRAPPING_SERVER_URL: 'https://x',
        ARM_RESOURCE_GROUP: '',
      },
      'arm-resource-group: is required',
    ],
  ])(
    '%s',
    async (_, changed, message) => {
      const resolved = Object.fromEntries(
        Object.entries(changed).map(([name, value]) => [
          name,
          value.startsWith('@') ? join(folder, value.slice(1)) : value,
        ]),
      );
      const running = start([], resolved);
      expect(await running.code).toBe(1);
      expect(running.seen.err).toContain(message);
      expect(running.seen.err.trim().split('\n')).toHaveLength(1);
    },
    PATIENCE_MS,
  );

  test(
    'a port that is in use',
    async () => {
      const other = createServer().listen(0);
      await new Promise((resolve) => other.once('listening', resolve));
      const { port } = other.address() as AddressInfo;
      const running = start([], { METRICS_PORT: `${port}` });
      expect(await running.code).toBe(1);
      expect(running.seen.err).toContain(`--metrics-port: port ${port} is in use`);
      other.close();
    },
    PATIENCE_MS,
  );
});
