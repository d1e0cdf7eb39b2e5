/** One frame of `chandler top`: the nodes that are chosen, in order, with their totals. Pure. */

import type { TopNode } from '../../dashboard/index.ts';
import { chosenNodes, type NodeChoice, type SortKey, sortedNodes } from './choose-nodes.ts';
import type { TopFrame } from './render-top.ts';
import { poolTotals, totalsOf } from './totals.ts';

export interface TopView {
  readonly nodes: readonly TopNode[];
  readonly pendingPods: number | undefined;
  readonly notes: readonly string[];
}

export interface FrameChoice {
  readonly choice: NodeChoice;
  readonly sort: SortKey;
  readonly reverse: boolean;
}

export function frameOf(view: TopView, { choice, sort, reverse }: FrameChoice, nowMs: number): TopFrame {
  const chosen = chosenNodes(view.nodes, choice);
  const totals = totalsOf(chosen);
  const all = chosen.length === view.nodes.length;
  return {
    nowMs,
    nodes: sortedNodes(chosen, sort, reverse),
    allNodes: view.nodes.length,
    totals,
    pools: poolTotals(chosen),
    pendingPods: all ? view.pendingPods : undefined,
    notes: [...unpricedNote(totals.unpriced, totals.nodes), ...view.notes],
  };
}

// ---------------------------------------------------------------------------------------------------

function unpricedNote(unpriced: number, nodes: number): readonly string[] {
  if (unpriced === 0 || unpriced === nodes) return [];
  const subject = unpriced === 1 ? 'The price of 1 node is' : `The prices of ${unpriced} nodes are`;
  return [`${subject} not known and not in the totals.`];
}
