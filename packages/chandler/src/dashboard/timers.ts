/** Timers that end together. */
import type { Clock, Timer } from '@chandler/kube';

export class Timers {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #running = new Set<Timer>();
  #isStopped = false;

  constructor(clock: Pick<Clock, 'after'>) {
    this.#clock = clock;
  }

  after(delayMs: number, task: () => void): void {
    if (this.#isStopped) return;
    const timer = this.#clock.after(delayMs, () => {
      this.#running.delete(timer);
      if (!this.#isStopped) task();
    });
    this.#running.add(timer);
  }

  every(periodMs: number, task: () => void): void {
    this.after(periodMs, () => {
      task();
      this.every(periodMs, task);
    });
  }

  stop(): void {
    this.#isStopped = true;
    for (const timer of this.#running) timer.cancel();
  }
}
