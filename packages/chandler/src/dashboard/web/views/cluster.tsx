/** The first view: what runs on what, what it costs, what is pending. Tiles on a canvas, or the same as a table. */
import type { ComponentChildren } from 'preact';
import type { Totals } from '../../wire.ts';
import { useApp, usePlayback, useRoute, useStore } from '../app-context.ts';
import { ClusterCanvas } from '../cluster/canvas.tsx';
import { ClusterTable } from '../cluster/table.tsx';
import { priceNotes, priceOverBound } from '../model/cluster-price.ts';
import { countNodes } from '../model/count-nodes.ts';
import { cores, count, memory, percent, price, pricePerMonth, thousands } from '../model/format.ts';
import { GROUPS, type GroupBy, SIZES, type TileSize, toView } from '../model/route.ts';
import { Link } from '../parts/link.tsx';
import { Empty } from '../parts/states.tsx';
import { PendingSide } from './pending-side.tsx';

export function Cluster() {
  const { shape } = useRoute();
  const { replay } = usePlayback();
  const store = useStore('nodes');
  return (
    <>
      <Summary />
      <Toolbar />
      <div class={shape === 'table' ? 'cluster-body as-table' : 'cluster-body'}>
        {store.nodes.size === 0 ? (
          <Empty title="There are no nodes yet">
            They appear here as soon as a NodeClaim is created or a node registers. Pending pods that no
            NodePool accepts are explained in the view{' '}
            {replay === null ? <Link to={toView('pending')}>Pending</Link> : 'Pending'}.
          </Empty>
        ) : shape === 'table' ? (
          <ClusterTable />
        ) : (
          <ClusterCanvas />
        )}
        {store.hasPods ? <PendingSide /> : null}
      </div>
    </>
  );
}

function Summary() {
  const { totals, nodes, hasPods } = useStore('all');
  if (totals === null) return null;
  const { pricePerHour } = totals;
  const { nodes: registered, others } = countNodes(nodes.values());
  const over = priceOverBound(totals, nodes.values());
  return (
    <dl class="summary" aria-label="Totals">
      <Figure name="Price" value={pricePerHour === null ? '–' : `${price(pricePerHour)}/h`}>
        {[pricePerMonth(pricePerHour), ...priceNotes(nodes.values())].join(' · ')}
      </Figure>
      <Figure name="Over the lower bound" value={over.value}>
        {over.text}
      </Figure>
      <Figure name="Nodes" value={thousands(registered)}>
        {[hasPods ? `${count(totals.pods - totals.pending, 'pod')} on them` : NO_PODS, ...others].join(' · ')}
      </Figure>
      {hasPods ? <Requests totals={totals} /> : null}
    </dl>
  );
}

const NO_PODS = 'pods cannot be read';

function Requests({ totals }: { readonly totals: Totals }) {
  return (
    <>
      <Figure name="CPU requested" value={percent(totals.cpuRequestedMillis, totals.cpuAllocatableMillis)}>
        {cores(totals.cpuRequestedMillis)} of {cores(totals.cpuAllocatableMillis)} cores
      </Figure>
      <Figure
        name="Memory requested"
        value={percent(totals.memoryRequestedBytes, totals.memoryAllocatableBytes)}
      >
        {memory(totals.memoryRequestedBytes)} of {memory(totals.memoryAllocatableBytes)}
      </Figure>
      <Figure name="Pending" value={thousands(totals.pending)} warning={totals.pending > 0}>
        {totals.pending === 1 ? 'pod' : 'pods'}
      </Figure>
    </>
  );
}

function Figure(props: {
  readonly name: string;
  readonly value: string;
  readonly warning?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <div class={props.warning === true ? 'figure figure-warning' : 'figure'}>
      <dt>{props.name}</dt>
      <dd class="figure-value">{props.value}</dd>
      <dd class="soft">{props.children}</dd>
    </div>
  );
}

const GROUP_NAMES: Readonly<Record<GroupBy, string>> = {
  pool: 'NodePool',
  zone: 'zone',
  type: 'instance type',
  capacity: 'capacity type',
};
const PHASES = [
  'planned',
  'booting',
  'ready',
  'not-ready',
  'disrupting',
  'cordoned',
  'deleting',
  'failed',
] as const;

function Toolbar() {
  const { navigation } = useApp();
  const { group, size, shape, only } = useRoute();
  const { hasPods } = useStore('settings');
  return (
    <div class="toolbar">
      {shape === 'table' ? null : (
        <label>
          Group by{' '}
          <select
            value={group}
            onChange={(event) => navigation.change({ group: event.currentTarget.value as GroupBy })}
          >
            {GROUPS.map((each) => (
              <option key={each} value={each}>
                {GROUP_NAMES[each]}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        Phase{' '}
        <select value={only} onChange={(event) => navigation.change({ only: event.currentTarget.value })}>
          <option value="">all</option>
          {PHASES.map((phase) => (
            <option key={phase} value={phase}>
              {phase}
            </option>
          ))}
        </select>
      </label>
      {shape === 'table' ? null : (
        <label>
          Size{' '}
          <select
            value={size}
            onChange={(event) => navigation.change({ size: event.currentTarget.value as TileSize })}
          >
            {SIZES.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
      )}
      <fieldset class="choice">
        <legend class="hidden">Show as</legend>
        {(['tiles', 'table'] as const).map((each) => (
          <label key={each} class={each === shape ? 'chosen' : undefined}>
            <input
              type="radio"
              name="shape"
              checked={each === shape}
              onChange={() => navigation.change({ shape: each, sort: '' })}
            />
            {each}
          </label>
        ))}
      </fieldset>
      {shape === 'table' ? null : <Legends hasPods={hasPods} />}
    </div>
  );
}

/** Colours of the style sheet with what they mean. */
const NODE_LEGEND = [
  ['pending', 'planned'],
  ['creating', 'booting'],
  ['ready', 'ready'],
  ['leaving', 'disrupting, deleting'],
  ['cordoned', 'cordoned'],
  ['failed', 'not ready, failed'],
] as const;
const POD_LEGEND = [
  ['creating', 'being created'],
  ['running', 'running'],
  ['leaving', 'terminating'],
  ['failed', 'failed'],
] as const;

function Legends({ hasPods }: { readonly hasPods: boolean }) {
  return (
    <div class="legends">
      <Legend title="Stripes of nodes" shape="stripe" colours={NODE_LEGEND} />
      {hasPods ? <Legend title="Pods" shape="swatch" colours={POD_LEGEND} /> : null}
    </div>
  );
}

function Legend({
  title,
  shape,
  colours,
}: {
  readonly title: string;
  readonly shape: 'swatch' | 'stripe';
  readonly colours: readonly (readonly [colour: string, text: string])[];
}) {
  return (
    <ul class="legend" aria-label={`Colours: ${title}`}>
      <li aria-hidden="true">{title}:</li>
      {colours.map(([colour, text]) => (
        <li key={text}>
          <span class={`${shape} swatch-${colour}`} aria-hidden="true" />
          {text}
        </li>
      ))}
    </ul>
  );
}
