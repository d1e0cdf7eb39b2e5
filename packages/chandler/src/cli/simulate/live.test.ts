import type { KubeObject } from '@chandler/kube';
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  DAEMON_SETS,
  fetchTransport,
  KubeClient,
  LIMIT_RANGES,
  type NamespacedObject,
  NODES,
  PODS,
  type Pod,
  type ResourceRef,
  type Transport,
} from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_POOLS } from '../../api/index.ts';
import { startPlayground } from '../../playground/index.ts';

import { cataloguesFor } from './catalogues.ts';
import { readDocuments } from './documents.ts';
import { Inventory } from './inventory.ts';
import { listCluster, readCluster } from './live.ts';
import { NO_CATALOGUES } from './simulate.fixture.ts';
import { toInput } from './to-input.ts';

const ADMIN = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };
const NOBODY = { username: 'nobody', groups: ['system:authenticated'] };
const NEVER = new AbortController().signal;

test('a cluster is read with its nodes, running and waiting pods, pools and daemons', async () => {
  await withCluster(async (transportOf) => {
    await createClass(new KubeClient({ transport: transportOf(ADMIN) }));
    const inventory = new Inventory();
    expect(await listCluster(inventory, transportOf(ADMIN), NEVER)).toEqual({ notes: [], unread: [] });
    const { input } = toInput(inventory, NO_CATALOGUES, { pools: [], options: {} });
    expect(input.nodes!.map(({ name }) => name)).toEqual(['node-1']);
    expect(input.boundPods!.map(({ metadata }) => metadata.name)).toEqual(['runs']);
    expect(input.pods.map(({ metadata }) => metadata.name)).toEqual(['waits']);
    expect(input.pools.map(({ nodePool }) => nodePool.metadata.name)).toEqual(['general']);
    expect(input.daemonSets!.map(({ metadata }) => metadata.name)).toEqual(['agent']);
    expect(input.namespaces!.map(({ name }) => name)).toContain('kube-system');
  });
});

test('a pool of a cluster that is not Ready, or whose node class is absent, launches nothing', async () => {
  await withCluster(async (transportOf) => {
    const client = new KubeClient({ transport: transportOf(ADMIN) });
    await createClass(client);
    const read = async () => {
      const inventory = new Inventory();
      await listCluster(inventory, transportOf(ADMIN), NEVER);
      const { input, notes } = toInput(inventory, NO_CATALOGUES, { pools: [], options: {} });
      return { pools: input.pools.map(({ nodePool }) => nodePool.metadata.name), notes };
    };
    await client.patchStatus(
      NODE_POOLS,
      { name: 'general' },
      { type: 'merge', patch: { status: { conditions: [] } } },
    );
    expect(await read()).toEqual({
      pools: [],
      notes: [
        'NodePool general is not Ready and launches no nodes: no controller has set its condition Ready.',
      ],
    });
    await becomeReady(client);
    expect(await read()).toEqual({ pools: ['general'], notes: [] });
    const held = { metadata: { finalizers: ['example.com/held'] } };
    await client.patch(AKS_NODE_CLASSES, { name: 'default' }, { type: 'merge', patch: held });
    await client.delete(AKS_NODE_CLASSES, { name: 'default' });
    expect(await read()).toEqual({
      pools: [],
      notes: ['NodePool general launches no nodes: its AKSNodeClass default is being deleted.'],
    });
    const free = { metadata: { finalizers: [] } };
    await client.patch(AKS_NODE_CLASSES, { name: 'default' }, { type: 'merge', patch: free });
    expect(await read()).toEqual({
      pools: [],
      notes: ['NodePool general launches no nodes: its AKSNodeClass default does not exist.'],
    });
  });
});

