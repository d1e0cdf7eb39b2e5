/** Where the tiles of nodes and the headers of their groups are, and which are in sight. Pure. */
import type { NodeRow } from '../../wire.ts';
import type { NodeGroup } from '../model/choose-nodes.ts';
import type { TileSize } from '../model/route.ts';

export interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Tile extends Rect {
  readonly name: string;
  readonly group: number;
}

export interface Header extends Rect {
  readonly group: number;
}

/** How much a tile shows: text and pods, pods, or a bar. */
export type Detail = 'text' | 'pods' | 'bar';

export interface Measures {
  readonly detail: Detail;
  readonly width: number;
  readonly height: number;
  readonly gap: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly measures: Measures;
  readonly headers: readonly Header[];
  /** From top to bottom, each row from left to right. */
  readonly tiles: readonly Tile[];
  readonly indexOf: ReadonlyMap<string, number>;
}

export const MEASURES: Readonly<Record<Exclude<TileSize, 'auto'>, Measures>> = {
  small: { detail: 'bar', width: 20, height: 16, gap: 4 },
  medium: { detail: 'pods', width: 72, height: 48, gap: 8 },
  large: { detail: 'text', width: 160, height: 96, gap: 8 },
};

const HEADER_HEIGHT = 32;
const GROUP_GAP = 16;
const MAX_LARGE_NODES = 80;
const MAX_MEDIUM_NODES = 800;

export function measuresFor(size: TileSize, nodes: number): Measures {
  if (size !== 'auto') return MEASURES[size];
  return MEASURES[nodes <= MAX_LARGE_NODES ? 'large' : nodes <= MAX_MEDIUM_NODES ? 'medium' : 'small'];
}

/** Wider tiles for larger nodes, in three steps. */
export function spanOf({ cpuMillis }: NodeRow): number {
  const cores = (cpuMillis ?? 0) / 1000;
  return cores <= 8 ? 1 : cores <= 24 ? 1.5 : 2;
}

export function layOut(groups: readonly NodeGroup[], width: number, measures: Measures): Layout {
  const headers: Header[] = [];
  const tiles: Tile[] = [];
  const indexOf = new Map<string, number>();
  const { gap, height } = measures;
  const unit = unitWidth(width, measures);
  let y = 0;
  for (const [group, { nodes }] of groups.entries()) {
    headers.push({ group, x: 0, y, width, height: HEADER_HEIGHT });
    y += HEADER_HEIGHT;
    let x = 0;
    for (const node of nodes) {
      const wide = Math.min(width, unit * spanOf(node) + (spanOf(node) - 1) * gap);
      if (x > 0 && x + wide > width) {
        x = 0;
        y += height + gap;
      }
      indexOf.set(node.name, tiles.length);
      tiles.push({ name: node.name, group, x, y, width: wide, height });
      x += wide + gap;
    }
    y += height + GROUP_GAP;
  }
  return { width, height: y, measures, headers, tiles, indexOf };
}

/** Tiles as wide as they are measured or a little more, so that they fill the whole width. */
function unitWidth(width: number, measures: Measures): number {
  const columns = Math.floor((width + measures.gap) / (measures.width + measures.gap));
  return columns < 1 ? width : Math.floor((width + measures.gap) / columns) - measures.gap;
}

/** Indexes of the tiles between two heights: from the first to before the second. */
export function tilesBetween({ tiles }: Layout, top: number, bottom: number): readonly [number, number] {
  const first = lowest(tiles.length, (at) => tiles[at]!.y + tiles[at]!.height > top);
  const end = lowest(tiles.length, (at) => tiles[at]!.y >= bottom);
  return [first, Math.max(first, end)];
}

export function tileAt(layout: Layout, x: number, y: number): Tile | undefined {
  const [first, end] = tilesBetween(layout, y, y + 1);
  for (let at = first; at < end; at++) if (contains(layout.tiles[at]!, x, y)) return layout.tiles[at];
  return undefined;
}

/** The tile that an arrow key leads to; the same where there is none. */
export function neighbour({ tiles }: Layout, from: number, key: string): number {
  const tile = tiles[from];
  if (tile === undefined) return 0;
  const last = tiles.length - 1;
  if (key === 'ArrowRight') return Math.min(last, from + 1);
  if (key === 'ArrowLeft') return Math.max(0, from - 1);
  if (key === 'Home') return 0;
  if (key === 'End') return last;
  const step = key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return from;
  const middle = tile.x + tile.width / 2;
  let best = from;
  let bestDistance = Number.POSITIVE_INFINITY;
  let rowY: number | undefined;
  for (let at = from + step; at >= 0 && at <= last; at += step) {
    const other = tiles[at]!;
    if (other.y === tile.y) continue;
    rowY ??= other.y;
    if (other.y !== rowY) break;
    const distance = Math.abs(other.x + other.width / 2 - middle);
    if (distance < bestDistance) [best, bestDistance] = [at, distance];
  }
  return best;
}

export function contains({ x, y, width, height }: Rect, atX: number, atY: number): boolean {
  return atX >= x && atX < x + width && atY >= y && atY < y + height;
}

/** The lowest number below `count` for which it holds; `count` if it never does. What holds once must hold from there on. */
function lowest(count: number, holds: (at: number) => boolean): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
