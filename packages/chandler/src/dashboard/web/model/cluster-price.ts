/** What the page says about the price of the cluster: over the lower bound, and what is not in it. Pure. */
import type { NodeRow, NoLowerBound, Totals } from '../../wire.ts';
import { count, pricePerHour as perHourText, price, pricePerMonth } from './format.ts';

/**
 * The bound is of running pods: while nodes boot for others, or are drained of pods that are gone, price and bound are about different
 * pods. In a large cluster some always are; a few do not matter.
 */
export function priceOverBound(
  { pricePerHour, lowerBoundPerHour, noLowerBound }: Totals,
  nodes: Iterable<NodeRow>,
): { readonly value: string; readonly text: string } {
  if (lowerBoundPerHour === null)
    return { value: '–', text: noLowerBound === undefined ? 'not known' : NO_BOUND_TEXTS[noLowerBound] };
  if (pricePerHour === null) return { value: '–', text: 'the price is not known' };
  const text = `bound ${price(lowerBoundPerHour)}/h for running pods`;
  let [all, launching, leaving] = [0, 0, 0];
  for (const { phase } of nodes) {
    all += 1;
    if (phase === 'planned' || phase === 'booting') launching += 1;
    if (phase === 'disrupting' || phase === 'deleting') leaving += 1;
  }
  if (launching + leaving > MAX_SHARE_IN_FLIGHT * all) {
    const launched = launching > 0 ? [`${count(launching, 'node')} being launched`] : [];
    const left = leaving > 0 ? [`${count(leaving, 'node')} being removed`] : [];
    return { value: '–', text: [text, ...launched, ...left].join(' · ') };
  }
  if (lowerBoundPerHour === 0) return { value: '–', text };
  const percent = Math.round((pricePerHour / lowerBoundPerHour - 1) * 100);
  return { value: `${percent < 0 ? '−' : '+'}${Math.abs(percent)}%`, text };
}

const NO_BOUND_TEXTS: Readonly<Record<NoLowerBound, string>> = {
  computing: 'being computed',
  'too-many-pods': 'not computed with more than 5,000 pods',
  'not-permitted': 'not known: it needs pods, NodeClaims and NodePools, which may not be read',
  'not-found': 'not known',
  off: 'not computed by the controller',
};

/** Of the nodes. */
const MAX_SHARE_IN_FLIGHT = 0.02;

/** What to know about the sum. Nodes that nobody launched have no price, and are no gap in it. */
export function priceNotes(nodes: Iterable<NodeRow>): readonly string[] {
  let [unmanaged, unpriced, spot] = [0, 0, 0];
  for (const { pool, claim, capacity, pricePerHour } of nodes) {
    if (pricePerHour !== null) spot += capacity === 'spot' ? 1 : 0;
    else if (pool === null && claim === null) unmanaged += 1;
    else unpriced += 1;
  }
  return [
    ...unpricedText(unpriced),
    ...(unmanaged > 0 ? [`without ${count(unmanaged, 'unmanaged node')}`] : []),
    ...(spot > 0 ? ['spot nodes at list price'] : []),
  ];
}

/** Of the nodes of a NodePool. A sum without some of them says so, and that of none is not $0. */
export function poolPrice(nodes: readonly NodeRow[]): string {
  const prices = nodes.flatMap(({ pricePerHour }) => pricePerHour ?? []);
  if (prices.length === 0 && nodes.length > 0) return 'not known';
  const sum = prices.reduce((all, each) => all + each, 0);
  const text = `${perHourText(sum)}, ${pricePerMonth(sum)}`;
  return [text, ...unpricedText(nodes.length - prices.length)].join(' · ');
}

/** Beside a sum that nodes are not in. */
export function unpricedText(nodes: number): readonly string[] {
  return nodes === 0 ? [] : [`${count(nodes, 'node')} without a price`];
}
