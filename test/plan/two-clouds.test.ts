/** `chandler plan` of a live cluster with NodePools of two clouds, each with a controller of its own. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createWorld } from '../../packages/chandler/src/cli/testing.ts';
import { plan } from './examples.ts';

let folder: string;
let server: Server;
let kubeconfig: string;
/** By plural. */
let objects: Record<string, readonly Found[]>;

interface Found {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plan-two-clouds-'));
  server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://cluster');
    const [, namespace, plural = ''] = /(?:namespaces\/([^/]+)\/)?([^/]+)$/.exec(pathname) ?? [];
    const [label, value = ''] = (searchParams.get('labelSelector') ?? '').split('=');
    const items = (objects[plural] ?? []).filter(
      ({ metadata }) =>
        (namespace === undefined || metadata.namespace === namespace) &&
        (label === undefined || label === '' || metadata.labels?.[label] === value),
    );
    const isList = pathname.split('/').at(-2) !== 'leases';
    response.writeHead(isList ? 200 : 404, { 'content-type': 'application/json' });
    const missing = { kind: 'Status', apiVersion: 'v1', code: 404, reason: 'NotFound' };
    const list = { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items };
    response.end(JSON.stringify(isList ? list : missing));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  kubeconfig = join(folder, 'kubeconfig');
  const { port } = server.address() as AddressInfo;
  const config = {
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
    clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${port}` } }],
    users: [{ name: 'u', user: {} }],
  };
  await writeFile(kubeconfig, JSON.stringify(config));
  objects = {
    nodepools: [aPool('a', AZURE), aPool('another', AZURE), aPool('b', AWS)],
    aksnodeclasses: [aClass(AZURE)],
    ec2nodeclasses: [aClass(AWS)],
    nodes: [aNode('node-a', 'a', 'azure:///a'), aNode('node-b', 'b', 'aws:///eu-central-1a/i-1')],
    nodeclaims: [
      aClaim('node-a', 'a', 'azure:///a', AZURE),
      aClaim('node-b', 'b', 'aws:///eu-central-1a/i-1', AWS),
    ],
    deployments: [aController('kube-system', 'azure'), aController('aws-system', 'aws')],
  };
});

afterEach(async () => {
  server.close();
  await rm(folder, { recursive: true });
});

const AZURE = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };
const AWS = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
const SINCE = { reason: 'x', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
const conditions = (...types: readonly string[]) => types.map((type) => ({ type, status: 'True', ...SINCE }));
const stored = (name: string) => ({ name, uid: `uid-${name}`, resourceVersion: '1' });

const aPool = (name: string, nodeClassRef: object) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodePool',
  metadata: stored(name),
  spec: {
    template: { spec: { nodeClassRef, requirements: [] } },
    disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] },
  },
  status: { conditions: conditions('Ready') },
});

const aClass = ({ group, kind, name }: typeof AZURE) => ({
  apiVersion: `${group}/v1`,
  kind,
  metadata: stored(name),
  spec: kind === AWS.kind ? { amiSelectorTerms: [{ alias: 'al2023@latest' }] } : {},
  status: { conditions: conditions('Ready') },
});

/** With a condition that is a policy of AWS only. */
const aNode = (name: string, pool: string, providerID: string) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { ...stored(name), labels: { 'karpenter.sh/nodepool': pool, 'kubernetes.io/hostname': name } },
  spec: { providerID },
  status: {
    allocatable: { cpu: '4', memory: '16Gi', pods: '110' },
    capacity: { cpu: '4', memory: '16Gi', pods: '110' },
    conditions: [...conditions('Ready'), { type: 'KernelReady', status: 'False', ...SINCE }],
  },
});

const aClaim = (nodeName: string, pool: string, providerID: string, nodeClassRef: object) => ({
  apiVersion: 'karpenter.sh/v1',
  kind: 'NodeClaim',
  metadata: { ...stored(`claim-${nodeName}`), labels: { 'karpenter.sh/nodepool': pool } },
  spec: { nodeClassRef, requirements: [] },
  status: { nodeName, providerID, conditions: conditions('Registered', 'Initialized', 'Consolidatable') },
});

function aController(namespace: string, cloud: string): Found {
  const labels = { 'app.kubernetes.io/name': 'karpenter' };
  const containers = [{ name: 'controller', image: 'x', args: [`--cloud=${cloud}`] }];
  const spec = { replicas: 1, template: { metadata: { labels }, spec: { containers } } };
  const found = {
    metadata: { ...stored('karpenter'), namespace, labels },
    spec,
    status: { readyReplicas: 1 },
  };
  return found;
}

interface Report {
  readonly notes: readonly string[];
  readonly freezes: readonly { readonly text: string }[];
  readonly commands: readonly { readonly reason: string; readonly text: string }[];
}

async function planned(...args: readonly string[]): Promise<Report> {
  const { code, out, err } = await plan(
    ['--kubeconfig', kubeconfig, '-o', 'json', ...args],
    await createWorld(),
  );
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out) as Report;
}

test.each([
  ['aws-system', ['b'], 'node-a'],
  ['kube-system', ['a', 'another'], 'node-b'],
])('a freeze in %s is about the NodePools %j of its controller only', async (namespace, pools, goes) => {
  const metadata = { ...stored('chandler-freeze'), namespace };
  objects['configmaps'] = [{ metadata, data: { freeze: 'true', by: 'ops' } } as Found];
  const { commands, freezes, notes } = await planned();
  expect(commands.map(({ text }) => text)).toEqual([`delete: [${goes}]`]);
  expect(freezes.map(({ text }) => text)).toEqual(
    pools.map(
      (pool) => `disruption of NodePool ${pool} is frozen by ops (ConfigMap ${namespace}/chandler-freeze)`,
    ),
  );
  expect(notes.join()).not.toContain('chandler-freeze');
});

test('a freeze in the namespace of no controller stops nothing, and the note names both', async () => {
  const metadata = { ...stored('chandler-freeze'), namespace: 'default' };
  objects['configmaps'] = [{ metadata, data: { freeze: 'true' } } as Found];
  const { commands, notes } = await planned();
  expect(commands).toHaveLength(1);
  expect(notes).toContain(
    'ConfigMap default/chandler-freeze is not in the namespace of the controller, kube-system or aws-system, and stops nothing.',
  );
});

test('every node is repaired by the policies of its own cloud', async () => {
  const { commands } = await planned('--repair');
  const repairs = commands.filter(({ reason }) => reason === 'Unhealthy');
  expect(repairs.map(({ text }) => text)).toEqual([expect.stringContaining('node-b')]);
  expect(commands.map(({ text }) => text).join()).toContain('node-a');
});
