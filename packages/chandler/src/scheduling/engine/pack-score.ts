/**
 * Which pod suits what is left of a machine: one that leans the way the free room leans, so that nothing of
 * it is left over; among those the large. A rehearsal fills a machine on paper, other pods left aside.
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

/** Pods of one kind that could be taken. */
export interface PodGroup {
  readonly requests: Requests;
  readonly count: number;
}

export class TrialPlacement {
  /** By slot. */
  readonly used: Float64Array;
  /** Pods that were looked at: a measure of the work done. */
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

  /** Takes the best that fits, again and again. What does not fit now does not fit later. */
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

/** How much it counts that a pod is large, against that it leans the right way; found by trial. */
const SIZE = 0.1;

interface Candidate {
  readonly requests: Requests;
  /** Of the whole machine, by index; -1 for what does not count. */
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

/** The cosine between pod and room, to the eighth: leaning the wrong way must count. */
function leaning(dot: number, size: number, room: number): number {
  const square = (dot * dot) / (size * room);
  const fourth = square * square;
  return fourth * fourth;
}
