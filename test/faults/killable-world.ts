/**
 * A World that can be killed: everything that one controller process gets from outside, on servers and a
 * clock that keep running. Every contact with the outside is a numbered effect (a request is sent, its
 * response arrives, a timer fires), so that a process can be killed at exactly the n-th effect. After that it
 * receives nothing more. It can also be frozen, as a VM can: everything is then delivered afterwards, and the
 * process does not notice the pause.
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

export interface KillableWorldOptions {
  readonly base: World;
  readonly name: string;
  /** Its own source, so that other processes do not affect it. */
  readonly random: Random;
  readonly onEffect?: (effect: Effect) => void;
}

export class KillableWorld implements World {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: World['log'];
  readonly metrics: World['metrics'];
  readonly fetch: Fetch = () =>
    Promise.reject(
      new TypeError('fetch failed', { cause: new Error('only the wired servers can be reached') }),
    );
  readonly #base: World;
  readonly #onEffect: (effect: Effect) => void;
  readonly #streams = new Set<() => void>();
  readonly #killed = Promise.withResolvers<void>();
  #alive = true;
  #frozenUntilMs = 0;
  #effects = 0;

  constructor({ base, name, random, onEffect = () => undefined }: KillableWorldOptions) {
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

  /** Resolves when it is killed. */
  get killed(): Promise<void> {
    return this.#killed.promise;
  }

  get effects(): number {
    return this.#effects;
  }

  get frozen(): boolean {
    return this.#restMs() > 0;
  }

  /** Ends the process at once. Requests that were sent still arrive. */
  kill(): void {
    this.#alive = false;
    this.#killed.resolve();
    for (const end of [...this.#streams]) end();
  }

  freeze(forMs: number): void {
    this.#frozenUntilMs = Math.max(this.#frozenUntilMs, this.#base.clock.monotonic() + forMs);
  }

  /** A connection to a server: requests and responses pass through here. */
  wire(name: string, send: Fetch, read = readRequest): Fetch {
    return async (input, init) => {
      const { method, path } = read(input, init);
      const what = `${name} ${method} ${path}`;
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

  /** A killed process receives nothing from its streams. */
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

function readRequest(input: string | URL | Request, init: RequestInit | undefined) {
  return { method: init?.method ?? 'GET', path: pathOf(input) };
}

/** A promise that never settles, for a killed process. */
function never<T>(): Promise<T> {
  return new Promise<T>(() => undefined);
}
