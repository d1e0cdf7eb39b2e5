/** `chandler dump` on a large cluster, against an API server over a real socket that answers only one page at a time. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promMetrics, systemWorld } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Dump, parseDump } from '../../diagnose/index.ts';
import { run, VERBS } from '../testing.ts';

const MAX_PAGE = 500;

interface ClusterWords {
  readonly pods: readonly object[];
  readonly nodes: readonly object[];
  /** By plural. */
  readonly others?: Readonly<Record<string, readonly object[]>>;
  /** A list of these fails after so many objects. */
  readonly failsAfter?: Readonly<Record<string, number>>;
}

let folder = '';
let server: Server;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-dump-'));
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

function status(code: number, message: string): object {
  const reason = code === 403 ? 'Forbidden' : 'BadRequest';
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
}

/** Answers as an API server with more objects than fit into one answer: a list without a limit is refused. */
async function serve({ pods, nodes, others = {}, failsAfter = {} }: ClusterWords): Promise<void> {
  const kinds: Readonly<Record<string, readonly object[]>> = { pods, nodes, ...others };
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://cluster');
    const plural = pathname.split('/').at(-1)!;
    const limit = Number(searchParams.get('limit') ?? Number.POSITIVE_INFINITY);
    const start = Number(searchParams.get('continue') ?? 0);
    const answer = (code: number, body: object) => {
      response.writeHead(code, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    if (plural === 'log' && searchParams.get('previous') === 'true' && pathname.includes('/young')) {
      const words = 'previous terminated container "app" in pod "young" not found';
      return answer(400, status(400, words));
    }
    if (plural === 'log') {
      response.end('the last line\n');
      return;
    }
    if (limit > MAX_PAGE) return answer(400, status(400, 'too many objects for one answer'));
    if (start >= (failsAfter[plural] ?? Number.POSITIVE_INFINITY))
      return answer(403, status(403, `${plural} is forbidden`));
    const all = kinds[plural] ?? [];
    const items = all.slice(start, start + limit);
    const rest = start + limit < all.length ? { continue: String(start + limit) } : {};
    return answer(200, {
      kind: 'List',
      apiVersion: 'v1',
      metadata: { resourceVersion: '1', ...rest },
      items,
    });
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const { port } = server.address() as AddressInfo;
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'u', user: {} }],
  };
  writeFileSync(join(folder, 'kubeconfig'), JSON.stringify(config));
}

interface Written {
  readonly code: number;
  readonly err: string;
  readonly dump: Dump;
  readonly size: number;
}

async function dump(...more: readonly string[]): Promise<Written> {
  let err = '';
  const file = join(folder, 'dump.json');
  const code = await run(VERBS, {
    args: ['dump', '-f', file, '--kubeconfig', join(folder, 'kubeconfig'), '--azure', 'off', ...more],
    env: {},
    terminal: { out: () => undefined, err: (text) => (err += text), color: false },
    interrupted: new AbortController().signal,
    world: async () =>
      systemWorld({ log: virtualWorld().log, metrics: promMetrics({ processMetrics: false }) }),
  });
  const bytes = readFileSync(file);
  return { code, err, dump: parseDump(bytes), size: bytes.length };
}

function many(count: number, aspect: (index: number) => object): readonly object[] {
  return Array.from({ length: count }, (_, index) => ({
    ...aspect(index),
    metadata: { name: `o${index}`, uid: `u${index}`, resourceVersion: '1', ...metadataOf(aspect(index)) },
  }));
}

function metadataOf(object: object): object {
  return (object as { metadata?: object }).metadata ?? {};
}

const READY = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
const inNamespace = (namespace: string, nodeName: string) => ({
  metadata: { namespace },
  spec: { nodeName, containers: [] },
  status: { phase: 'Failed' },
});

test('a dump of a large cluster has all its nodes and unhealthy pods, read page by page', async () => {
  await serve({ nodes: many(1201, () => READY), pods: many(1100, () => inNamespace('shop', 'o1')) });
  const { code, err, dump: written } = await dump();
  expect([code, err]).toEqual([0, expect.stringContaining('objects')]);
  expect(written.kinds['nodes']).toMatchObject({ complete: true, objects: { length: 1201 } });
  expect(written.kinds['pods']!.objects).toHaveLength(1100);
});

