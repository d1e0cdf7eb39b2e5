/** The nodes as a table: the same content as the tiles, sortable, a hundred at a time. */
import type { NodeRow } from '../../wire.ts';
import { useApp, useRoute, useServerNow, useStore } from '../app-context.ts';
import { chosenNodes } from '../model/choose-nodes.ts';
import { duration, price } from '../model/format.ts';
import { nodeTable, sortNodes } from '../model/node-table.ts';
import type { ClusterStore } from '../model/store.ts';
import { ExportButtons } from '../parts/export-buttons.tsx';
import { Subject } from '../parts/link.tsx';
import { Meter } from '../parts/meter.tsx';
import { Pages, pageOf } from '../parts/pages.tsx';
import { Empty } from '../parts/states.tsx';
import { TimedText } from '../parts/time.tsx';

interface Column {
  readonly key: string;
  readonly title: string;
  readonly of: (node: NodeRow, store: ClusterStore) => string | number | null;
  readonly isNumber?: boolean;
}

const COLUMNS: readonly Column[] = [
  { key: 'name', title: 'Node', of: ({ name }) => name },
  { key: 'phase', title: 'Phase', of: ({ phaseText }) => phaseText },
  { key: 'pool', title: 'NodePool', of: ({ pool }) => pool },
  { key: 'type', title: 'Type', of: ({ type }) => type },
  { key: 'zone', title: 'Zone', of: ({ zone }) => zone },
  { key: 'capacity', title: 'Capacity', of: ({ capacity }) => capacity },
  {
    key: 'cpu',
    title: 'CPU',
    of: (node, store) => share(store.loadOf(node.name)?.cpuMillis, node.cpuMillis),
    isNumber: true,
  },
  {
    key: 'memory',
    title: 'Memory',
    of: (node, store) => share(store.loadOf(node.name)?.memoryBytes, node.memoryBytes),
    isNumber: true,
  },
  { key: 'pods', title: 'Pods', of: ({ name }, store) => store.loadOf(name)?.pods.size ?? 0, isNumber: true },
  { key: 'price', title: '$/h', of: ({ pricePerHour }) => pricePerHour, isNumber: true },
  {
    key: 'age',
    title: 'Age',
    of: ({ createdMs }) => (createdMs === null ? null : -createdMs),
    isNumber: true,
  },
  { key: 'stays', title: 'Stays because', of: ({ staying }) => staying[0]?.text ?? null },
];

export function ClusterTable() {
  const { navigation } = useApp();
  const { q, only, sort, page } = useRoute();
  const store = useStore('all');
  const nowMs = useServerNow(5000);
  const nodes = sorted(chosenNodes(store, { q, only }), store, sort);
  const { rows, pages } = pageOf(nodes, page);
  const key = sort.replace(/^-/, '');
  return (
    <section class="table-view" aria-label="Nodes">
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Table of nodes">
        <table>
          <thead>
            <tr>
              {COLUMNS.map((column) => (
                <th
                  key={column.key}
                  scope="col"
                  class={column.isNumber === true ? 'number' : undefined}
                  aria-sort={key !== column.key ? 'none' : sort.startsWith('-') ? 'descending' : 'ascending'}
                >
                  <button
                    type="button"
                    class="sort"
                    onClick={() =>
                      navigation.change({ sort: sort === column.key ? `-${column.key}` : column.key })
                    }
                  >
                    {column.title}
                    <span aria-hidden="true">
                      {key !== column.key ? '' : sort.startsWith('-') ? ' ↓' : ' ↑'}
                    </span>
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((node) => (
              <Row key={node.name} node={node} store={store} nowMs={nowMs} />
            ))}
          </tbody>
        </table>
        {nodes.length === 0 ? <Empty title="No node matches">Change the search or the filter.</Empty> : null}
      </div>
      <div class="tiles-foot">
        <ExportButtons name="nodes" table={() => nodeTable(nodes, store)} />
        <Pages page={page} pages={pages} of={nodes.length} />
      </div>
    </section>
  );
}

function Row({
  node,
  store,
  nowMs,
}: {
  readonly node: NodeRow;
  readonly store: ClusterStore;
  readonly nowMs: number;
}) {
  const load = store.loadOf(node.name);
  const known = (whole: number | null) => (store.hasPods ? (whole ?? 0) : 0);
  return (
    <tr>
      <th scope="row">
        <Subject subject={`${node.node === null ? 'NodeClaim' : 'Node'}/${node.name}`}>{node.name}</Subject>
      </th>
      <td>
        <span class={`phase phase-${node.phase}`}>{node.phaseText}</span>
      </td>
      <td>{node.pool === null ? '–' : <Subject subject={`NodePool/${node.pool}`}>{node.pool}</Subject>}</td>
      <td>{node.type ?? '–'}</td>
      <td>{node.zone ?? '–'}</td>
      <td>{node.capacity ?? '–'}</td>
      <td class="number">
        <Meter part={load?.cpuMillis ?? 0} whole={known(node.cpuMillis)} label="CPU" />
      </td>
      <td class="number">
        <Meter part={load?.memoryBytes ?? 0} whole={known(node.memoryBytes)} label="memory" />
      </td>
      <td class="number">{store.hasPods ? (load?.pods.size ?? 0) : '–'}</td>
      <td class="number">{price(node.pricePerHour)}</td>
      <td class="number">{node.createdMs === null ? '–' : duration(nowMs - node.createdMs)}</td>
      <td title={node.staying[0]?.text}>
        <TimedText text={node.staying[0]?.text ?? '–'} />
      </td>
    </tr>
  );
}

function sorted(nodes: NodeRow[], store: ClusterStore, sort: string): NodeRow[] {
  const column = COLUMNS.find(({ key }) => key === sort.replace(/^-/, '')) ?? COLUMNS[0]!;
  return sortNodes(nodes, (node) => column.of(node, store), sort.startsWith('-') ? -1 : 1);
}

function share(part: number | undefined, whole: number | null): number | null {
  return whole === null || whole === 0 ? null : (part ?? 0) / whole;
}