test('NodeOverlays of a cluster count only where a controller looks at them: its gate may be off', async () => {
  const overlay = (name: string) => ({
    apiVersion: 'karpenter.sh/v1alpha1',
    kind: 'NodeOverlay',
    metadata: { name },
    spec: { requirements: [], price: '0.5' },
  });
  const seen = { conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: '' }] };
  const inventory = new Inventory();
  inventory.addLive('NodeOverlay', overlay('unseen'));
  inventory.addLive('NodeOverlay', { ...overlay('seen'), status: seen } as KubeObject);
  const text = JSON.stringify(overlay('written'));
  for (const found of readDocuments({ name: 'overlay.json', text }).found) inventory.addFound(found);
  const used = (overlays?: boolean) => {
    const options = { pools: [], options: {}, ...(overlays === undefined ? {} : { overlays }) };
    const { input, notes } = toInput(inventory, NO_CATALOGUES, options);
    return { names: input.overlays?.map(({ metadata }) => metadata.name), notes };
  };
  const { names, notes } = used();
  expect(names).toEqual(['seen', 'written']);
  expect(notes).toContain(
    'NodeOverlay unseen is ignored: no controller has set its condition Ready. The feature gate NodeOverlay may be off.',
  );
  expect(used(false).names).toEqual([]);
});

test('a cluster is read with its node classes, which decide how many pods fit on a node', async () => {
  await withCluster(async (transportOf) => {
    const client = new KubeClient({ transport: transportOf(ADMIN) });
    await createClass(client, { maxPods: 12 });
    const inventory = new Inventory();
    await listCluster(inventory, transportOf(ADMIN), NEVER);
    const { lists, notes } = await cataloguesFor(inventory, { catalogue: undefined, zones: [] });
    expect(new Set(lists['AKSNodeClass/default']!.map(({ capacity }) => String(capacity['pods'])))).toEqual(
      new Set(['12']),
    );
    expect(notes.join()).not.toContain('AKSNodeClass');
  });
});

test('a node class that does not exist is reported, with what is assumed for it', async () => {
  await withCluster(async (transportOf) => {
    const inventory = new Inventory();
    await listCluster(inventory, transportOf(ADMIN), NEVER);
    const { notes } = await cataloguesFor(inventory, { catalogue: undefined, zones: [] });
    expect(notes).toContain(
      'AKSNodeClass default of NodePool general is not in the input; the defaults of its fields are assumed, such as the maximum number of pods and the disk.',
    );
  });
});

test('of a running pod only what scheduling reads is kept', async () => {
  await withCluster(async (transportOf) => {
    const client = new KubeClient({ transport: transportOf(ADMIN) });
    const key = { namespace: 'default', name: 'runs' };
    const state = (startedAt: string) => ({ running: { startedAt } });
    const resources = { requests: { cpu: '1' } };
    const containerStatuses = [
      { name: 'main', containerID: 'c', state: state('2026-06-01T09:00:00Z'), resources },
    ];
    await client.patchStatus(PODS, key, {
      type: 'merge',
      patch: { status: { phase: 'Running', containerStatuses } },
    });
    const inventory = new Inventory();
    await listCluster(inventory, transportOf(ADMIN), NEVER);
    const pod = inventory.objects<Pod>('Pod').find(({ metadata }) => metadata.name === 'runs')!;
    expect(pod.status).toEqual({ phase: 'Running' });
    expect(pod.spec.containers).toEqual([{ name: 'main', resources }]);
  });
});

test('a DaemonSet of a file asks for what the file says, and not for what its pods in the cluster have', async () => {
  await withCluster(async (transportOf) => {
    const client = new KubeClient({ transport: transportOf(ADMIN) });
    const agent = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', uid: 'u', controller: true };
    await client.create(PODS, {
      metadata: { name: 'agent-1', namespace: 'kube-system', ownerReferences: [agent] },
      spec: { nodeName: 'node-1', containers: CONTAINERS },
    });
    const inventory = new Inventory();
    await listCluster(inventory, transportOf(ADMIN), NEVER);
    const daemonOf = () =>
      toInput(inventory, NO_CATALOGUES, { pools: [], options: {} }).input.daemonSets![0]!;
    expect(daemonOf().pod?.metadata.name).toBe('agent-1');
    const text = JSON.stringify({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'agent', namespace: 'kube-system' },
      spec: { selector: { matchLabels: { app: 'agent' } }, template: TEMPLATE },
    });
    for (const found of readDocuments({ name: 'agent.json', text }).found) inventory.addFound(found);
    expect(daemonOf().pod).toBeUndefined();
  });
});

