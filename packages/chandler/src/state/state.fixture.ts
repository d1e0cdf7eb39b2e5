/** A cluster in memory for tests of this module: stores that are filled by hand, without a server. */
import {
  type KubeObject,
  keyOfObject,
  type NamedObject,
  type Reflector,
  type Stored,
  TransportError,
} from '@chandler/kube';
import { stored, virtualWorld } from '@chandler/kube/testing';
import { AKS_NODE_CLASSES } from '../api/index.ts';
import { Cluster } from './cluster.ts';
import { Stores } from './stores.ts';

export function handmade(nodeName: (claim: NamedObject) => string = ({ metadata }) => `vm-${metadata.name}`) {
  const world = virtualWorld();
  const transport = () => Promise.reject(new TransportError('unreachable', 'no server in this test'));
  const stores = new Stores({ world, transport, nodeClasses: [AKS_NODE_CLASSES] });
  for (const part of Object.values(stores)) {
    if (part !== undefined && 'store' in part) part.store.replace([], '1');
  }
  const cluster = new Cluster(stores, world.clock, { nodeName });
  let version = 1;
  return {
    world,
    stores,
    cluster,
    put<T extends KubeObject>(reflector: Reflector<T>, object: object): Stored<T> {
      const given = object as T & NamedObject;
      const metadata = { ...given.metadata, resourceVersion: String(++version) };
      const held: Stored<T> = stored({ ...given, metadata });
      const known = reflector.store.get(keyOfObject(held));
      reflector.store.apply(known ? 'MODIFIED' : 'ADDED', held);
      return reflector.store.get(keyOfObject(held))!;
    },
    remove<T extends KubeObject>(reflector: Reflector<T>, object: Stored<T>): void {
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
