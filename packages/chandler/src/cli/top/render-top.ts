/** `chandler top` as rows of text: totals, NodePools and nodes, in the width of the terminal. Pure. */

import type { Share, TopNode } from '../../dashboard/index.ts';
import type { NonDisruptionReason } from '../../diagnose/index.ts';
import { count, money } from '../simulate/words.ts';
import { barText, type Paint, painter, shortAge } from '../terminal/paint.ts';
import { type Column, fittingTable } from '../terminal/table.ts';
import { shareOf } from './choose-nodes.ts';
import type { PoolTotals, Totals } from './totals.ts';

export interface TopFrame {
  readonly nowMs: number;
  /** Sorted and chosen. */
  readonly nodes: readonly TopNode[];
  /** Of all nodes, how many there are. */
  readonly allNodes: number;
  readonly totals: Totals;
  readonly pools: readonly PoolTotals[];
  /** Undefined: it is not known, or only some nodes are shown. */
  readonly pendingPods: number | undefined;
  readonly notes: readonly string[];
  /** Above everything, in a view that is watched. */
  readonly title?: string;
  /** What is not up to date. */
  readonly problems?: readonly string[];
}

export interface FrameSize {
  /** Undefined: any width. */
  readonly columns: number | undefined;
  /** Undefined: any number of rows. */
  readonly rows?: number;
  readonly color: boolean;
  readonly wide: boolean;
  /** Nodes above the first that is shown. */
  readonly offset?: number;
}

export interface RenderedTop {
  readonly lines: readonly string[];
  /** How many nodes of them: as far as a key scrolls. */
  readonly nodesShown: number;
}

export function renderTop(frame: TopFrame, size: FrameSize): RenderedTop {
  const paint = painter({ columns: size.columns ?? ANY_WIDTH, color: size.color });
  // What is printed once is wrapped by the terminal.
  const { whole } = size.rows === undefined ? painter({ columns: ANY_WIDTH, color: size.color }) : paint;
  const head = [
    ...(frame.title === undefined ? [] : [paint.bold(frame.title)]),
    ...whole(headline(frame), frame.title === undefined ? 'bold' : undefined),
    ...(frame.problems ?? []).flatMap((problem) => whole(problem, 'warn')),
    '',
  ];
  const notes = frame.notes.flatMap((note) => whole(note, 'faint'));
  if (size.rows === undefined) {
    const { lines, nodesShown } = nodeLines(frame, size, paint, frame.nodes.length + 1);
    const pools = poolLines(frame, size, paint, frame.pools.length);
    return {
      lines: [...head, ...pools, ...lines, ...(notes.length === 0 ? [] : ['', ...notes])],
      nodesShown,
    };
  }
  const room = Math.max(0, size.rows - head.length);
  const pools = poolLines(frame, size, paint, Math.max(0, Math.floor(room / 3) - 3));
  // Notes say what the numbers above lack. They get up to a quarter of the screen, or what nodes leave over.
  const reserved = notes.length === 0 ? 0 : Math.min(notes.length + 1, Math.floor(room / 4));
  const { lines, nodesShown } = nodeLines(frame, size, paint, room - pools.length - reserved);
  const left = room - pools.length - lines.length - 1;
  const shown = notes.length === 0 || left < 1 ? [] : ['', ...notes.slice(0, left)];
  return { lines: [...head, ...pools, ...lines, ...shown].slice(0, size.rows), nodesShown };
}

export function reasonText(staying: readonly NonDisruptionReason[]): string {
  const [first, ...more] = staying;
  if (first === undefined) return '-';
  return more.length === 0 ? first.text : `${first.text} (and ${more.length} more)`;
}

// ---------------------------------------------------------------------------------------------------

function headline({ totals, allNodes, pendingPods }: TopFrame): string {
  const { nodes, ready, pods, pricePerHour, pricePerMonth } = totals;
  const shown = nodes === allNodes ? count(nodes, 'node') : `${nodes} of ${count(allNodes, 'node')}`;
  const pending = pendingPods === undefined ? '' : `, ${pendingPods} pending`;
  const running = pods.requested === undefined ? '' : `; ${count(pods.requested, 'pod')}${pending}`;
  const requested = [
    ['cpu', totals.cpu],
    ['memory', totals.memory],
  ].flatMap(([name, share]) => {
    const part = shareOf(share as Share);
    return part === undefined ? [] : [`${name} ${percent(part)}`];
  });
  const price =
    pricePerHour === undefined || pricePerMonth === undefined
      ? '; prices are not known'
      : `; ${money(pricePerHour)}/h, ${monthly(pricePerMonth)} a month`;
  const used = requested.length === 0 ? '' : `; ${requested.join(', ')} requested`;
  return `${shown}, ${ready} Ready${running}${used}${price}`;
}

const POOL_COLUMNS = (bar: number): readonly Column<PoolTotals>[] => [
  { title: 'NODEPOOL', rank: 1, shrinksTo: 16, of: ({ nodePool }) => nodePool ?? '(none)' },
  { title: 'NODES', rank: 3, right: true, of: ({ nodes }) => String(nodes) },
  { title: 'READY', rank: 7, right: true, of: ({ ready }) => String(ready) },
  { title: 'CPU', rank: 4, of: ({ cpu }) => shareCell(cpu, bar) },
  { title: 'MEMORY', rank: 5, of: ({ memory }) => shareCell(memory, bar) },
  { title: 'PODS', rank: 6, right: bar < LONG_BAR, of: ({ pods }) => podsCell(pods, bar) },
  { title: '$/H', rank: 8, right: true, of: ({ pricePerHour }) => priceCell(pricePerHour) },
  {
    title: '$/MONTH',
    rank: 2,
    right: true,
    of: ({ pricePerMonth }) => (pricePerMonth === undefined ? '-' : pricePerMonth.toFixed(0)),
  },
];

