/** Sums over nodes: of all that are shown, and by NodePool. What is not known is left out, and counted. Pure. */

import type { Share, TopNode } from '../../dashboard/index.ts';
import { HOURS_PER_MONTH } from '../../disruption/index.ts';

export interface Totals {
  readonly nodes: number;
  readonly ready: number;
  readonly cpu: Share;
  readonly memory: Share;
  readonly pods: Share;
  /** Of the nodes whose price is known; undefined: of none. */
  readonly pricePerHour: number | undefined;
  readonly pricePerMonth: number | undefined;
  /** Nodes whose price is not known: they are not in the sums of prices. */
  readonly unpriced: number;
}

export interface PoolTotals extends Totals {
  /** Undefined: nodes without a NodePool. */
  readonly nodePool: string | undefined;
}

export function totalsOf(nodes: readonly TopNode[]): Totals {
  const prices = nodes.flatMap(({ pricePerHour }) => pricePerHour ?? []);
  const perHour = prices.length === 0 ? undefined : prices.reduce((sum, price) => sum + price, 0);
  return {
    nodes: nodes.length,
    ready: nodes.filter(({ phase }) => phase === 'Ready').length,
    cpu: sumOf(nodes.map(({ cpu }) => cpu)),
    memory: sumOf(nodes.map(({ memory }) => memory)),
    pods: sumOf(nodes.map(({ pods }) => pods)),
    pricePerHour: perHour,
    pricePerMonth: perHour === undefined ? undefined : perHour * HOURS_PER_MONTH,
    unpriced: nodes.length - prices.length,
  };
}

/** By name; nodes without a NodePool last. */
export function poolTotals(nodes: readonly TopNode[]): readonly PoolTotals[] {
  return [...Map.groupBy(nodes, ({ nodePool }) => nodePool)]
    .map(([nodePool, own]) => ({ nodePool, ...totalsOf(own) }))
    .sort((one, other) => {
      if (one.nodePool === undefined || other.nodePool === undefined)
        return one.nodePool === undefined ? 1 : -1;
      return one.nodePool < other.nodePool ? -1 : 1;
    });
}

// ---------------------------------------------------------------------------------------------------

/** Nodes of which one of both is not known do not count. */
function sumOf(shares: readonly Share[]): Share {
  let [requested, allocatable, known] = [0, 0, false];
  for (const share of shares) {
    if (share.requested === undefined || share.allocatable === undefined) continue;
    requested += share.requested;
    allocatable += share.allocatable;
    known = true;
  }
  return known ? { requested, allocatable } : { requested: undefined, allocatable: undefined };
}
