/** Rows and stores for tests. */
import type { NodeRow, PodRow, Snapshot } from '../../wire.ts';
import { ClusterStore } from './store.ts';

const TOTALS = {
  pricePerHour: 1,
  unpriced: 0,
  lowerBoundPerHour: null,
  cpuRequestedMillis: 0,
  cpuAllocatableMillis: 0,
  memoryRequestedBytes: 0,
  memoryAllocatableBytes: 0,
  pods: 0,
  pending: 0,
};

export function aNode(name: string, more: Partial<NodeRow> = {}): NodeRow {
  return {
    name,
    node: name,
    claim: name,
    pool: 'general',
    type: 'large',
    zone: 'a',
    capacity: 'spot',
    version: null,
    phase: 'ready',
    phaseText: 'Ready',
    warning: false,
    createdMs: 0,
    pricePerHour: 0.5,
    cpuMillis: 4000,
    memoryBytes: 1000,
    maxPods: null,
    staying: [],
    ...more,
  };
}

export function aPod(name: string, node: string, phase: PodRow[3], cpuMillis = 100): PodRow {
  return ['shop', name, node, phase, cpuMillis, 10, 'Deployment/web'];
}

export function aSnapshot(nodes: readonly NodeRow[], pods: readonly PodRow[]): Snapshot {
  const rest = { pools: [], freezes: [], missing: [] };
  return { version: 1, epoch: 'e', sequence: 7, atMs: 1, totals: TOTALS, nodes, pods, ...rest };
}

export function aStore(nodes: readonly NodeRow[], pods: readonly PodRow[]): ClusterStore {
  const store = new ClusterStore();
  store.load(aSnapshot(nodes, pods));
  return store;
}
