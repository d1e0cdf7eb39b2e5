/** Chance from a seed: the same seed makes the same world. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** At least 0, less than 1 (the generator that is known as mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number, at least 0, less than `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  one<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }

  /** The end of a generated name, in the letters that Kubernetes uses for it. */
  suffix(length = 5): string {
    let text = '';
    for (let at = 0; at < length; at++) text += this.one([...'bcdfghjklmnpqrstvwxz2456789']);
    return text;
  }
}
