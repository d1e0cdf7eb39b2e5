/** The nodes as a table: how they are sorted, and what a file of them has. Pure. */
import type { NodeRow } from '../../wire.ts';
import type { Table } from './csv.ts';
import type { ClusterStore } from './store.ts';

export type SortValue = string | number | null;

/** In place. What is not known comes last, whatever the direction. @param sign 1: the smallest first. */
export function sortNodes(nodes: NodeRow[], of: (node: NodeRow) => SortValue, sign: 1 | -1): NodeRow[] {
  const values = new Map(nodes.map((node) => [node, of(node)]));
  return nodes.sort((a, b) => compared(values.get(a)!, values.get(b)!, sign) || (a.name < b.name ? -1 : 1));
}

/** Everything that is known of the nodes, with units in the names of the columns. */
export function nodeTable(nodes: readonly NodeRow[], store: ClusterStore): Table {
  const { hasPods } = store;
  const rows = nodes.map((node) => {
    const load = store.loadOf(node.name);
    return [
      node.name,
      node.phaseText,
      node.pool,
      node.type,
      node.zone,
      node.capacity,
      node.claim,
      node.version,
      node.createdMs === null ? null : new Date(node.createdMs).toISOString(),
      hasPods ? (load?.cpuMillis ?? 0) : null,
      node.cpuMillis,
      hasPods ? (load?.memoryBytes ?? 0) : null,
      node.memoryBytes,
      hasPods ? (load?.pods.size ?? 0) : null,
      node.maxPods,
      node.pricePerHour,
      node.staying.map(({ text }) => text).join('; '),
    ];
  });
  return { columns: COLUMNS, rows };
}

// ---------------------------------------------------------------------------------------------------

const COLUMNS = [
  'name',
  'phase',
  'pool',
  'type',
  'zone',
  'capacity',
  'claim',
  'version',
  'created',
  'cpuRequestedMillis',
  'cpuAllocatableMillis',
  'memoryRequestedBytes',
  'memoryAllocatableBytes',
  'pods',
  'maxPods',
  'pricePerHour',
  'stays',
];

function compared(a: SortValue, b: SortValue, sign: 1 | -1): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return a < b ? -sign : sign;
}
