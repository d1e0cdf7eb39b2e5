/** A cluster of an in-process API server for tests of `chandler top`. */
import {
  CLUSTER_ROLE_BINDINGS,
  CLUSTER_ROLES,
  EVENTS,
  fetchTransport,
  KubeClient,
  type KubeObject,
  NODES,
  PODS,
  type ResourceRef,
  type Transport,
  type World,
} from '@chandler/kube';
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../api/index.ts';
import { startPlayground } from '../../playground/index.ts';

export const NEVER = new AbortController().signal;

export interface TestCluster<W extends World = VirtualWorld> {
  readonly world: W;
  readonly client: KubeClient;
  /** With all permissions. */
  readonly transport: Transport;
  /** Of a user who may list and watch these resources, as `nodes` or `nodepools.karpenter.sh`, and nothing else. */
  limitedTo(...resources: readonly string[]): Promise<Transport>;
}

/** With the CRDs, and no objects, in virtual time. */
export function withCluster(use: (cluster: TestCluster) => Promise<void>): Promise<void> {
  return withClusterOf(virtualWorld(), use);
}

export async function withClusterOf<W extends World>(
  world: W,
  use: (cluster: TestCluster<W>) => Promise<void>,
): Promise<void> {
  const running = await startPlayground({ world, port: false, standins: false });
  const transport = fetchTransport(running.server.adminFetch);
  const client = new KubeClient({ transport });
  const limitedTo = async (...names: readonly string[]) => {
    const rules = names.map((name) => {
      const [resource = '', ...group] = name.split('.');
      return { apiGroups: [group.join('.')], resources: [resource], verbs: ['list', 'watch'] };
    });
    const metadata = { name: 'limited' };
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    await client.create(CLUSTER_ROLES, { apiVersion, kind: 'ClusterRole', metadata, rules } as KubeObject);
    await client.create(CLUSTER_ROLE_BINDINGS, {
      apiVersion,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'limited' },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'limited' }],
    } as KubeObject);
    return fetchTransport(running.server.fetchAs({ username: 'limited', groups: ['system:authenticated'] }));
  };
  try {
    await use({ world, client, transport, limitedTo });
  } finally {
    await running.stop();
  }
}

/** A NodePool with two nodes, a node of someone else, a claim that boots, three pods, and an event. */
export async function fill(client: KubeClient): Promise<void> {
  const create = (resource: ResourceRef, object: object) => client.create(resource, object as KubeObject);
  const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };
  await create(AKS_NODE_CLASSES, {
    apiVersion: 'karpenter.azure.com/v1beta1',
    kind: 'AKSNodeClass',
    metadata: { name: 'default' },
    spec: {},
  });
  await create(NODE_POOLS, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'general' },
    spec: { template: { spec: { nodeClassRef, requirements: [] } } },
  });
  for (const name of ['general-a', 'general-b', 'general-c'])
    await aClaim(client, name, nodeClassRef, name === 'general-c');
  await aNode(client, 'aks-general-a', LABELS, 'azure:///general-a');
  await aNode(client, 'aks-general-b', LABELS, 'azure:///general-b');
  await aNode(client, 'system-1', { 'topology.kubernetes.io/zone': 'eastus-2' });
  await aPod(client, 'web-1', 'aks-general-a', '1500m');
  await aPod(client, 'web-2', 'aks-general-a', '500m');
  await aPod(client, 'waits', undefined, '1');
  await anEvent(client, 'general-a', 'Pdb "shop/web" prevents pod evictions');
}

export async function aPod(client: KubeClient, name: string, nodeName: string | undefined, cpu: string) {
  const resources = { requests: { cpu, memory: '1Gi' } };
  const spec = { containers: [{ name: 'main', image: 'x', resources }] };
  await client.create(PODS, {
    metadata: { name, namespace: 'default' },
    spec: nodeName === undefined ? spec : { ...spec, nodeName },
  } as KubeObject);
}

export async function anEvent(client: KubeClient, claim: string, message: string): Promise<void> {
  const at = '2026-01-01T00:00:00Z';
  await client.create(EVENTS, {
    metadata: { name: `${claim}.1`, namespace: 'default' },
    involvedObject: { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: claim },
    reason: 'DisruptionBlocked',
    type: 'Normal',
    message,
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  } as unknown as KubeObject);
}

// ---------------------------------------------------------------------------------------------------

const LABELS = {
  'karpenter.sh/nodepool': 'general',
  'karpenter.sh/capacity-type': 'on-demand',
  'node.kubernetes.io/instance-type': 'Standard_D4s_v5',
  'topology.kubernetes.io/zone': 'eastus-1',
  'topology.kubernetes.io/region': 'eastus',
};

async function aNode(client: KubeClient, name: string, labels: object, providerID?: string): Promise<void> {
  const at = '2025-12-31T22:00:00Z';
  await client.create(NODES, {
    metadata: { name, labels },
    spec: providerID === undefined ? {} : { providerID },
    status: {
      allocatable: { cpu: '4', memory: '8Gi', pods: '110' },
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: at, lastHeartbeatTime: at }],
    },
  } as unknown as KubeObject);
}

async function aClaim(client: KubeClient, name: string, nodeClassRef: object, boots: boolean): Promise<void> {
  await client.create(NODE_CLAIMS, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, labels: LABELS },
    spec: { nodeClassRef, requirements: [] },
  } as unknown as KubeObject);
  const types = boots ? ['Launched'] : ['Launched', 'Registered', 'Initialized', 'Consolidatable'];
  const conditions = types.map((type) => ({
    type,
    status: 'True',
    reason: type,
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  }));
  const status = { providerID: `azure:///${name}`, conditions };
  await client.patchStatus(NODE_CLAIMS, { name }, { type: 'merge', patch: { status } });
}
