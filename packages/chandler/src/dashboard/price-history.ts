/** What the nodes cost over time, since this process started. Bounded: the older half loses every second point when it is full. */

export interface PricePoint {
  readonly atMs: number;
  readonly pricePerHour: number;
}

export class PriceHistory {
  #points: PricePoint[] = [];

  get isEmpty(): boolean {
    return this.#points.length === 0;
  }

  /** Nothing is kept of a price that has not changed. */
  add(atMs: number, pricePerHour: number): void {
    if (this.#points.at(-1)?.pricePerHour === pricePerHour) return;
    this.#points.push({ atMs, pricePerHour });
    if (this.#points.length <= MAX_POINTS) return;
    const half = MAX_POINTS / 2;
    this.#points = this.#points.filter((_, at) => at >= half || at % 2 === 0);
  }

  /** Within the window, after the price that it begins with. */
  between(fromMs: number, toMs: number): readonly PricePoint[] {
    const before = this.#points.findLast(({ atMs }) => atMs < fromMs);
    const within = this.#points.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
    return before === undefined ? within : [{ ...before, atMs: fromMs }, ...within];
  }
}

// ---------------------------------------------------------------------------------------------------

const MAX_POINTS = 1_000;
