/** What moves in the picture of the cluster: tiles that appear, move or go, and pods on their way to a node. */
import type { NodeRow } from '../../wire.ts';
import { prefersLessMotion } from '../browser.ts';
import type { Layout, Rect, Tile } from './layout.ts';

const TILE_MS = 320;
const FLIGHT_MS = 700;
const MAX_FLIGHTS = 60;

interface Move {
  readonly from: { readonly x: number; readonly y: number } | undefined;
  readonly startMs: number;
}

export class Motion {
  readonly #moves = new Map<string, Move>();
  #leaving: { readonly tile: Tile; readonly node: NodeRow; readonly startMs: number }[] = [];
  #flights: { readonly from: { x: number; y: number }; readonly to: Rect; readonly startMs: number }[] = [];
  #endMs = 0;

  clear(): void {
    this.#moves.clear();
    this.#leaving = [];
    this.#flights = [];
    this.#endMs = 0;
  }

  isMoving(nowMs: number): boolean {
    if (nowMs < this.#endMs) return true;
    if (this.#endMs > 0) this.clear();
    return false;
  }

  /** From one layout to the next: `rows` are the nodes of the first. */
  between(before: Layout, after: Layout, rows: ReadonlyMap<string, NodeRow>, nowMs: number): void {
    if (prefersLessMotion()) return;
    for (const tile of after.tiles) {
      const old = before.tiles[before.indexOf.get(tile.name) ?? -1];
      if (old === undefined) this.#moves.set(tile.name, { from: undefined, startMs: nowMs });
      else if (old.x !== tile.x || old.y !== tile.y)
        this.#moves.set(tile.name, { from: this.at(old, nowMs).tile, startMs: nowMs });
    }
    for (const tile of before.tiles) {
      const node = rows.get(tile.name);
      if (node !== undefined && !after.indexOf.has(tile.name))
        this.#leaving.push({ tile, node, startMs: nowMs });
    }
    this.#endMs = Math.max(this.#endMs, nowMs + TILE_MS);
  }

  /** A pod that was placed moves from the list of pending pods to its node. */
  fly(from: { x: number; y: number }, to: Rect, nowMs: number): void {
    if (prefersLessMotion() || this.#flights.length >= MAX_FLIGHTS) return;
    this.#flights.push({ from, to, startMs: nowMs + this.#flights.length * 20 });
    this.#endMs = Math.max(this.#endMs, nowMs + this.#flights.length * 20 + FLIGHT_MS);
  }

  /** Where a tile is now, and how much of it is to be seen. */
  at(tile: Tile, nowMs: number): { readonly tile: Tile; readonly opacity: number } {
    const move = this.#moves.get(tile.name);
    if (move === undefined) return { tile, opacity: 1 };
    const done = eased((nowMs - move.startMs) / TILE_MS);
    if (done >= 1) return { tile, opacity: 1 };
    if (move.from === undefined) return { tile: shrunk(tile, 0.7 + 0.3 * done), opacity: done };
    const { x, y } = move.from;
    return { tile: { ...tile, x: x + (tile.x - x) * done, y: y + (tile.y - y) * done }, opacity: 1 };
  }

  leaving(nowMs: number): { readonly tile: Tile; readonly node: NodeRow; readonly opacity: number }[] {
    return this.#leaving
      .map(({ tile, node, startMs }) => ({ tile, node, done: eased((nowMs - startMs) / TILE_MS) }))
      .filter(({ done }) => done < 1)
      .map(({ tile, node, done }) => ({ tile: shrunk(tile, 1 - 0.3 * done), node, opacity: 1 - done }));
  }

  flying(nowMs: number): { readonly x: number; readonly y: number }[] {
    return this.#flights
      .map(({ from, to, startMs }) => ({ from, to, done: eased((nowMs - startMs) / FLIGHT_MS) }))
      .filter(({ done }) => done > 0 && done < 1)
      .map(({ from, to, done }) => ({
        x: from.x + (to.x + to.width / 2 - from.x) * done,
        y: from.y + (to.y + to.height / 2 - from.y) * done,
      }));
  }
}

function eased(part: number): number {
  const within = Math.min(1, Math.max(0, part));
  return 1 - (1 - within) ** 3;
}

function shrunk(tile: Tile, by: number): Tile {
  return {
    ...tile,
    x: tile.x + (tile.width * (1 - by)) / 2,
    y: tile.y + (tile.height * (1 - by)) / 2,
    width: tile.width * by,
    height: tile.height * by,
  };
}
