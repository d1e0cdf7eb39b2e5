/** Work that takes memory and the processor, few at once; what waits is bounded, too. */
import { QuestionError } from './questions.ts';

export class FewAtOnce {
  readonly #maxRunning: number;
  readonly #maxWaiting: number;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(maxRunning: number, maxWaiting: number) {
    this.#maxRunning = maxRunning;
    this.#maxWaiting = maxWaiting;
  }

  /** @throws {QuestionError} when too many are waiting. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#maxRunning) {
      if (this.#waiting.length >= this.#maxWaiting)
        throw new QuestionError(429, 'too many answers are being made', 'wait a moment and try again');
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else this.#running += 1;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      // It takes this place.
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
