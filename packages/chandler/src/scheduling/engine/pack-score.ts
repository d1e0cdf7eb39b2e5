/**
 * Scores how well a pod fits the free resources of a node: pods with a similar ratio of cpu to memory come
 * first, so that nothing is left over, and larger pods before smaller ones. A trial placement fills a node
 * with resources alone and ignores other constraints.
 */
import { PODS, type Requests } from '../resources.ts';

/** -1 when there is no room. @param start where the amounts in use begin. */
export function scoreOf(
  { slots, amounts }: Requests,
  free: readonly number[],
  used: Float64Array,
  start: number,
): number {
  let dot = 0;
  let size = 0;
  let room = 0;
  for (let index = 0; index < slots.length; index++) {
    const slot = slots[index]!;
    const whole = free[slot] ?? 0;
    const remaining = whole - used[start + slot]!;
    if (amounts[index]! > remaining) return -1;
    if (slot === PODS || !Number.isFinite(whole)) continue;
    const share = amounts[index]! / whole;
    const left = remaining / whole;
    dot += share * left;
    size += share * share;
    room += left * left;
  }
  return size === 0 ? 0 : leaning(dot, size, room) * size ** SIZE;
}

/** Pods of one kind that can be placed. */
export interface PodGroup {
  readonly requests: Requests;
  readonly count: number;
}

export class TrialPlacement {
  /** By slot. */
  readonly used: Float64Array;
  /** Evaluated pods: a measure of the work. */
  looks = 0;
  readonly #free: readonly number[];
  readonly #candidates: Candidate[];

  constructor(free: readonly number[], stride: number, podGroups: readonly PodGroup[]) {
    this.#free = free;
    this.used = new Float64Array(stride);
    this.#candidates = podGroups.map(({ requests, count }) => candidateOf(requests, count, free));
  }

  take({ slots, amounts }: Requests): void {
    for (let index = 0; index < slots.length; index++) this.used[slots[index]!]! += amounts[index]!;
  }

  /** Repeatedly takes the best pod that fits. A pod that does not fit now does not fit later. */
  fill(): void {
    for (let open = this.#candidates.length; open > 0; ) {
      let best: Candidate | undefined;
      let bestScore = -1;
      let kept = 0;
      this.looks += open;
      for (let index = 0; index < open; index++) {
        const candidate = this.#candidates[index]!;
        const score = candidate.left > 0 ? this.#score(candidate) : -1;
        if (score < 0) continue;
        this.#candidates[kept++] = candidate;
        if (score <= bestScore) continue;
        best = candidate;
        bestScore = score;
      }
      open = kept;
      if (best === undefined) return;
      this.take(best.requests);
      best.left--;
    }
  }

  #score({ requests, shares, size, weight }: Candidate): number {
    const { slots, amounts } = requests;
    let dot = 0;
    let room = 0;
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index]!;
      const whole = this.#free[slot] ?? 0;
      const remaining = whole - this.used[slot]!;
      if (amounts[index]! > remaining) return -1;
      const share = shares[index]!;
      if (share < 0) continue;
      const left = remaining / whole;
      dot += share * left;
      room += left * left;
    }
    return size === 0 ? 0 : leaning(dot, size, room) * weight;
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** The weight of size relative to shape; tuned on benchmarks. */
const SIZE = 0.1;

interface Candidate {
  readonly requests: Requests;
  /** Share of the whole node, by index; -1 for resources that do not count. */
  readonly shares: readonly number[];
  readonly size: number;
  readonly weight: number;
  left: number;
}

function candidateOf(requests: Requests, count: number, free: readonly number[]): Candidate {
  const shares = requests.slots.map((slot, index) => {
    const whole = free[slot] ?? 0;
    return slot === PODS || !Number.isFinite(whole) ? -1 : requests.amounts[index]! / whole;
  });
  const size = shares.reduce((sum, share) => (share < 0 ? sum : sum + share * share), 0);
  return { requests, shares, size, weight: size ** SIZE, left: count };
}

/** The cosine between requests and free resources to the eighth power, to penalise a wrong shape. */
function leaning(dot: number, size: number, room: number): number {
  const square = (dot * dot) / (size * room);
  const fourth = square * square;
  return fourth * fourth;
}
