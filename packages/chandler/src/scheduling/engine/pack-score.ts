/**
 * Scores how well a pod fits the free resources of a node: pods with a similar ratio of cpu to memory come
 * first, so that nothing is left over, and larger pods before smaller ones. A trial placement fills a node
 * with resources alone and ignores other constraints.
 */
import { PODS, type Requests } from '../resources.ts';

/** -1 when there is no room. @param start where the amounts in use begin. */
export function scoreOf(
  { requests, shares, size, weight }: Shape,
  free: readonly number[],
  used: Float64Array,
  start: number,
): number {
  const { slots, amounts } = requests;
  let dot = 0;
  let room = 0;
  for (let index = 0; index < slots.length; index++) {
    const slot = slots[index]!;
    const whole = free[slot] ?? 0;
    const remaining = whole - used[start + slot]!;
    if (amounts[index]! > remaining) return -1;
    const share = shares[index]!;
    if (share < 0) continue;
    const left = remaining / whole;
    dot += share * left;
    room += left * left;
  }
  return size === 0 ? 0 : leaning(dot, size, room) * weight;
}

/** Requests relative to a whole node. */
export interface Shape {
  readonly requests: Requests;
  /** Share of the whole node, by index; -1 for resources that do not count. */
  readonly shares: readonly number[];
  readonly size: number;
  readonly weight: number;
}

/** Shapes by the free resources of a whole node and by requests. */
export class Shapes {
  readonly #byNode = new Map<readonly number[], (Shape | undefined)[]>();
  readonly #uncounted: ReadonlySet<number>;

  /** @param attachments slots of volume attachments: they limit what fits, but cost nothing, so leaving some is no loss. */
  constructor(attachments: readonly number[]) {
    this.#uncounted = new Set([PODS, ...attachments]);
  }

  of(requests: Requests, free: readonly number[]): Shape {
    let byRequests = this.#byNode.get(free);
    if (byRequests === undefined) {
      byRequests = [];
      this.#byNode.set(free, byRequests);
    }
    byRequests[requests.id] ??= shapeOf(requests, free, this.#uncounted);
    return byRequests[requests.id]!;
  }
}

/** Pods of one kind that can be placed. */
export interface PodGroup {
  readonly shape: Shape;
  left: number;
}

export class TrialPlacement {
  /** By slot. */
  readonly used: Float64Array;
  /** Evaluated pods: a measure of the work. */
  looks = 0;
  readonly #free: readonly number[];
  readonly #groups: PodGroup[];

  /** @param groups are used up. */
  constructor(free: readonly number[], stride: number, groups: PodGroup[]) {
    this.#free = free;
    this.used = new Float64Array(stride);
    this.#groups = groups;
  }

  take({ slots, amounts }: Requests): void {
    for (let index = 0; index < slots.length; index++) this.used[slots[index]!]! += amounts[index]!;
  }

  /** Repeatedly takes the best pod that fits. A pod that does not fit now does not fit later. */
  fill(): void {
    for (let open = this.#groups.length; open > 0; ) {
      let best: PodGroup | undefined;
      let bestScore = -1;
      let kept = 0;
      this.looks += open;
      for (let index = 0; index < open; index++) {
        const group = this.#groups[index]!;
        const score = group.left > 0 ? scoreOf(group.shape, this.#free, this.used, 0) : -1;
        if (score < 0) continue;
        this.#groups[kept++] = group;
        if (score <= bestScore) continue;
        best = group;
        bestScore = score;
      }
      open = kept;
      if (best === undefined) return;
      this.#takeSome(best);
    }
  }

  /** Many at once where very many fit: the next one would be of the same group. */
  #takeSome(group: PodGroup): void {
    const { slots, amounts } = group.shape.requests;
    let fitting = group.left;
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index]!;
      if (amounts[index]! > 0)
        fitting = Math.min(fitting, ((this.#free[slot] ?? 0) - this.used[slot]!) / amounts[index]!);
    }
    const count = Math.max(1, Math.floor(fitting / STEPS));
    for (let index = 0; index < slots.length; index++) this.used[slots[index]!]! += count * amounts[index]!;
    group.left -= count;
  }
}

// ---------------------------------------------------------------------------------------------------------------

/** In how many steps a node is filled with pods of one group, at least. */
const STEPS = 24;
/** The weight of size relative to shape; tuned on benchmarks. */
const SIZE = 0.1;

function shapeOf(requests: Requests, free: readonly number[], uncounted: ReadonlySet<number>): Shape {
  const shares = requests.slots.map((slot, index) => {
    const whole = free[slot] ?? 0;
    return uncounted.has(slot) || !Number.isFinite(whole) ? -1 : requests.amounts[index]! / whole;
  });
  const size = shares.reduce((sum, share) => (share < 0 ? sum : sum + share * share), 0);
  return { requests, shares, size, weight: size ** SIZE };
}

/** The cosine between requests and free resources to the eighth power, to penalise a wrong shape. */
function leaning(dot: number, size: number, room: number): number {
  const square = (dot * dot) / (size * room);
  const fourth = square * square;
  return fourth * fourth;
}