test('pods of a file get the requests that the LimitRanges of the cluster give them', async () => {
  await withCluster(async (transportOf) => {
    const client = new KubeClient({ transport: transportOf(ADMIN) });
    await client.create(LIMIT_RANGES, {
      metadata: { name: 'usual', namespace: 'default' },
      spec: { limits: [{ type: 'Container', max: { cpu: '2' }, defaultRequest: { memory: '64Mi' } }] },
    } as NamespacedObject);
    const requestsOf = async (options: { readonly limitRanges: boolean }) => {
      const inventory = new Inventory();
      await listCluster(inventory, transportOf(ADMIN), NEVER, options);
      const spec = { containers: [{ name: 'main', image: 'x' }] };
      const text = JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'new' }, spec });
      for (const found of readDocuments({ name: 'pod.json', text }).found) inventory.addFound(found);
      const { input } = toInput(inventory, NO_CATALOGUES, { pools: [], options: {} });
      const pod = input.pods.find(({ metadata }) => metadata.name === 'new')!;
      return pod.spec.containers![0]!.resources?.requests;
    };
    expect(await requestsOf({ limitRanges: true })).toEqual({ cpu: '2', memory: '64Mi' });
    expect(await requestsOf({ limitRanges: false })).toBeUndefined();
  });
});

test('without permission to list pods and nodes the simulation fails', async () => {
  await withCluster(async (transportOf) => {
    await expect(listCluster(new Inventory(), transportOf(NOBODY), NEVER)).rejects.toThrow(/forbidden/);
  });
});

test('node classes that may not be listed are missed only where a NodePool uses them', async () => {
  await withCluster(async (transportOf) => {
    const client = new KubeClient({ transport: transportOf(ADMIN) });
    const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'reader' } };
    const apiGroups = ['', 'apps', 'karpenter.sh', 'scheduling.k8s.io', 'storage.k8s.io'];
    const rules = [{ apiGroups, resources: ['*'], verbs: ['list'] }];
    await client.create(CLUSTER_ROLES, { ...rbac, kind: 'ClusterRole', rules } as KubeObject);
    await client.create(CLUSTER_ROLE_BINDINGS, {
      ...rbac,
      kind: 'ClusterRoleBinding',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'reader' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: NOBODY.username }],
    } as KubeObject);
    expect(await listCluster(new Inventory(), transportOf(NOBODY), NEVER)).toEqual({
      notes: ['aksnodeclasses.karpenter.azure.com cannot be listed with these credentials and are ignored.'],
      unread: ['aksnodeclasses.karpenter.azure.com'],
    });
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
    await becomeReady(client);
    await use(transportOf);
  } finally {
    await running.stop();
  }
}

async function createClass(client: KubeClient, spec: object = {}): Promise<void> {
  const kind = { apiVersion: 'karpenter.azure.com/v1beta1', kind: 'AKSNodeClass' } as const;
  await client.create(AKS_NODE_CLASSES, { ...kind, metadata: { name: 'default' }, spec });
}

async function becomeReady(client: KubeClient): Promise<void> {
  const lastTransitionTime = '2026-01-01T00:00:00Z';
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Ready', message: '', lastTransitionTime }];
  await client.patchStatus(
    NODE_POOLS,
    { name: 'general' },
    { type: 'merge', patch: { status: { conditions } } },
  );
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
