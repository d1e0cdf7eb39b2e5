/** Every call that reached the server, the last ones kept. Checkers read rates and orders from it. */

export interface Call {
  readonly service: string;
  readonly action: string;
  /** 0 when no answer was sent. */
  readonly status: number;
  /** When it arrived, on the clock's epoch. */
  readonly atMs: number;
  readonly requestId: string;
  /** Of the error, when it was rejected. */
  readonly code?: string;
  readonly principal?: string;
  /** Names of the faults that it triggered. */
  readonly faults?: readonly string[];
}

export class CallLog {
  readonly #limit: number;
  readonly #ring: Call[] = [];
  #next = 0;
  #total = 0;

  constructor(limit = 20_000) {
    this.#limit = limit;
  }

  add(call: Call): void {
    this.#ring[this.#next] = call;
    this.#next = (this.#next + 1) % this.#limit;
    this.#total += 1;
  }

  /** Oldest first; `total` may be more than are kept. */
  list(): readonly Call[] {
    return this.#ring.length < this.#limit
      ? this.#ring.slice()
      : [...this.#ring.slice(this.#next), ...this.#ring.slice(0, this.#next)];
  }

  get total(): number {
    return this.#total;
  }
}
