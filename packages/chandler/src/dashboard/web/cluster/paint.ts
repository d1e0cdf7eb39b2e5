/** Draws one tile and one header of a group on a canvas. Where and when is decided by the scene. */
import type { NodeRow } from '../../wire.ts';
import { type NodeGroup, nodeHasWords, podHasWords } from '../model/choose-nodes.ts';
import { unpricedText } from '../model/cluster-price.ts';
import { countNodes } from '../model/count-nodes.ts';
import { count, percent, price, pricePerHour } from '../model/format.ts';
import type { NodeLoad } from '../model/store.ts';
import { blocksOf, phaseShares } from './blocks.ts';
import type { Detail, Rect } from './layout.ts';
import type { Palette } from './palette.ts';

export interface Brush {
  readonly context: CanvasRenderingContext2D;
  readonly palette: Palette;
  /** Of the search: pods without them are drawn faintly, unless their node has them itself. */
  readonly words: readonly string[];
  /** Without pods nothing is said about requests. */
  readonly hasPods: boolean;
}

const FONT = 'system-ui, sans-serif';
const STRIPE = 4;
const RADIUS = 4;

/** The part of a tile that holds pods. */
export function insideOf({ x, y, width, height }: Rect, detail: Detail): Rect {
  if (detail === 'bar') return { x: x + 3, y: y + 1, width: width - 4, height: height - 2 };
  const top = detail === 'text' ? 40 : 4;
  return { x: x + STRIPE + 4, y: y + top, width: width - STRIPE - 8, height: height - top - 4 };
}

export function drawTile(
  brush: Brush,
  tile: Rect,
  node: NodeRow,
  load: NodeLoad | undefined,
  detail: Detail,
): void {
  const { context, palette } = brush;
  const phase = palette.phases[node.phase];
  const { x, y, width, height } = tile;
  context.fillStyle = detail === 'bar' ? palette.empty : palette.tile;
  if (detail === 'bar') context.fillRect(x, y, width, height);
  else box(context, tile);
  context.fillStyle = phase;
  context.fillRect(x, y, detail === 'bar' ? 2 : STRIPE, height);
  const inside = insideOf(tile, detail);
  if (detail === 'bar') drawBar(brush, inside, node, load);
  else if (brush.hasPods) drawBlocks(brush, inside, node, load);
  else if (detail === 'text') drawUnknown(brush, inside);
  if (node.phase !== 'ready' && detail !== 'bar') outline(context, tile, phase);
  if (detail === 'text') drawText(brush, tile, node);
}

export function drawHeader(brush: Brush, header: Rect, group: NodeGroup): void {
  const { context, palette, hasPods } = brush;
  const baseline = header.y + 20;
  context.textBaseline = 'alphabetic';
  context.font = `600 13px ${FONT}`;
  context.fillStyle = palette.text;
  const name = shortened(context, group.name, header.width * 0.5);
  context.fillText(name, header.x, baseline);
  const from = header.x + context.measureText(name).width + 12;
  context.font = `12px ${FONT}`;
  context.fillStyle = palette.soft;
  context.fillText(
    shortened(context, headerText(group, hasPods), header.width - from + header.x),
    from,
    baseline,
  );
}

export function headerText(group: NodeGroup, hasPods: boolean): string {
  const { nodes, pricePerHour: sum, unpriced, cpuRequestedMillis, cpuMillis } = group;
  const cost =
    unpriced === nodes.length ? ['price not known'] : [pricePerHour(sum), ...unpricedText(unpriced)];
  const { nodes: registered, others } = countNodes(nodes);
  const requested = hasPods ? [`CPU ${percent(cpuRequestedMillis, cpuMillis)} requested`] : [];
  return [count(registered, 'node'), ...others, ...cost, ...requested].join(' · ');
}