test.each(['pods', 'nodes'])('a dump without %s says so and fails', async (plural) => {
  const few = { nodes: many(2, () => READY), pods: many(2, () => inNamespace('shop', 'o1')) };
  await serve({ ...few, failsAfter: { [plural]: 0 } });
  const { code, err } = await dump();
  expect(code).toBe(1);
  expect(err).toContain(`${plural} are missing; reading them requires list ${plural}`);
});

test('a dump with only some of the pods says so and fails, and keeps those', async () => {
  const pods = many(1100, () => inNamespace('shop', 'o1'));
  await serve({ nodes: many(2, () => READY), pods, failsAfter: { pods: 1000 } });
  const { code, err, dump: written } = await dump();
  expect(code).toBe(1);
  expect(err).toContain('pods are missing except for 1000; reading them requires list pods');
  expect(written.kinds['pods']).toMatchObject({ complete: false, objects: { length: 1000 } });
});

test('a dump of too many unhealthy pods has those of named namespaces first, then those on unhealthy nodes, and says so', async () => {
  const namespaces = [...Array(2100).fill('other'), ...Array(10).fill('broken'), ...Array(20).fill('shop')];
  const pods = many(namespaces.length, (index) =>
    inNamespace(namespaces[index]!, namespaces[index] === 'broken' ? 'o0' : 'o1'),
  );
  await serve({ nodes: many(2, (index) => (index === 0 ? {} : READY)), pods });
  const { code, err, dump: written } = await dump('-n', 'shop');
  expect(code).toBe(0);
  const kept = written.kinds['pods']!.objects.map(({ metadata }) => metadata.namespace);
  expect(kept).toHaveLength(2000);
  expect(kept.slice(0, 20)).toEqual(Array(20).fill('shop'));
  expect(kept.slice(20, 30)).toEqual(Array(10).fill('broken'));
  expect(written.kinds['pods']!.complete).toBe(false);
  expect(err).toContain('of 2130 pods that belong into the dump, 2000 are in it');
});

const MIB = 1024 * 1024;
const bulk = (size: number) => ({
  status: { conditions: [{ type: 'Ready', status: 'True' }], bulk: 'x'.repeat(size) },
});
const namesOf = ({ kinds }: Dump, kind: string) => kinds[kind]!.objects.map(({ metadata }) => metadata.name);

/** A cluster of many nodes that are well, in which one pod fails on one of them, and one node is not ready. */
async function serveLarge(nodes: number): Promise<void> {
  const failing = {
    metadata: { name: 'web', namespace: 'shop', uid: 'w', resourceVersion: '1' },
    spec: {
      nodeName: 'o150',
      containers: [{ name: 'app' }],
      volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'web-data' } }],
    },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'False' }],
      containerStatuses: [
        { name: 'app', restartCount: 3, ready: false, started: false, state: { waiting: {} } },
      ],
    },
  };
  const eventOf = (kind: string, name: string, namespace?: string) => ({
    metadata: {
      name: `of-${name}`,
      namespace: namespace ?? 'default',
      uid: `e-${name}`,
      resourceVersion: '1',
    },
    involvedObject: { kind, name, ...(namespace === undefined ? {} : { namespace }) },
    reason: 'Something',
    message: 'x'.repeat(500),
    lastTimestamp: '2026-06-01T09:00:00Z',
  });
  await serve({
    nodes: many(nodes, (index) => (index === nodes - 1 ? {} : bulk(8_000))),
    pods: [failing],
    others: {
      nodeclaims: many(nodes, (index) => ({
        spec: { nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' } },
        ...bulk(4_000),
        status: { ...bulk(4_000).status, nodeName: `o${index}` },
      })),
      csinodes: many(nodes, () => ({ spec: { drivers: ['x'.repeat(1_000)] } })),
      persistentvolumes: many(2_000, (index) => ({ spec: { capacity: {}, index, bulk: 'x'.repeat(1_000) } })),
      persistentvolumeclaims: [
        {
          metadata: { name: 'web-data', namespace: 'shop', uid: 'd', resourceVersion: '1' },
          spec: { volumeName: 'o1999' },
        },
      ],
      events: [
        ...Array.from({ length: nodes }, (_, index) => eventOf('Node', `o${index}`)),
        eventOf('Pod', 'web', 'shop'),
      ],
    },
  });
}

