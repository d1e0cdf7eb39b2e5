/**
 * Calls that serve several askers at once. One is in flight at a time; what is asked for meanwhile goes into the next one. So
 * a single question is sent at once, many become few calls, and nobody waits for a clock. A call ends early only when all
 * that it serves have gone.
 */
import type { Clock } from '@chandler/kube';
import { unlessAborted } from '../../index.ts';

export interface SharedCallsOptions<Answer> {
  /** How many keys one call takes. */
  readonly maxItems: number;
  /** Observes each call: how many keys it has, and how long the first of them has waited. */
  readonly observed?: BatchObserver;
  /** Keys that the answer does not have get `undefined`. What it throws, all of them get. */
  readonly call: (keys: readonly string[], signal: AbortSignal) => Promise<ReadonlyMap<string, Answer>>;
}

export interface BatchObserver {
  readonly clock: Pick<Clock, 'monotonic'>;
  sent(size: number, waitedMs: number): void;
}

export class SharedCalls<Answer> {
  readonly #options: SharedCallsOptions<Answer>;
  readonly #waiting = new Map<string, Question<Answer>>();
  #inFlight = false;
  /** Since when the first of those waits. */
  #waitingMs = 0;

  constructor(options: SharedCallsOptions<Answer>) {
    this.#options = options;
  }

  /** @throws the reason of the signal when it is aborted; else what the call throws. */
  async ask(key: string, signal: AbortSignal): Promise<Answer | undefined> {
    signal.throwIfAborted();
    if (this.#waiting.size === 0) this.#waitingMs = this.#nowMs();
    const question = this.#waiting.get(key) ?? newQuestion<Answer>();
    this.#waiting.set(key, question);
    question.signals.push(signal);
    if (!this.#inFlight) void this.#run();
    return unlessAborted(signal, question.answer);
  }

  async #run(): Promise<void> {
    this.#inFlight = true;
    // All that ask in the same turn go together.
    await Promise.resolve();
    while (this.#waiting.size > 0) {
      const batch = [...this.#waiting].slice(0, this.#options.maxItems);
      for (const [key] of batch) this.#waiting.delete(key);
      this.#options.observed?.sent(batch.length, this.#nowMs() - this.#waitingMs);
      this.#waitingMs = this.#nowMs();
      await this.#send(batch);
    }
    this.#inFlight = false;
  }

  #nowMs(): number {
    return this.#options.observed?.clock.monotonic() ?? 0;
  }

  async #send(batch: readonly (readonly [string, Question<Answer>])[]): Promise<void> {
    const wanted = batch.filter(([, { signals }]) => signals.some(({ aborted }) => !aborted));
    if (wanted.length === 0) return;
    const ending = endsWithAll(wanted.flatMap(([, { signals }]) => signals));
    try {
      const answers = await this.#options.call(
        wanted.map(([key]) => key),
        ending.signal,
      );
      for (const [key, { resolve }] of wanted) resolve(answers.get(key));
    } catch (error) {
      for (const [, { reject }] of wanted) reject(error);
    } finally {
      ending.release();
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------

interface Question<Answer> {
  readonly signals: AbortSignal[];
  readonly answer: Promise<Answer | undefined>;
  readonly resolve: (answer: Answer | undefined) => void;
  readonly reject: (error: unknown) => void;
}

function newQuestion<Answer>(): Question<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer | undefined>();
  // The askers may all have gone.
  promise.catch(() => undefined);
  return { signals: [], answer: promise, resolve, reject };
}

/** A signal that is aborted when the last of these is, with its reason. */
function endsWithAll(signals: readonly AbortSignal[]): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const onAbort = (event: Event) => {
    if (signals.every(({ aborted }) => aborted)) controller.abort((event.target as AbortSignal).reason);
  };
  for (const signal of signals) signal.addEventListener('abort', onAbort);
  return {
    signal: controller.signal,
    release: () => {
      for (const signal of signals) signal.removeEventListener('abort', onAbort);
    },
  };
}
