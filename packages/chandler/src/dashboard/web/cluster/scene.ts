/**
 * The picture of the cluster on one canvas that is as large as what is in sight. A frame draws what changed: the tiles of changed
 * nodes alone, or everything in sight after a scroll, a new layout or while something moves. Nothing changed: no frame.
 */
import type { NodeRow, PodRow } from '../../wire.ts';
import { chosenNodes, groupsOf, isChosen, type NodeGroup, wordsOf } from '../model/choose-nodes.ts';
import type { GroupBy, TileSize } from '../model/route.ts';
import type { ClusterStore } from '../model/store.ts';
import { type Layout, layOut, measuresFor, spanOf, type Tile, tilesBetween } from './layout.ts';
import { Motion } from './motion.ts';
import { type Brush, drawHeader, drawTile } from './paint.ts';
import type { Palette } from './palette.ts';

export interface SceneOptions {
  readonly q: string;
  readonly only: string;
  readonly group: GroupBy;
  readonly size: TileSize;
}

/** Sums in the headers of groups are read again at most so often. */
const HEADERS_INTERVAL_MS = 500;
/** More tiles than this jump to their new places: moving them would cost more than it shows. */
const MAX_MOVING_TILES = 800;

export class Scene {
  readonly store: ClusterStore;
  readonly motion = new Motion();
  layout: Layout;
  groups: readonly NodeGroup[] = [];
  options: SceneOptions = { q: '', only: '', group: 'pool', size: 'auto' };
  #words: readonly string[] = [];
  #width = 0;
  #height = 0;
  #top = 0;
  #palette: Palette | undefined;
  #drawAll = true;
  #stale = true;
  #headersMs = 0;
  /** Something changed since the sums of the groups were read. */
  #headersDue = false;
  /** Whether pods were known in the last frame: all tiles and headers depend on it. */
  #hadPods = true;
  #dirty = new Set<string>();
  /** Rows as they were last drawn, so that a node that is gone can fade. */
  #shown = new Map<string, NodeRow>();

  constructor(store: ClusterStore) {
    this.store = store;
    this.layout = layOut([], 1, measuresFor('auto', 0));
  }

  setOptions(options: SceneOptions): void {
    this.options = options;
    this.#words = wordsOf(options.q);
    this.#stale = true;
    this.motion.clear();
  }

  setPalette(palette: Palette): void {
    this.#palette = palette;
    this.#drawAll = true;
  }

