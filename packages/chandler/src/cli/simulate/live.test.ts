import type { KubeObject } from '@chandler/kube';
import {
  DAEMON_SETS,
  fetchTransport,
  KubeClient,
  NODES,
  PODS,
  type ResourceRef,
  type Transport,
} from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { NODE_POOLS } from '../../api/index.ts';
import { startPlayground } from '../../playground/index.ts';

import { Inventory } from './inventory.ts';
import { listCluster, readCluster } from './live.ts';
import { NO_CATALOGUES } from './simulate.fixture.ts';
import { toInput } from './to-input.ts';

const ADMIN = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };
const NOBODY = { username: 'nobody', groups: ['system:authenticated'] };
const NEVER = new AbortController().signal;

test('a cluster is read with its nodes, running and waiting pods, pools and daemons', async () => {
  await withCluster(async (transportOf) => {
    const inventory = new Inventory();
    expect(await listCluster(inventory, transportOf(ADMIN), NEVER)).toEqual([]);
    const { input } = toInput(inventory, NO_CATALOGUES, { pools: [], options: {} });
    expect(input.nodes!.map(({ name }) => name)).toEqual(['node-1']);
    expect(input.boundPods!.map(({ metadata }) => metadata.name)).toEqual(['runs']);
    expect(input.pods.map(({ metadata }) => metadata.name)).toEqual(['waits']);
    expect(input.pools.map(({ nodePool }) => nodePool.metadata.name)).toEqual(['general']);
    expect(input.daemonSets!.map(({ metadata }) => metadata.name)).toEqual(['agent']);
    expect(input.namespaces!.map(({ name }) => name)).toContain('kube-system');
  });
});

test('without permission to list pods and nodes the simulation fails', async () => {
  await withCluster(async (transportOf) => {
    await expect(listCluster(new Inventory(), transportOf(NOBODY), NEVER)).rejects.toThrow(/forbidden/);
  });
});

test('a kubeconfig that does not exist is reported without a stack trace', async () => {
  const options = { kubeconfig: '/no/such/kubeconfig', env: {}, world: virtualWorld(), signal: NEVER };
  await expect(readCluster(new Inventory(), options)).rejects.toThrow(/\/no\/such\/kubeconfig/);
  await expect(readCluster(new Inventory(), options)).rejects.toMatchObject({ name: 'Failure' });
});

async function withCluster(
  use: (transportOf: (user: typeof ADMIN) => Transport) => Promise<void>,
): Promise<void> {
  const running = await startPlayground({ world: virtualWorld(), port: false, standins: false });
  const transportOf = (user: typeof ADMIN) => fetchTransport(running.server.fetchAs(user));
  try {
    const client = new KubeClient({ transport: transportOf(ADMIN) });
    for (const [resource, object] of OBJECTS) await client.create(resource, object);
    await use(transportOf);
  } finally {
    await running.stop();
  }
}

const CONTAINERS = [{ name: 'main', image: 'x', resources: { requests: { cpu: '1' } } }];
const TEMPLATE = { metadata: { labels: { app: 'agent' } }, spec: { containers: CONTAINERS } };
const NODE_CLASS = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };

const OBJECTS: readonly (readonly [ResourceRef, KubeObject])[] = [
  [
    NODES,
    { metadata: { name: 'node-1' }, status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } } },
  ],
  [PODS, aPod('runs', { nodeName: 'node-1' })],
  [PODS, aPod('waits', {})],
  [
    DAEMON_SETS,
    {
      metadata: { name: 'agent', namespace: 'kube-system' },
      spec: { selector: { matchLabels: { app: 'agent' } }, template: TEMPLATE },
    },
  ],
  [
    NODE_POOLS,
    {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodePool',
      metadata: { name: 'general' },
      spec: { template: { spec: { nodeClassRef: NODE_CLASS, requirements: [] } } },
    },
  ],
];

function aPod(name: string, spec: object): KubeObject {
  return { metadata: { name, namespace: 'default' }, spec: { ...spec, containers: CONTAINERS } };
}
