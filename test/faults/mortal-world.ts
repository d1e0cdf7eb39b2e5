/**
 * A World that can die: what one process of ours gets from outside, on servers and a clock that live on. Every contact
 * with the outside is an effect with a number, so that a process can be killed at exactly the n-th: a request leaving,
 * its answer arriving, a timer firing. From then on nothing that it started comes back to it. It can also be frozen for
 * a while, as a machine can: then everything happens afterwards, and it believes that no time has passed.
 */
import type { Clock, Fetch, Random, Timer, World } from '@chandler/kube';
import { isWatch, pathOf } from './request.ts';

export type EffectKind = 'send' | 'answer' | 'timer';

export interface Effect {
  readonly number: number;
  readonly kind: EffectKind;
  /** `kube PATCH /apis/…`. */
  readonly what: string;
}

export interface MortalOptions {
  readonly base: World;
  readonly name: string;
  /** Of its own, so that another process does not change its luck. */
  readonly random: Random;
  readonly onEffect?: (effect: Effect) => void;
}

export class MortalWorld implements World {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: World['log'];
  readonly metrics: World['metrics'];
  readonly fetch: Fetch = () => Promise.reject(new TypeError('fetch failed: there is no such way out'));
  readonly #base: World;
  readonly #onEffect: (effect: Effect) => void;
  readonly #streams = new Set<() => void>();
  #alive = true;
  #frozenUntilMs = 0;
  #effects = 0;

  constructor({ base, name, random, onEffect = () => undefined }: MortalOptions) {
    this.name = name;
    this.#base = base;
    this.#onEffect = onEffect;
    this.random = random;
    this.log = base.log.with({ process: name });
    this.metrics = base.metrics;
    this.clock = {
      now: () => base.clock.now(),
      monotonic: () => base.clock.monotonic(),
      after: (delayMs, task) => this.#after(delayMs, task),
      sleep: (delayMs, signal) => this.#sleep(delayMs, signal),
    };
  }

  get alive(): boolean {
    return this.#alive;
  }

  get effects(): number {
    return this.#effects;
  }

  get frozen(): boolean {
    return this.#restMs() > 0;
  }

  /** Nothing is finished, nothing is said: the process is gone. What it has sent is on its way all the same. */
  kill(): void {
    this.#alive = false;
    for (const end of [...this.#streams]) end();
  }

  freeze(forMs: number): void {
    this.#frozenUntilMs = Math.max(this.#frozenUntilMs, this.#base.clock.monotonic() + forMs);
  }

  /** A way to a server: requests and answers pass through here. */
  wire(name: string, send: Fetch): Fetch {
    return async (input, init) => {
      const what = `${name} ${init?.method ?? 'GET'} ${pathOf(input)}`;
      this.#effect('send', what);
      if (!this.#alive) return never();
      const outcome = await send(input, init).then(
        (answer) => ({ answer }),
        (error: unknown) => ({ error }),
      );
      await this.#awake();
      const status = 'answer' in outcome ? outcome.answer.status : 'no answer';
      this.#effect('answer', `${what} ${status}`);
      if (!this.#alive) return never();
      if ('error' in outcome) throw outcome.error;
      return isWatch(input) ? this.#gated(outcome.answer) : outcome.answer;
    };
  }

  #effect(kind: EffectKind, what: string): void {
    if (this.#alive) this.#onEffect({ number: ++this.#effects, kind, what });
  }

  #restMs(): number {
    return this.#frozenUntilMs - this.#base.clock.monotonic();
  }

  async #awake(): Promise<void> {
    while (this.#restMs() > 0) await this.#base.clock.sleep(this.#restMs());
  }

  /** What comes over a stream comes to nobody once the process is gone. */
  #gated(answer: Response): Response {
    const reader = (answer.body as ReadableStream<Uint8Array> | null)?.getReader();
    if (reader === undefined) return answer;
    const end = () => {
      this.#streams.delete(end);
      reader.cancel().catch(() => undefined);
    };
    this.#streams.add(end);
    const body = new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const { done, value } = await reader.read();
          await this.#awake();
          if (!this.#alive) return never();
          if (!done) return controller.enqueue(value);
          this.#streams.delete(end);
          controller.close();
        },
        cancel: end,
      },
      { highWaterMark: 0 },
    );
    return new Response(body, { status: answer.status, headers: answer.headers });
  }

  #after(delayMs: number, task: () => void): Timer {
    let timer = this.#base.clock.after(delayMs, () => this.#fire(task, (later) => (timer = later)));
    return { cancel: () => timer.cancel() };
  }

  #fire(task: () => void, postponed: (timer: Timer) => void): void {
    if (!this.#alive) return;
    const restMs = this.#restMs();
    if (restMs > 0) {
      postponed(this.#base.clock.after(restMs, () => this.#fire(task, postponed)));
      return;
    }
    this.#effect('timer', 'timer');
    if (this.#alive) task();
  }

  #sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        timer.cancel();
        reject(signal?.reason);
      };
      const timer = this.#after(delayMs, () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      });
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }
}

// ---------------------------------------------------------------------------------------------------

/** A promise nobody will ever settle: what a dead process waits for. */
function never<T>(): Promise<T> {
  return new Promise<T>(() => undefined);
}
