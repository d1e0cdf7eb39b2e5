/** The pods of a node as blocks inside its tile: the area of each is its share of the node, what is free stays empty at the right. Pure. */
import type { NodeRow, PodPhase, PodRow } from '../../wire.ts';
import type { NodeLoad } from '../model/store.ts';
import type { Rect } from './layout.ts';

export interface Block extends Rect {
  readonly pod: PodRow;
}

/** A pod that requests nothing is still to be seen. */
const MIN_SHARE = 0.004;

/** The larger of the shares of CPU and memory. */
export function shareOf(pod: PodRow, node: NodeRow): number {
  const cpu = node.cpuMillis ? pod[4] / node.cpuMillis : 0;
  const memory = node.memoryBytes ? pod[5] / node.memoryBytes : 0;
  return Math.max(cpu, memory, MIN_SHARE);
}

export function blocksOf(node: NodeRow, load: NodeLoad | undefined, inside: Rect): Block[] {
  if (load === undefined) return [];
  const shares = [...load.pods.values()].map((pod) => ({ pod, share: shareOf(pod, node) }));
  shares.sort((a, b) => b.share - a.share || (a.pod[1] < b.pod[1] ? -1 : 1));
  const sum = shares.reduce((total, { share }) => total + share, 0);
  const used: Rect = { ...inside, width: inside.width * Math.min(1, sum) };
  const scale = (used.width * used.height) / sum;
  return squarified(
    shares.map(({ pod, share }) => ({ pod, area: share * scale })),
    used,
  );
}

/** The share of each phase, in the order in which bars are drawn. */
export function phaseShares(
  node: NodeRow,
  load: NodeLoad | undefined,
): readonly (readonly [PodPhase, number])[] {
  if (load === undefined) return [];
  const sums: Record<PodPhase, number> = { r: 0, c: 0, l: 0, f: 0, p: 0 };
  let sum = 0;
  for (const pod of load.pods.values()) {
    const share = shareOf(pod, node);
    sums[pod[3]] += share;
    sum += share;
  }
  const scale = sum > 1 ? 1 / sum : 1;
  return BAR_ORDER.filter((phase) => sums[phase] > 0).map((phase) => [phase, sums[phase] * scale]);
}

const BAR_ORDER: readonly PodPhase[] = ['r', 'c', 'l', 'f', 'p'];

interface Piece {
  readonly pod: PodRow;
  readonly area: number;
}

/** Rows along the shorter side, each as long as its blocks become squarer (Bruls, Huizing, van Wijk: squarified treemaps). */
function squarified(pieces: readonly Piece[], whole: Rect): Block[] {
  const blocks: Block[] = [];
  let { x, y, width, height } = whole;
  let at = 0;
  while (at < pieces.length && width > 0 && height > 0) {
    const side = Math.min(width, height);
    let end = at + 1;
    let area = pieces[at]!.area;
    let worst = worstRatio(area, area, area, side);
    while (end < pieces.length) {
      const next = area + pieces[end]!.area;
      const ratio = worstRatio(next, pieces[at]!.area, pieces[end]!.area, side);
      if (ratio > worst) break;
      [area, worst] = [next, ratio];
      end++;
    }
    const depth = area / side;
    let along = 0;
    for (; at < end; at++) {
      const { pod, area: own } = pieces[at]!;
      const length = own / depth;
      blocks.push(
        width >= height
          ? { pod, x, y: y + along, width: depth, height: length }
          : { pod, x: x + along, y, width: length, height: depth },
      );
      along += length;
    }
    if (width >= height) [x, width] = [x + depth, width - depth];
    else [y, height] = [y + depth, height - depth];
  }
  return blocks;
}

/** How far the least square block of a row is from a square. */
function worstRatio(area: number, largest: number, smallest: number, side: number): number {
  const square = side * side;
  return Math.max((square * largest) / (area * area), (area * area) / (square * smallest));
}
