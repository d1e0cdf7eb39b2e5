/** What the page says about the price of the cluster: over the lower bound, and what is not in it. Pure. */
import type { NodeRow, Totals } from '../../wire.ts';
import { count, price } from './format.ts';

/** The bound is of running pods: while nodes boot for others, price and bound are about different pods. */
export function priceOverBound(
  { pricePerHour, lowerBoundPerHour }: Totals,
  nodes: Iterable<NodeRow>,
): { readonly value: string; readonly text: string } {
  if (lowerBoundPerHour === null || pricePerHour === null) return { value: '–', text: 'not known yet' };
  const text = `bound ${price(lowerBoundPerHour)}/h for running pods`;
  const launching = [...nodes].filter(({ phase }) => phase === 'planned' || phase === 'booting').length;
  if (launching > 0) return { value: '–', text: `${text} · ${count(launching, 'node')} being launched` };
  if (lowerBoundPerHour === 0) return { value: '–', text };
  const percent = Math.round((pricePerHour / lowerBoundPerHour - 1) * 100);
  return { value: `${percent < 0 ? '−' : '+'}${Math.abs(percent)}%`, text };
}

/** What to know about the sum. Nodes that nobody launched have no price, and are no gap in it. */
export function priceNotes(nodes: Iterable<NodeRow>): readonly string[] {
  let [unmanaged, unpriced, spot] = [0, 0, 0];
  for (const { pool, claim, capacity, pricePerHour } of nodes) {
    if (pricePerHour !== null) spot += capacity === 'spot' ? 1 : 0;
    else if (pool === null && claim === null) unmanaged += 1;
    else unpriced += 1;
  }
  return [
    ...(unpriced > 0 ? [`${count(unpriced, 'node')} without a price`] : []),
    ...(unmanaged > 0 ? [`without ${count(unmanaged, 'unmanaged node')}`] : []),
    ...(spot > 0 ? ['spot nodes at list price'] : []),
  ];
}
