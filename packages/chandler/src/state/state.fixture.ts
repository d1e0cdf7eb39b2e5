/** A cluster in memory for tests of this module: stores that are filled by hand, without a server. */
import type { KubeObject } from '@chandler/kube';
import { type Reflector, TransportError } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { AKS_NODE_CLASSES } from '../api/index.ts';
import { Cluster } from './cluster.ts';
import { Stores } from './stores.ts';

export function handmade() {
  const world = virtualWorld();
  const transport = () => Promise.reject(new TransportError('unreachable', 'no server in this test'));
  const stores = new Stores({ world, transport, nodeClasses: [AKS_NODE_CLASSES] });
  for (const part of Object.values(stores)) {
    if (part !== undefined && 'store' in part) (part as Reflector).store.replace([], '1');
  }
  const cluster = new Cluster(stores, world.clock);
  let version = 1;
  return {
    world,
    stores,
    cluster,
    put<T extends KubeObject>(reflector: Reflector<T>, object: object): T {
      const given = object as T;
      const metadata = {
        uid: `uid-${given.metadata.name}`,
        ...given.metadata,
        resourceVersion: String(++version),
      };
      const known = reflector.store.get({ name: metadata.name ?? '', namespace: metadata.namespace ?? '' });
      reflector.store.apply(known ? 'MODIFIED' : 'ADDED', { ...given, metadata });
      return reflector.store.get({ name: metadata.name ?? '', namespace: metadata.namespace ?? '' })!;
    },
    remove<T extends KubeObject>(reflector: Reflector<T>, object: T): void {
      const metadata = { ...object.metadata, resourceVersion: String(++version) };
      reflector.store.apply('DELETED', { ...object, metadata });
    },
  };
}

export const aNode = (name: string, more: Record<string, unknown> = {}) => ({
  metadata: { name, labels: { 'kubernetes.io/os': 'linux' } },
  spec: { providerID: `azure:///${name}` },
  status: { capacity: { cpu: '4' }, allocatable: { cpu: '3900m', pods: '110' } },
  ...more,
});

export const aClaim = (name: string, more: Record<string, unknown> = {}) => ({
  metadata: { name, labels: { 'karpenter.sh/nodepool': 'general' } },
  spec: {
    nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
    requirements: [
      { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] },
      { key: 'topology.kubernetes.io/zone', operator: 'In', values: ['eastus-1', 'eastus-2'] },
    ],
    resources: { requests: { cpu: '1500m', pods: '3' } },
    startupTaints: [{ key: 'cni', effect: 'NoSchedule' }],
  },
  ...more,
});

export const aPod = (name: string, more: Record<string, unknown> = {}) => ({
  metadata: { name, namespace: 'default' },
  spec: { containers: [{ name: 'main', resources: { requests: { cpu: '100m' } } }] },
  status: {
    phase: 'Pending',
    conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }],
  },
  ...more,
});

export const condition = (type: string, status = 'True') => ({
  type,
  status,
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
