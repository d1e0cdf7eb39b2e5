/** The nodes as a table: the same content as the tiles, sortable, a hundred at a time. */
import type { ComponentChildren } from 'preact';
import type { NodeRow } from '../../wire.ts';
import { useApp, useRoute, useServerNow, useStore } from '../app-context.ts';
import { chosenNodes } from '../model/choose-nodes.ts';
import { duration, price } from '../model/format.ts';
import { requestsOf, shareOf } from '../model/node-requests.ts';
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
  /** What the title stands for. */
  readonly long?: string;
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
    title: 'CPU req.',
    long: 'CPU that pods request, of what the node offers',
    of: (node, store) => shareOf(requestsOf(store, node).cpuMillis),
    isNumber: true,
  },
  {
    key: 'memory',
    title: 'Mem. req.',
    long: 'Memory that pods request, of what the node offers',
    of: (node, store) => shareOf(requestsOf(store, node).memoryBytes),
    isNumber: true,
  },
  { key: 'pods', title: 'Pods', of: (node, store) => requestsOf(store, node).pods, isNumber: true },
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
      <SortChoice sort={sort} />
      <div class="table-scroll cards" tabIndex={0} role="region" aria-label="Table of nodes">
        <table>
          <thead>
            <tr>
              {COLUMNS.map((column) => (
                <th
                  key={column.key}
                  scope="col"
                  class={column.isNumber === true ? 'number' : undefined}
                  title={column.long}
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
  const { cpuMillis, memoryBytes, pods } = requestsOf(store, node);
  const reason = node.staying[0]?.text;
  return (
    <tr>
      <th scope="row">
        <Subject subject={`${node.node === null ? 'NodeClaim' : 'Node'}/${node.name}`}>{node.name}</Subject>
      </th>
      <Cell of="phase">
        <span class={`phase phase-${node.phase}`} title={node.phaseText}>
          {node.phaseText}
        </span>
      </Cell>
      <Cell of="pool">
        {node.pool === null ? '–' : <Subject subject={`NodePool/${node.pool}`}>{node.pool}</Subject>}
      </Cell>
      <Cell of="type">{node.type ?? '–'}</Cell>
      <Cell of="zone">{node.zone ?? '–'}</Cell>
      <Cell of="capacity">{node.capacity ?? '–'}</Cell>
      <Cell of="cpu">
        <Meter {...cpuMillis} label="CPU" />
      </Cell>
      <Cell of="memory">
        <Meter {...memoryBytes} label="memory" />
      </Cell>
      <Cell of="pods">{pods ?? '–'}</Cell>
      <Cell of="price">{price(node.pricePerHour)}</Cell>
      <Cell of="age">{node.createdMs === null ? '–' : duration(nowMs - node.createdMs)}</Cell>
      <Cell of="stays">
        <span class="clamped" title={reason}>
          <TimedText text={reason ?? '–'} />
        </span>
      </Cell>
    </tr>
  );
}

/** With its heading for the cards of a narrow window. */
function Cell({ of, children }: { readonly of: string; readonly children: ComponentChildren }) {
  const { title, isNumber } = COLUMNS.find(({ key }) => key === of)!;
  return (
    <td data-label={title} class={isNumber === true ? 'number' : undefined}>
      {children}
    </td>
  );
}

/** Cards have no headings to press. */
function SortChoice({ sort }: { readonly sort: string }) {
  const { navigation } = useApp();
  const key = sort.replace(/^-/, '');
  const isDown = sort.startsWith('-');
  return (
    <div class="toolbar sort-choice">
      <span aria-hidden="true">Sort by</span>
      <select
        aria-label="Sort by"
        value={key || COLUMNS[0]!.key}
        onChange={(event) => navigation.change({ sort: event.currentTarget.value })}
      >
        {COLUMNS.map((column) => (
          <option key={column.key} value={column.key}>
            {column.title}
          </option>
        ))}
      </select>
      <button
        type="button"
        onClick={() => navigation.change({ sort: `${isDown ? '' : '-'}${key || COLUMNS[0]!.key}` })}
      >
        {isDown ? '↓ descending' : '↑ ascending'}
      </button>
    </div>
  );
}

function sorted(nodes: NodeRow[], store: ClusterStore, sort: string): NodeRow[] {
  const column = COLUMNS.find(({ key }) => key === sort.replace(/^-/, '')) ?? COLUMNS[0]!;
  return sortNodes(nodes, (node) => column.of(node, store), sort.startsWith('-') ? -1 : 1);
}
