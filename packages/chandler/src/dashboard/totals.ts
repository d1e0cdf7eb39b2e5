/** The sums of the page. What pods request is counted as they come and go; what nodes offer is added up. */
import type { PagePod } from './page-pods.ts';
import { rounded } from './rows.ts';
import type { NodeRow, NoLowerBound, Totals } from './wire.ts';

/** What is kept of the row of a node: its JSON, and what is in the sums. */
export interface KeptRow extends Pick<NodeRow, 'pricePerHour' | 'cpuMillis' | 'memoryBytes'> {
  readonly text: string;
  /** It has a NodePool or a NodeClaim: somebody pays for it. */
  readonly isPaid: boolean;
}

export class PodSums {
  pods = 0;
  /** Without a node. */
  pending = 0;
  /** Of the pods on nodes. */
  cpuMillis = 0;
  memoryBytes = 0;

  count({ phase, nodeName, cpuMillis, memoryBytes }: PagePod, sign: 1 | -1): void {
    this.pods += sign;
    if (phase === 'p') this.pending += sign;
    if (nodeName === '') return;
    this.cpuMillis += sign * cpuMillis;
    this.memoryBytes += sign * memoryBytes;
  }
}

/** Per hour, or why it is not known. */
export type LowerBound = number | NoLowerBound;

export function totalsOf(nodes: Iterable<KeptRow>, pods: PodSums, lowerBound: LowerBound = 'off'): Totals {
  let [price, priced, count, cpuMillis, memoryBytes] = [0, 0, 0, 0, 0];
  for (const node of nodes) {
    count += 1;
    cpuMillis += node.cpuMillis ?? 0;
    memoryBytes += node.memoryBytes ?? 0;
    if (node.pricePerHour === null) continue;
    price += node.pricePerHour;
    priced += 1;
  }
  return {
    pricePerHour: priced === 0 ? null : rounded(price),
    unpriced: count - priced,
    ...(typeof lowerBound === 'number'
      ? { lowerBoundPerHour: lowerBound }
      : { lowerBoundPerHour: null, noLowerBound: lowerBound }),
    cpuRequestedMillis: pods.cpuMillis,
    cpuAllocatableMillis: cpuMillis,
    memoryRequestedBytes: pods.memoryBytes,
    memoryAllocatableBytes: memoryBytes,
    pods: pods.pods,
    pending: pods.pending,
  };
}
