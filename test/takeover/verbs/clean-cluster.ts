/** A cluster of Karpenter's on an API server over HTTPS, beside which Chandler observes: a plan finds nothing in it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN, startApiServer } from '@chandler/apiserver';
import {
  DEPLOYMENTS,
  type Deployment,
  fetchTransport,
  KubeClient,
  type KubeObject,
  LEASES,
  PODS,
  type Pod,
  type ResourceRef,
  SERVICE_ACCOUNTS,
} from '@chandler/kube';
import { type RealTimeWorld, realTimeWorld } from '@chandler/kube/testing';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../../packages/chandler/src/api/index.ts';
import { builtinCrds } from '../../../packages/chandler/src/api/kinds/index.ts';
import { roleObjects } from '../../e2e/roles.ts';
import { type Outcome, chandler as runChandler } from '../../plan/examples.ts';
import { classAnnotations, nodeClass, poolHash, TERMS } from '../azure/objects.ts';
import { conditions, nodePool, poolAnnotations } from '../objects.ts';
import { chandlerDeployment, karpenterDeployment, LEASE, NAMESPACE } from './two-controllers.ts';

export interface CleanCluster {
  readonly admin: KubeClient;
  readonly world: RealTimeWorld;
  takeover(...args: readonly string[]): Promise<Outcome>;
  stop(): Promise<void>;
}

const SETTINGS = {
  CLUSTER_NAME: 'prod',
  CLUSTER_ENDPOINT: 'https://prod.example.com:443',
  KUBELET_BOOTSTRAP_TOKEN: 'abcdef.0123456789abcdef',
  SSH_PUBLIC_KEY: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFakeFakeFakeFakeFakeFakeFakeFakeFakeFakeFake a',
  VNET_SUBNET_ID:
    '/subscriptions/00000000-0000-4000-8000-000000000000/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/v/subnets/nodes',
  AZURE_NODE_RESOURCE_GROUP: 'MC_prod',
  ARM_SUBSCRIPTION_ID: '00000000-0000-4000-8000-000000000000',
  LOCATION: 'eastus',
};

/** Of both. */
export function settings(more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return { ...SETTINGS, ...more };
}

export async function cleanCluster(): Promise<CleanCluster> {
  const world = realTimeWorld();
  const server = await startApiServer({ world, port: 0, initialObjects: builtinCrds() as never });
  const folder = mkdtempSync(join(tmpdir(), 'chandler-takeover-'));
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, server.kubeconfig, { mode: 0o600 });
  const admin = new KubeClient({ transport: fetchTransport(server.fetchAs(ADMIN)) });
  await fill(admin);
  return {
    admin,
    world,
    takeover: (...args) => runChandler(['takeover', ...args, '--kubeconfig', kubeconfig], world),
    async stop() {
      await server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A pod of the Deployment, Ready. */
export async function addPod(admin: KubeClient, { metadata, spec }: Deployment, name: string): Promise<void> {
  const { labels = {} } = spec.template.metadata ?? {};
  const { containers } = spec.template.spec;
  await admin.create(PODS, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: metadata.namespace, labels },
    spec: { containers, nodeName: 'system-0' },
  } as Pod);
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  await admin.patchStatus(PODS, { namespace: NAMESPACE, name }, { type: 'merge', patch: { status } });
}

// ---------------------------------------------------------------------------------------------------

async function fill(admin: KubeClient): Promise<void> {
  for (const [resource, object] of roleObjects()) await admin.create(resource, object);
  await admin.create(SERVICE_ACCOUNTS, {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'karpenter', namespace: NAMESPACE },
  });
  const karpenter = karpenterDeployment({ replicas: 1, env: settings() });
  const chandler = chandlerDeployment({ replicas: 1, args: ['controller', '--observe'], env: settings() });
  await admin.create(DEPLOYMENTS, karpenter);
  await admin.create(DEPLOYMENTS, chandler);
  await addPod(admin, karpenter, 'karpenter-1');
  await addPod(admin, chandler, 'chandler-1');
  await admin.create(LEASES, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: LEASE,
    spec: {
      holderIdentity: 'karpenter-1_0f1e',
      leaseDurationSeconds: 15,
      renewTime: '2026-06-02T12:00:00.000000Z',
    },
  });
  const ofClass = await admin.create(AKS_NODE_CLASSES, nodeClass() as never);
  await annotate(admin, AKS_NODE_CLASSES, ofClass, classAnnotations(ofClass));
  const pool = (await admin.create(NODE_POOLS, nodePool('general', TERMS) as never)) as KubeObject;
  await annotate(admin, NODE_POOLS, pool, poolAnnotations(poolHash(pool)));
  for (const name of ['general-1', 'general-2']) {
    await admin.create(NODE_CLAIMS, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: {
        name,
        labels: { 'karpenter.sh/nodepool': 'general' },
        annotations: { ...poolAnnotations(poolHash(pool)), ...classAnnotations(ofClass) },
      },
      spec: { nodeClassRef: TERMS.nodeClassRef, requirements: [] },
    } as never);
    const status = {
      conditions: conditions('2026-06-02T12:00:00Z', ['Launched', 'Registered', 'Initialized']),
    };
    await admin.patchStatus(NODE_CLAIMS, { name }, { type: 'merge', patch: { status } });
  }
}

function annotate(
  admin: KubeClient,
  resource: ResourceRef,
  { metadata }: KubeObject,
  annotations: Readonly<Record<string, string>>,
) {
  return admin.patch(
    resource,
    { name: metadata.name! },
    { type: 'merge', patch: { metadata: { annotations } } },
  );
}