test('a dump has the volumes and CSINodes of its pods and unhealthy nodes, and no others', async () => {
  await serveLarge(200);
  const { code, dump: written } = await dump();
  expect(code).toBe(0);
  expect(namesOf(written, 'persistentvolumes')).toEqual(['o1999']);
  expect(namesOf(written, 'csinodes.storage.k8s.io').sort()).toEqual(['o150', 'o199']);
  expect(written.kinds['nodes']).toMatchObject({ complete: true, objects: { length: 200 } });
});

test('a dump of a cluster that is too large leaves out healthy nodes, and keeps pods with their nodes, events and logs', async () => {
  await serveLarge(200);
  const { code, err, dump: written, size } = await dump('--max-size', '1');
  expect(code).toBe(0);
  expect(size).toBeLessThanOrEqual(MIB);
  expect(size).toBeGreaterThan(0.9 * MIB);
  expect(namesOf(written, 'pods')).toEqual(['web']);
  expect(Object.keys(written.logs)).toEqual(['shop/web/app', 'shop/web/app/previous']);
  expect(namesOf(written, 'events')).toEqual(expect.arrayContaining(['of-web', 'of-o199', 'of-o150']));
  expect(namesOf(written, 'nodes')).toEqual(expect.arrayContaining(['o150', 'o199']));
  expect(namesOf(written, 'nodeclaims.karpenter.sh')).toEqual(expect.arrayContaining(['o150', 'o199']));
  const left = written.kinds['nodes']!.objects.length;
  expect(written.kinds['nodes']!.complete).toBe(false);
  expect(left).toBeGreaterThan(50);
  expect(err).toContain(`of 200 nodes, ${left} are in the dump because of its maximum size`);
  expect(err).toContain('nodeclaims.karpenter.sh, 2 are in the dump because of its maximum size');
});

test.each(['pods', 'nodes'])('a dump in which no %s fit says so and fails', async (plural) => {
  const large = many(1, () => ({
    metadata: { namespace: 'shop' },
    spec: { containers: [] },
    status: { phase: 'Failed', message: 'x '.repeat(MIB) },
  }));
  await serve({ nodes: many(2, () => READY), pods: [], [plural]: large });
  const { code, err, size } = await dump('--max-size', '1');
  expect(code).toBe(1);
  expect(size).toBeLessThanOrEqual(MIB);
  expect(err).toContain(`of 1 ${plural}, 0 are in the dump because of its maximum size; set --max-size`);
});

test('a container that did not run before does not keep other logs of its node out of the dump', async () => {
  const containerStatuses = [{ name: 'app', restartCount: 1, started: true }];
  const pods = many(2, (index) => ({
    metadata: { name: `young-${index}`, namespace: 'shop' },
    spec: { nodeName: 'o0', containers: [{ name: 'app' }] },
    status: { phase: 'Failed', containerStatuses },
  }));
  await serve({ nodes: many(1, () => READY), pods });
  const { dump: written } = await dump();
  expect(Object.keys(written.logs)).toEqual(['shop/young-0/app', 'shop/young-1/app']);
});

test('a pod that is Ready between two failures is in the dump with both of its logs, and one that has run for hours is not', async () => {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const restarted = (minutes: number) => ({
    spec: { nodeName: 'o0', containers: [{ name: 'app' }] },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
      containerStatuses: [
        {
          name: 'app',
          ready: true,
          started: true,
          restartCount: 40,
          state: { running: { startedAt: ago(minutes) } },
          lastState: {
            terminated: {
              reason: 'OOMKilled',
              exitCode: 137,
              startedAt: ago(minutes + 10),
              finishedAt: ago(minutes),
            },
          },
        },
      ],
    },
  });
  const pods = many(2, (index) => ({
    metadata: { name: index === 0 ? 'web' : 'steady', namespace: 'shop' },
    ...restarted(index === 0 ? 3 : 300),
  }));
  await serve({ nodes: many(1, () => READY), pods });
  const { dump: written } = await dump();
  expect(namesOf(written, 'pods')).toEqual(['web']);
  expect(Object.keys(written.logs)).toEqual(['shop/web/app', 'shop/web/app/previous']);
});