  /** Of what is in sight. */
  resize(width: number, height: number): void {
    if (width === this.#width && height === this.#height) return;
    if (width !== this.#width) this.#stale = true;
    this.#width = width;
    this.#height = height;
    this.#drawAll = true;
  }

  scroll(top: number): void {
    if (top === this.#top) return;
    this.#top = top;
    this.#drawAll = true;
  }

  /** Everything is read and placed anew. */
  reset(): void {
    this.#stale = true;
    this.#shown.clear();
    this.motion.clear();
  }

  /** Takes what changed in the store. Says whether the layout is another one. */
  update(nowMs: number): boolean {
    const { nodes, placed } = this.store.takeChanged();
    for (const name of nodes) this.#dirty.add(name);
    if (nodes.size > 0) this.#headersDue = true;
    const again = this.#stale || this.#changesLayout(nodes);
    if (again) this.#layOutAgain(nowMs);
    this.#fly(placed, nowMs);
    return again;
  }

  /** Draws. Says after how many milliseconds another frame is needed; undefined: not before something changes. */
  draw(context: CanvasRenderingContext2D, nowMs: number): number | undefined {
    if (this.#palette === undefined) return undefined;
    const moving = this.motion.isMoving(nowMs);
    const withHeaders = this.#headersDue && nowMs - this.#headersMs >= HEADERS_INTERVAL_MS;
    if (withHeaders) this.#readHeaders(nowMs);
    const { hasPods } = this.store;
    if (this.#drawAll || moving || hasPods !== this.#hadPods) this.#drawEverything(context, nowMs);
    else this.#drawChanged(context, withHeaders);
    // One frame more than something moves: it takes the last of it away.
    this.#drawAll = moving;
    this.#hadPods = hasPods;
    this.#dirty.clear();
    if (moving) return 0;
    return this.#headersDue ? Math.max(1, this.#headersMs + HEADERS_INTERVAL_MS - nowMs) : undefined;
  }

  /** The whole picture, also what is not in sight. */
  drawWhole(context: CanvasRenderingContext2D): void {
    const brush = this.#brush(context);
    for (const header of this.layout.headers) drawHeader(brush, header, this.groups[header.group]!);
    for (const tile of this.layout.tiles) this.#drawOne(context, tile);
  }

  #changesLayout(names: ReadonlySet<string>): boolean {
    const { group, only } = this.options;
    for (const name of names) {
      const node = this.store.nodes.get(name);
      const shown = this.#shown.get(name);
      // With a search, a pod may be what was looked for.
      const isIn = node !== undefined && isChosen(this.store, node, this.#words, only);
      if (isIn !== (shown !== undefined)) return true;
      if (isIn && shown !== undefined) {
        if (node[group] !== shown[group] || spanOf(node) !== spanOf(shown)) return true;
        this.#shown.set(name, node);
      }
    }
    return false;
  }

  #layOutAgain(nowMs: number): void {
    const before = this.layout;
    const old = this.#shown;
    const isFirst = old.size === 0;
    const nodes = chosenNodes(this.store, this.options);
    this.groups = groupsOf(this.store, nodes, this.options.group);
    this.layout = layOut(this.groups, this.#width, measuresFor(this.options.size, nodes.length));
    this.#shown = new Map(nodes.map((node) => [node.name, node]));
    this.#stale = false;
    this.#drawAll = true;
    this.#headersMs = nowMs;
    this.#headersDue = false;
    if (isFirst || before.width !== this.layout.width || before.measures !== this.layout.measures) return;
    if (Math.max(nodes.length, before.tiles.length) > MAX_MOVING_TILES) return;
    this.motion.between(before, this.layout, old, nowMs);
  }

  #fly(placed: readonly PodRow[], nowMs: number): void {
    for (const pod of placed) {
      const tile = this.layout.tiles[this.layout.indexOf.get(pod[2]) ?? -1];
      if (tile === undefined || tile.y > this.#top + this.#height || tile.y + tile.height < this.#top)
        continue;
      this.motion.fly({ x: this.layout.width, y: this.#top + 24 }, tile, nowMs);
    }
  }

  #drawEverything(context: CanvasRenderingContext2D, nowMs: number): void {
    const { layout, motion } = this;
    const brush = this.#brush(context);
    context.clearRect(0, 0, this.#width, this.#height);
    context.save();
    context.translate(0, -this.#top);
    const bottom = this.#top + this.#height;
    for (const header of layout.headers) {
      if (header.y + header.height < this.#top || header.y > bottom) continue;
      drawHeader(brush, header, this.groups[header.group]!);
    }
    const [first, end] = motion.isMoving(nowMs)
      ? [0, layout.tiles.length]
      : tilesBetween(layout, this.#top, bottom);
    for (let at = first; at < end; at++) {
      const { tile, opacity } = motion.at(layout.tiles[at]!, nowMs);
      if (tile.y + tile.height < this.#top || tile.y > bottom) continue;
      context.globalAlpha = opacity;
      this.#drawOne(context, tile);
    }
    for (const { tile, node, opacity } of motion.leaving(nowMs)) {
      context.globalAlpha = opacity;
      drawTile(brush, tile, node, undefined, layout.measures.detail);
    }
    context.globalAlpha = 1;
    context.fillStyle = brush.palette.pods.p;
    for (const { x, y } of motion.flying(nowMs)) context.fillRect(x - 4, y - 4, 8, 8);
    context.restore();
  }

  #drawChanged(context: CanvasRenderingContext2D, withHeaders: boolean): void {
    const { layout } = this;
    const bottom = this.#top + this.#height;
    context.save();
    context.translate(0, -this.#top);
    for (const name of this.#dirty) {
      const tile = layout.tiles[layout.indexOf.get(name) ?? -1];
      if (tile === undefined || tile.y > bottom || tile.y + tile.height < this.#top) continue;
      context.clearRect(tile.x, tile.y, tile.width, tile.height);
      this.#drawOne(context, tile);
    }
    if (withHeaders) {
      const brush = this.#brush(context);
      for (const header of layout.headers) {
        if (header.y + header.height < this.#top || header.y > bottom) continue;
        context.clearRect(header.x, header.y, header.width, header.height);
        drawHeader(brush, header, this.groups[header.group]!);
      }
    }
    context.restore();
  }

  #readHeaders(nowMs: number): void {
    this.#headersMs = nowMs;
    this.#headersDue = false;
    const nodes = this.groups.flatMap((group) =>
      group.nodes.flatMap(({ name }) => this.store.nodes.get(name) ?? []),
    );
    const groups = groupsOf(this.store, nodes, this.options.group);
    // A node that is gone is taken off by the next layout, which has other groups.
    if (groups.length === this.groups.length) this.groups = groups;
  }

  #brush(context: CanvasRenderingContext2D): Brush {
    return { context, palette: this.#palette!, words: this.#words, hasPods: this.store.hasPods };
  }

  #drawOne(context: CanvasRenderingContext2D, tile: Tile): void {
    const node = this.store.nodes.get(tile.name);
    if (node === undefined) return;
    drawTile(this.#brush(context), tile, node, this.store.loadOf(tile.name), this.layout.measures.detail);
  }
}
