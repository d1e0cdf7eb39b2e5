/** A live cluster with two nodes, of which one is empty, and questions about it. */
import {
  DEPLOYMENTS,
  type KubeClient,
  LEASES,
  NODES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  type ResourceRef,
  type World,
} from '@chandler/kube';
import { expect } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { chandler, plan } from './examples.ts';

export const ADMIN = { username: 'admin', groups: ['system:masters', 'system:authenticated'] };
export const CONTROLLER = { name: 'karpenter', namespace: 'kube-system' };

export async function deployController(client: KubeClient, env: readonly object[]): Promise<void> {
  const labels = { 'app.kubernetes.io/name': 'karpenter' };
  const containers = [{ name: 'controller', image: 'x', env }];
  await client.create(DEPLOYMENTS, {
    metadata: { ...CONTROLLER, labels },
    spec: {
      replicas: 1,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  } as never);
  const renewTime = new Date().toISOString().replace('Z', '000Z');
  const lease = {
    holderIdentity: 'karpenter-0',
    // Real time passes: a slow machine must not lose it.
    leaseDurationSeconds: 3600,
    acquireTime: renewTime,
    renewTime,
  };
  const key = { name: 'karpenter-leader-election', namespace: CONTROLLER.namespace };
  await client.delete(LEASES, key).catch(() => undefined);
  await client.create(LEASES, { metadata: key, spec: lease } as never);
  const status = { replicas: 1, readyReplicas: 1 };
  await client.patchStatus(DEPLOYMENTS, CONTROLLER, { type: 'merge', patch: { status } });
}

export async function staying(subject: string, kubeconfig: string, world: World): Promise<readonly string[]> {
  const args = ['why', subject, '--kubeconfig', kubeconfig, '--azure', 'off', '-o', 'json'];
  const { code, out, err } = await chandler(args, world);
  expect([code, err]).toEqual([0, '']);
  const answer = JSON.parse(out) as { verdict: string; staying: { text: string }[] };
  expect([answer.verdict, (answer as { cause?: unknown }).cause ?? null]).toEqual(['healthy', null]);
  return answer.staying.map(({ text }) => text);
}

export interface Report {
  readonly notes: readonly string[];
  readonly unread: readonly string[];
  readonly commands: readonly { readonly text: string; readonly key: string }[];
  readonly nodes: readonly object[];
}

export async function planned(kubeconfig: string, world: World): Promise<Report> {
  const { code, out, err } = await plan(['--kubeconfig', kubeconfig, '-o', 'json'], world);
  expect([code, err]).toEqual([0, '']);
  return JSON.parse(out) as Report;
}

const LABELS = {
  'kubernetes.io/arch': 'amd64',
  'kubernetes.io/os': 'linux',
  'node.kubernetes.io/instance-type': 'Standard_D4s_v5',
  'topology.kubernetes.io/region': 'eastus',
  'topology.kubernetes.io/zone': 'eastus-1',
  'karpenter.sh/capacity-type': 'on-demand',
  'karpenter.sh/nodepool': 'general',
};

/** Two nodes of the NodePool `general`: a PodDisruptionBudget protects the pod of the first, the second is empty. */
export async function fill(client: KubeClient): Promise<void> {
  const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };
  const requirements = [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['on-demand'] }];
  await client.create(NODE_POOLS, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'general' },
    spec: {
      template: { spec: { nodeClassRef, requirements } },
      disruption: { consolidateAfter: '0s', budgets: [{ nodes: '100%' }] },
    },
  } as never);
  await client.create(AKS_NODE_CLASSES, {
    apiVersion: 'karpenter.azure.com/v1beta1',
    kind: 'AKSNodeClass',
    metadata: { name: 'default' },
    spec: {},
  } as never);
  await becomeReady(client, AKS_NODE_CLASSES, 'default');
  await becomeReady(client, NODE_POOLS, 'general');
  for (const name of ['node-a', 'node-b']) {
    const allocatable = { cpu: '4', memory: '16Gi', pods: '110' };
    await client.create(NODES, {
      metadata: { name, labels: { ...LABELS, 'kubernetes.io/hostname': name } },
      spec: { providerID: `azure:///${name}` },
      status: { allocatable, capacity: allocatable, conditions: [{ type: 'Ready', status: 'True' }] },
    });
    const claim = await client.create(NODE_CLAIMS, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name: `claim-${name}`, labels: { 'karpenter.sh/nodepool': 'general' } },
      spec: { nodeClassRef, requirements },
    } as never);
    await client.updateStatus(NODE_CLAIMS, {
      ...claim,
      status: {
        nodeName: name,
        providerID: `azure:///${name}`,
        conditions: ['Registered', 'Initialized', 'Consolidatable'].map((type) => ({
          type,
          status: 'True',
          reason: type,
          message: '',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        })),
      },
    } as never);
  }
  const containers = [{ name: 'main', image: 'x', resources: { requests: { cpu: '1' } } }];
  await client.create(PODS, {
    metadata: { name: 'db-0', namespace: 'default', labels: { app: 'db' } },
    spec: { containers, nodeName: 'node-a' },
  });
  await client.create(POD_DISRUPTION_BUDGETS, {
    metadata: { name: 'db', namespace: 'default' },
    spec: { maxUnavailable: 0, selector: { matchLabels: { app: 'db' } } },
  });
}

export async function becomeReady(client: KubeClient, resource: ResourceRef, name: string): Promise<void> {
  const ready = {
    type: 'Ready',
    status: 'True',
    reason: 'Ready',
    message: '',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const object = await client.get(resource, { name });
  await client.updateStatus(resource, { ...object, status: { conditions: [ready] } } as never);
}
