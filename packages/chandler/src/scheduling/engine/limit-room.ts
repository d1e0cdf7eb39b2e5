/**
 * Whether the limits of NodePools leave room for more pods than a run placed, by sums alone: a bound, without regard to how pods
 * fill nodes. Where many equal pods are refused because a limit is used up, no other order helps, and none has to be tried.
 */
import { Limits } from './limits.ts';
import { staticTargets } from './narrowing.ts';
import type { PodClass } from './pod-class.ts';
import { amountOf } from './queue.ts';
import type { Run } from './run.ts';

/** False only when no plan can place more pods. @param run without removed nodes. */
export function limitsMayHoldMore(run: Run): boolean {
  const { queue, unplaced, compiled } = run;
  const pools = new Map(
    [...new Set(queue.map(({ podClass }) => podClass))].map((one) => [one, poolsOf(run, one)]),
  );
  const refused = new Set(unplaced);
  const open = new Set(unplaced.flatMap((index) => [...pools.get(queue[index]!.podClass)!]));
  // All other pods are placed already. These can only be in the pools that the refused ones have.
  const confined = queue.flatMap(({ podClass }, index) =>
    [...pools.get(podClass)!].every((pool) => open.has(pool))
      ? { podClass, isPlaced: !refused.has(index) }
      : [],
  );
  const placed = confined.filter(({ isPlaced }) => isPlaced).length;
  const limits = new Limits(compiled, []);
  const limited = compiled.pools.filter(({ index }) => open.has(index)).map((pool) => limits.remaining(pool));
  const slots = [...(limited[0]?.keys() ?? [])].filter((slot) => limited.every((left) => left.has(slot)));
  return slots.every((slot) => {
    const amounts = confined.map(({ podClass }) => amountOf(podClass.requests, slot)).sort(ascending);
    const ofPools = limited.reduce((sum, left) => sum + Math.max(0, left.get(slot)!), 0);
    return countWithin(amounts, ofPools + freeOnNodes(run, slot, amounts[0]!)) > placed;
  });
}

// ---------------------------------------------------------------------------------------------------------------

/** Indexes of the pools that may have a node for the pod, with all or without some of its preferences. */
function poolsOf({ compiled }: Run, podClass: PodClass): ReadonlySet<number> {
  const found = new Set<number>();
  if (podClass.problem !== null) return found;
  for (let relaxation = 0; relaxation < podClass.relaxations.length; relaxation++) {
    const variant = compiled.classes.variant(podClass, relaxation);
    if (variant === undefined) continue;
    compiled.templates.forEach((template, pool) => {
      if (template !== null && staticTargets(compiled, variant, template).length > 0) found.add(pool);
    });
  }
  return found;
}

/** What nodes with room for the smallest of the pods have, before the run. */
function freeOnNodes({ compiled }: Run, slot: number, smallest: number): number {
  return compiled.nodes.all.reduce((sum, { free }) => {
    const own = free[slot] ?? 0;
    return own >= smallest && own > 0 ? sum + own : sum;
  }, 0);
}

/** How many of the smallest amounts are within the sum. */
function countWithin(amounts: readonly number[], sum: number): number {
  let left = sum;
  let count = 0;
  for (const amount of amounts) {
    left -= amount;
    if (left < 0) break;
    count += 1;
  }
  return count;
}

function ascending(first: number, second: number): number {
  return first - second;
}
