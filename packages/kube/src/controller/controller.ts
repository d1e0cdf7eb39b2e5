/**
 * The loop around a reconciler: takes keys from a queue, at most so many at once, and sees to it that a key whose
 * reconcile failed comes back later. A request is only a key: the reconciler reads what is true now. One
 * reconciler's mistake never stops another.
 */
import type { Source } from '../cache/sources.ts';
import { isApiError } from '../client/api-error.ts';
import { aborted, linkedAbort } from '../client/linked-abort.ts';
import { parseKey } from '../client/resource.ts';
import type { World } from '../world.ts';
import { type ControllerMetrics, controllerMetrics } from './controller-metrics.ts';
import type { ItemLimiter } from './rate-limiter.ts';
import { type AddOptions, WorkQueue } from './work-queue.ts';

/** Nothing: come back when something changes. `again`: come back after so many milliseconds (at least one) in any case. */
export interface Result {
  readonly requeueAfterMs?: number;
}

/** A failure that trying again cannot mend; the key rests until something changes. */
export class TerminalError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TerminalError';
  }
}

// A reconciler with nothing to say returns nothing; `undefined` in the type would force a return statement.
// biome-ignore lint/suspicious/noConfusingVoidType: see above
export type Reconcile = (key: string, context: ReconcileContext) => Promise<Result | void>;

export interface ReconcileContext {
  /** Aborted when the controller stops or the reconcile takes too long. */
  readonly signal: AbortSignal;
  readonly log: World['log'];
}

export interface ControllerOptions {
  /** As in metrics and logs: `widget.lifecycle`. */
  readonly name: string;
  readonly world: World;
  readonly reconcile: Reconcile;
  readonly sources?: readonly Source[];
  /** Keys worked on at once. Default 1. */
  readonly concurrency?: number;
  /** Default: 5 ms … 1000 s for each key. */
  readonly limiter?: ItemLimiter;
  /** The context's signal is aborted after this long. Default: never. */
  readonly timeoutMs?: number;
}

export class Controller {
  readonly name: string;
  readonly queue: WorkQueue;
  readonly #options: ControllerOptions;
  readonly #metrics: ControllerMetrics;
  readonly #stop = new AbortController();
  readonly #unsubscribe: (() => void)[] = [];
  #workers: Promise<void>[] = [];
  #started: Promise<void> | undefined;
  #reconciles = 0;

  constructor(options: ControllerOptions) {
    this.name = options.name;
    this.#options = options;
    this.#metrics = controllerMetrics(options.world.metrics, options.name, options.concurrency ?? 1);
    this.queue = new WorkQueue({
      name: options.name,
      world: options.world,
      ...(options.limiter ? { limiter: options.limiter } : {}),
    });
  }

  /** Asks for a reconcile from outside of any source. */
  enqueue(key: string, options?: AddOptions): void {
    this.queue.add(key, options);
  }

  /** Subscribes at once, works when every source has its first list. */
  start(): Promise<void> {
    this.#started ??= this.#start();
    return this.#started;
  }

  /** Takes nothing more and waits for what runs. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error(`controller ${this.name} was stopped`));
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    await this.queue.shutDown();
    await Promise.all(this.#workers);
  }

  async #start(): Promise<void> {
    const { sources = [], concurrency = 1, world } = this.#options;
    const log = world.log.with({ controller: this.name });
    for (const source of sources) this.#unsubscribe.push(source.start(this.queue, log));
    await Promise.race([Promise.all(sources.map((source) => source.synced)), aborted(this.#stop.signal)]);
    if (this.#stop.signal.aborted) return;
    this.#workers = Array.from({ length: concurrency }, () => this.#work());
  }

  async #work(): Promise<void> {
    for (let taken = await this.queue.take(); taken; taken = await this.queue.take()) {
      try {
        await this.#once(taken.key, taken.priority);
      } finally {
        this.queue.done(taken.key);
      }
    }
  }

  async #once(key: string, priority: number): Promise<void> {
    const { world, timeoutMs, reconcile } = this.#options;
    const startMs = world.clock.monotonic();
    const log = world.log.with({ controller: this.name, ...logKey(key), reconcile: ++this.#reconciles });
    const reason = () => {
      this.#metrics.timedOut();
      return new Error(`the reconcile took longer than ${timeoutMs} ms`);
    };
    const { signal, release } = linkedAbort(
      this.#stop.signal,
      timeoutMs === undefined ? {} : { limit: { clock: world.clock, afterMs: timeoutMs, reason } },
    );
    this.#metrics.started();
    try {
      const result = (await reconcile(key, { signal, log })) ?? {};
      this.queue.forget(key);
      // At least a tick, so that a key that always comes back at once leaves room for everything else.
      if (result.requeueAfterMs !== undefined)
        this.queue.add(key, { afterMs: result.requeueAfterMs === 0 ? 1 : result.requeueAfterMs, priority });
      this.#metrics.finished(result.requeueAfterMs === undefined ? 'success' : 'requeue_after');
    } catch (error) {
      this.#failed(key, priority, error, log);
    } finally {
      release();
      this.#metrics.ended((world.clock.monotonic() - startMs) / 1000);
    }
  }

  #failed(key: string, priority: number, error: unknown, log: World['log']): void {
    if (this.#stop.signal.aborted) return;
    if (isApiError(error, 'conflict', 'fenced')) {
      // Somebody was faster: the next look, at what they wrote, is the cure. Or the lease ran out: if it is renewed
      // after all the key is ours to finish, else this process is about to end.
      this.#metrics.finished('requeue');
      log.debug('reconcile requeued', { error: error.message });
      this.queue.addRateLimited(key, { priority });
      return;
    }
    this.#metrics.finished('error');
    if (isBug(error)) this.#metrics.panicked();
    if (error instanceof TerminalError) {
      this.#metrics.terminal();
      this.queue.forget(key);
      log.error('reconcile failed with a terminal error', { error });
      return;
    }
    log.error('reconcile failed', { error, failures: this.queue.failures(key) + 1 });
    this.queue.addRateLimited(key, { priority });
  }
}

// ------------------------------------------------------------------------------------------------

function logKey(key: string): Record<string, string> {
  const { name, namespace } = parseKey(key);
  return { ...(namespace ? { namespace } : {}), ...(name ? { name } : {}) };
}

/** What Go would call a panic: a mistake in the program, not a refusal of the world. */
function isBug(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  return (
    error instanceof TypeError ||
    error instanceof RangeError ||
    error instanceof ReferenceError ||
    error.name === 'AssertionError' ||
    error.name === 'UnconditionalWrite'
  );
}
