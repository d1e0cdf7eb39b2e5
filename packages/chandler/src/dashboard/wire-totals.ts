/** The sums of the page in its JSON. Types only. */

export interface Totals {
  readonly pricePerHour: number | null;
  /** Nodes whose price is not known: they are not in the sum. */
  readonly unpriced: number;
  /** The cheapest that the running pods could cost; null while it is not known. */
  readonly lowerBoundPerHour: number | null;
  /** Why it is null. */
  readonly noLowerBound?: NoLowerBound;
  readonly cpuRequestedMillis: number;
  readonly cpuAllocatableMillis: number;
  readonly memoryRequestedBytes: number;
  readonly memoryAllocatableBytes: number;
  readonly pods: number;
  readonly pending: number;
}

/** `off`: this process never computes it. `not-found`: it was computed, and none is proven, or there are no pods to bound. */
export type NoLowerBound = 'computing' | 'too-many-pods' | 'not-permitted' | 'not-found' | 'off';
