/** The message of an unschedulable pod, in the form of kube-scheduler. */
import type { Pod, Stored } from '@chandler/kube';
import type { Feasibility } from './fits.ts';

export function unschedulableMessage(pod: Stored<Pod>, feasibility: Feasibility, nodeCount: number): string {
  const head = `0/${nodeCount} nodes are available:`;
  if (nodeCount === 0) return 'no nodes available to schedule pods';
  if (feasibility.blocked !== undefined) {
    return `${head} ${feasibility.blocked}. ${preemptionPart(pod, [nodeCount, UNHELPFUL])}`;
  }
  const reasons = new Map<string, number>();
  let resolvable = 0;
  for (const refusal of feasibility.refusals.values()) {
    for (const reason of refusal.reasons) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    if (refusal.resolvable) resolvable += 1;
  }
  const preemption = preemptionPart(pod, [resolvable, NO_VICTIMS], [nodeCount - resolvable, UNHELPFUL]);
  return `${head} ${counted([...reasons].map(([reason, count]) => [count, reason]))}. ${preemption}`;
}

// ---------------------------------------------------------------------------------------------------

type Counted = readonly [count: number, text: string];

/** Resource claims are another way out that kube-scheduler looks for, and we do not have. */
const NO_CLAIMS = 'no new claims to deallocate, ';
const NO_VICTIMS = 'No preemption victims found for incoming pod';
const UNHELPFUL = 'Preemption is not helpful for scheduling';

function preemptionPart(pod: Stored<Pod>, ...counts: readonly Counted[]): string {
  if (pod.spec.preemptionPolicy === 'Never')
    return `${NO_CLAIMS}preemption: not eligible due to preemptionPolicy=Never.`;
  const total = counts.reduce((sum, [count]) => sum + count, 0);
  return `${NO_CLAIMS}preemption: 0/${total} nodes are available: ${counted(counts)}.`;
}

function counted(counts: readonly Counted[]): string {
  return counts
    .filter(([count]) => count > 0)
    .map(([count, text]) => `${count} ${text}`)
    .sort()
    .join(', ');
}
