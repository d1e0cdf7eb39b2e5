/** What the nodes cost over time, since this process started. Bounded: the older half loses every second point when it is full. */
import type { PricePoint } from './wire.ts';

export class PriceHistory {
  #points: PricePoint[] = [];

  get isEmpty(): boolean {
    return this.#points.length === 0;
  }

  /** Nothing is kept of a price that has not changed. Returns what is new. */
  add(atMs: number, pricePerHour: number): readonly PricePoint[] {
    if (this.#points.at(-1)?.pricePerHour === pricePerHour) return [];
    const point = { atMs, pricePerHour };
    this.#points.push(point);
    if (this.#points.length <= MAX_POINTS) return [point];
    const half = MAX_POINTS / 2;
    this.#points = this.#points.filter((_, at) => at >= half || at % 2 === 0);
    return [point];
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
