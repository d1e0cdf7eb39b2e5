/** Rows for tests of recordings. */
import type { NodeRow, PodRow, Snapshot } from '../wire.ts';

export function aPodRow(name: string, node = ''): PodRow {
  return ['shop', name, node, node === '' ? 'p' : 'r', 100, 10, 'Deployment/web'];
}

export function aNodeRow(name: string): NodeRow {
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
    staying: [{ code: 'Young', text: 'it is young' }],
  };
}

export function aSnapshot(
  atMs: number,
  nodes: readonly NodeRow[] = [],
  pods: readonly PodRow[] = [],
): Snapshot {
  const totals = {
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
  return {
    version: 1,
    epoch: 'e',
    sequence: 7,
    atMs,
    totals,
    nodes,
    pods,
    pools: [],
    freezes: [],
    missing: [],
  };
}