/** The text, cut with an ellipsis where it is wider than permitted. */
export function shortened(context: CanvasRenderingContext2D, text: string, maxWidth: number): string {
  if (maxWidth <= 0) return '';
  const key = `${context.font} ${Math.floor(maxWidth)} ${text}`;
  let cut = cuts.get(key);
  if (cut === undefined) {
    cut = cutToWidth(context, text, maxWidth);
    if (cuts.size > MAX_CUTS) cuts.clear();
    cuts.set(key, cut);
  }
  return cut;
}

/** Texts that were measured: the same ones are drawn in every frame while something moves. */
const cuts = new Map<string, string>();
const MAX_CUTS = 5000;

function cutToWidth(context: CanvasRenderingContext2D, text: string, maxWidth: number): string {
  // No text of a tile is that long: measuring a hostile one would take long.
  const start = text.length > 80 ? text.slice(0, 80) : text;
  if (start === text && context.measureText(text).width <= maxWidth) return text;
  let [low, high] = [0, start.length];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (context.measureText(`${start.slice(0, middle)}…`).width <= maxWidth) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? '' : `${start.slice(0, low)}…`;
}

function drawBar({ context, palette }: Brush, inside: Rect, node: NodeRow, load: NodeLoad | undefined): void {
  let x = inside.x;
  for (const [phase, share] of phaseShares(node, load)) {
    const width = inside.width * share;
    context.fillStyle = palette.pods[phase];
    context.fillRect(x, inside.y, width, inside.height);
    x += width;
  }
}

const FAINT = 0.25;

function drawBlocks(brush: Brush, inside: Rect, node: NodeRow, load: NodeLoad | undefined): void {
  const { context, palette, words } = brush;
  const opacity = context.globalAlpha;
  const isAll = words.length === 0 || nodeHasWords(node, words);
  for (const { pod, x, y, width, height } of blocksOf(node, load, inside)) {
    context.fillStyle = palette.pods[pod[3]];
    context.globalAlpha = isAll || podHasWords(pod, words) ? opacity : opacity * FAINT;
    // A gap of a pixel between blocks, where they are large enough to have one.
    context.fillRect(x, y, Math.max(1, width - 1), Math.max(1, height - 1));
  }
  context.globalAlpha = opacity;
}

/** A tile without blocks would be that of an empty node. */
function drawUnknown({ context, palette }: Brush, inside: Rect): void {
  context.textBaseline = 'alphabetic';
  context.font = `11px ${FONT}`;
  context.fillStyle = palette.soft;
  context.fillText(shortened(context, 'pods not shown', inside.width), inside.x, inside.y + 20);
}

function drawText({ context, palette }: Brush, tile: Rect, node: NodeRow): void {
  const x = tile.x + STRIPE + 4;
  const width = tile.width - STRIPE - 8;
  context.textBaseline = 'alphabetic';
  context.font = `11px ${FONT}`;
  const cost = node.pricePerHour === null ? '' : price(node.pricePerHour);
  const costWidth = context.measureText(cost).width;
  context.fillStyle = palette.soft;
  context.fillText(cost, tile.x + tile.width - costWidth - 6, tile.y + 32);
  const second = node.phase === 'ready' ? (node.type ?? '') : node.phaseText;
  if (node.phase !== 'ready') context.fillStyle = palette.text;
  context.fillText(shortened(context, second, width - costWidth - 6), x, tile.y + 32);
  context.font = `600 12px ${FONT}`;
  context.fillStyle = palette.text;
  const warning = node.warning ? '⚠ ' : '';
  context.fillText(shortened(context, `${warning}${node.name}`, width), x, tile.y + 17);
}

function box(context: CanvasRenderingContext2D, { x, y, width, height }: Rect): void {
  context.beginPath();
  context.roundRect(x, y, width, height, RADIUS);
  context.fill();
}

function outline(context: CanvasRenderingContext2D, { x, y, width, height }: Rect, colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  context.roundRect(x + 0.5, y + 0.5, width - 1, height - 1, RADIUS);
  context.stroke();
}
