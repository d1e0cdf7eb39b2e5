/** Seeded randomness: the same seed gives the same choices on every machine. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed * 0x9e3779b1 + 0x7f4a7c15) >>> 0;
    for (let warm = 0; warm < 4; warm += 1) this.next();
  }

  /** In [0, 1). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  }

  /** Both ends included. */
  between(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  happens(probability: number): boolean {
    return this.next() < probability;
  }

  one<T>(of: readonly T[]): T {
    return of[Math.floor(this.next() * of.length)]!;
  }

  /** At least one of them, in their order. */
  some<T>(of: readonly T[]): T[] {
    const chosen = of.filter(() => this.happens(0.5));
    return chosen.length > 0 ? chosen : [this.one(of)];
  }

  shuffled<T>(of: readonly T[]): T[] {
    const list = [...of];
    for (let at = list.length - 1; at > 0; at -= 1) {
      const other = this.between(0, at);
      [list[at], list[other]] = [list[other]!, list[at]!];
    }
    return list;
  }
}