function poolLines(
  { pools }: TopFrame,
  { columns }: FrameSize,
  paint: Paint,
  maxPools: number,
): readonly string[] {
  if (pools.length === 0 || maxPools < 1) return [];
  const shown = pools.slice(0, maxPools);
  const more = pools.length - shown.length;
  const { head, lines } = fittingTable(POOL_COLUMNS(barWidth(columns)), shown, columns);
  return [
    paint.faint(head),
    ...lines.map((line) => paint.plain(line)),
    ...(more > 0 ? [paint.faint(`and ${more} more`)] : []),
    '',
  ];
}

function nodeColumns(nowMs: number, { columns, wide }: FrameSize): readonly Column<TopNode>[] {
  const [reason, ...rest] = baseColumns(nowMs, barWidth(columns)).toReversed();
  return [...rest.toReversed(), ...(wide ? WIDE_COLUMNS : []), reason!];
}

const baseColumns = (nowMs: number, bar: number): readonly Column<TopNode>[] => [
  { title: 'NODE', rank: 1, shrinksTo: 18, of: ({ name }) => name },
  { title: 'TYPE', rank: 7, shrinksTo: 12, cut: 'start', of: ({ instanceType }) => instanceType ?? '-' },
  { title: 'ZONE', rank: 10, of: ({ zone }) => zone ?? '-' },
  { title: 'CAPACITY', rank: 11, of: ({ capacityType }) => capacityType ?? '-' },
  { title: 'CPU', rank: 3, of: ({ cpu }) => shareCell(cpu, bar) },
  { title: 'MEMORY', rank: 4, of: ({ memory }) => shareCell(memory, bar) },
  { title: 'PODS', rank: 6, right: bar < LONG_BAR, of: ({ pods }) => podsCell(pods, bar) },
  { title: '$/H', rank: 5, right: true, of: ({ pricePerHour }) => priceCell(pricePerHour) },
  {
    title: 'AGE',
    rank: 8,
    right: true,
    of: ({ createdMs }) => (createdMs === undefined ? '-' : shortAge(Math.max(0, nowMs - createdMs))),
  },
  { title: 'PHASE', rank: 2, of: ({ phase }) => phase },
  { title: 'STAYS BECAUSE', rank: 9, shrinksTo: 20, of: ({ staying }) => reasonText(staying) },
];

const WIDE_COLUMNS: readonly Column<TopNode>[] = [
  { title: 'NODECLAIM', rank: 20, of: ({ nodeClaim }) => nodeClaim ?? '-' },
  { title: 'NODEPOOL', rank: 21, of: ({ nodePool }) => nodePool ?? '-' },
  { title: 'VERSION', rank: 22, of: ({ version }) => version ?? '-' },
];

/** @param maxLines with the head, and the line that says which nodes are shown. */
function nodeLines(frame: TopFrame, size: FrameSize, paint: Paint, maxLines: number): RenderedTop {
  const { nodes, nowMs, allNodes } = frame;
  if (nodes.length === 0) {
    const none = allNodes === 0 ? 'The cluster has no nodes.' : 'No node matches the filters.';
    return { lines: [paint.plain(none)], nodesShown: 0 };
  }
  const room = nodes.length < maxLines ? nodes.length : maxLines - 2;
  if (room < 1) return { lines: [], nodesShown: 0 };
  const offset = Math.min(size.offset ?? 0, Math.max(0, nodes.length - room));
  const shown = nodes.slice(offset, offset + room);
  const columns = nodeColumns(nowMs, size);
  const { head, lines } = fittingTable(columns, shown, size.wide ? undefined : size.columns);
  const style = ({ warning, nodeClaim }: TopNode) => {
    if (warning) return paint.warn;
    return nodeClaim === undefined ? paint.faint : paint.plain;
  };
  const range = `${offset + 1} to ${offset + shown.length} of ${nodes.length} nodes`;
  const rows = [
    paint.faint(head),
    ...shown.map((node, at) => style(node)(lines[at]!)),
    ...(shown.length < nodes.length ? [paint.faint(range)] : []),
  ];
  return { lines: rows, nodesShown: shown.length };
}

/** A narrow terminal has room for short bars only. */
function barWidth(columns: number | undefined): number {
  return columns === undefined || columns >= WIDE_TERMINAL ? LONG_BAR : SHORT_BAR;
}

const ANY_WIDTH = Number.MAX_SAFE_INTEGER;
const WIDE_TERMINAL = 140;
const LONG_BAR = 10;
const SHORT_BAR = 5;

function shareCell(share: Share, width: number): string {
  const part = shareOf(share);
  return part === undefined ? '-' : `${barText(part, width)} ${percent(part).padStart(4)}`;
}

function percent(part: number): string {
  return `${Math.round(part * 100)}%`;
}

/** Without a bar where there is little room: the numbers say more. */
function podsCell(share: Share, width: number): string {
  const { requested, allocatable } = share;
  if (requested === undefined) return '-';
  const part = shareOf(share);
  const bar = part === undefined || width < LONG_BAR ? '' : `${barText(part, width)} `;
  return `${bar}${`${requested}/${allocatable ?? '-'}`.padStart(bar === '' ? 0 : 7)}`;
}

function priceCell(perHour: number | undefined): string {
  return perHour === undefined ? '-' : perHour.toFixed(3);
}

function monthly(amount: number): string {
  return amount < 10 ? money(amount) : `$${Math.round(amount)}`;
}
