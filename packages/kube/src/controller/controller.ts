/**
 * Runs a reconciler: takes keys from a queue, up to a maximum at once, and requeues failed keys with a backoff. A
 * request is only a key: the reconciler reads the current state. An error in one reconciler does not stop another.
 */
import type { Source } from '../cache/sources.ts';
import { isApiError } from '../client/api-error.ts';
import { aborted, linkedAbort } from '../client/linked-abort.ts';
import { parseKey } from '../client/resource.ts';
import { countProgramError, isProgramError } from '../program-error.ts';
import type { Timer, World } from '../world.ts';
import { type ControllerMetrics, controllerMetrics } from './controller-metrics.ts';
import type { ItemLimiter } from './rate-limiter.ts';
import { type Turns, turnsOf } from './turns.ts';
import { type AddOptions, WorkQueue } from './work-queue.ts';

/** Empty: reconcile at the next change. `requeueAfterMs`: also after this time (at least one millisecond). */
export interface Result {
  readonly requeueAfterMs?: number;
}

/** A failure that a retry cannot fix: the key is not requeued until its object changes. */
export class TerminalError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'TerminalError';
  }
}

// A reconciler without a result returns nothing; `undefined` in the type would force a return statement.
// biome-ignore lint/suspicious/noConfusingVoidType: see above
export type Reconcile = (key: string, context: ReconcileContext) => Promise<Result | void>;

export interface ReconcileContext {
  /** Aborted when the controller stops, also after a lost lease, or the reconcile takes too long. */
  readonly signal: AbortSignal;
  /** Its lines carry the controller, the object and the reconcile id. */
  readonly log: World['log'];
}

export interface ControllerOptions {
  /** As in metrics and logs: `widget.lifecycle`. */
  readonly name: string;
  readonly world: World;
  readonly reconcile: Reconcile;
  readonly sources?: readonly Source[];
  /** Maximum concurrent reconciles. Default 1. */
  readonly concurrency?: number;
  /** Default: 5 ms … 1000 s for each key. */
  readonly limiter?: ItemLimiter;
  /**
   * The context's signal is aborted after this long, and the worker is released soon after, also when the reconcile
   * ignores the signal. Default 10 min.
   */
  readonly timeoutMs?: number;
}

/** After this many reconciles a controller lets timers and I/O run. */
const RECONCILES_PER_TURN = 20;
/** @param key of the object that was reconciled. */
export type ProgramErrorListener = (key: string, error: unknown) => void;

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
  #sinceYield = 0;
  readonly #turns: Turns;
  /** Workers that wait for their next turn; a stop does not wait for it. */
  readonly #yielding = new Set<() => void>();
  #programError: ProgramErrorListener | undefined;

  constructor(options: ControllerOptions) {
    this.name = options.name;
    this.#options = options;
    this.#turns = turnsOf(options.world.clock);
    this.#metrics = controllerMetrics(options.world.metrics, options.name, options.concurrency ?? 1);
    // Starts at zero, so that a rate includes the first error.
    countProgramError(options.world.metrics, options.name, 0);
    this.queue = new WorkQueue({
      name: options.name,
      world: options.world,
      ...(options.limiter ? { limiter: options.limiter } : {}),
    });
  }

  /** Called for every reconcile that fails with an error of the program. */
  onProgramError(listener: ProgramErrorListener): void {
    this.#programError = listener;
  }

  /** Requests a reconcile without a source. */
  enqueue(key: string, options?: AddOptions): void {
    this.queue.add(key, options);
  }

  /** Subscribes at once, reconciles when every source is synced. */
  start(): Promise<void> {
    this.#started ??= this.#start();
    return this.#started;
  }

  /** Aborts the running reconciles and waits for their end. */
  async stop(): Promise<void> {
    this.#stop.abort(new Error(`controller ${this.name} was stopped`));
    for (const unsubscribe of this.#unsubscribe.splice(0)) unsubscribe();
    for (const done of this.#yielding) done();
    await this.queue.shutDown();
    await Promise.all(this.#workers);
  }

  async #start(): Promise<void> {
    const { sources = [], concurrency = 1, world } = this.#options;
    const log = world.log.with({ controller: this.name });
    for (const source of sources) this.#unsubscribe.push(source.start(this.queue, log, this.#turns));
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
      await this.#yield();
    }
  }

  /** Reconciles that wait for nothing would otherwise run in one turn of the event loop, and hold up everything else. */
  async #yield(): Promise<void> {
    if (this.#stop.signal.aborted) return;
    this.#sinceYield += 1;
    const turn = this.#turns.pass();
    if (turn === undefined && this.#sinceYield < RECONCILES_PER_TURN) return;
    this.#sinceYield = 0;
    const next = turn ?? this.#options.world.clock.sleep(0);
    await new Promise<void>((resolve) => {
      const done = () => {
        this.#yielding.delete(done);
        resolve();
      };
      this.#yielding.add(done);
      void next.then(done);
    });
  }

  async #once(key: string, priority: number): Promise<void> {
    const { world, timeoutMs = DEFAULT_TIMEOUT_MS, reconcile } = this.#options;
    const startMs = world.clock.monotonic();
    const log = world.log.with({ controller: this.name, ...logKey(key), reconcile: ++this.#reconciles });
    let abandon: (error: Error) => void = () => undefined;
    let grace: Timer | undefined;
    const abandoned = new Promise<never>((_, reject) => {
      abandon = reject;
    });
    const reason = () => {
      this.#metrics.timedOut();
      const error = new Error(`the reconcile took longer than ${timeoutMs} ms`);
      grace = world.clock.after(GRACE_MS, () => abandon(error));
      return error;
    };
    const { signal, release } = linkedAbort(this.#stop.signal, {
      limit: { clock: world.clock, afterMs: timeoutMs, reason },
    });
    this.#metrics.started();
    try {
      const result = (await Promise.race([reconcile(key, { signal, log }), abandoned])) ?? {};
      this.queue.forget(key);
      // At least 1 ms, so that a key that requeues itself at once does not starve the others.
      if (result.requeueAfterMs !== undefined)
        this.queue.add(key, { afterMs: result.requeueAfterMs === 0 ? 1 : result.requeueAfterMs, priority });
      this.#metrics.finished(result.requeueAfterMs === undefined ? 'success' : 'requeue_after');
    } catch (error) {
      this.#failed(key, priority, error, log);
    } finally {
      release();
      grace?.cancel();
      this.#metrics.ended((world.clock.monotonic() - startMs) / 1000);
    }
  }

  #failed(key: string, priority: number, error: unknown, log: World['log']): void {
    if (this.#stop.signal.aborted) return;
    if (isApiError(error, 'conflict', 'fenced')) {
      // Another writer changed the object: the next reconcile reads the new version. Or the lease expired: if it is
      // renewed the reconcile continues, else this process ends.
      this.#metrics.finished('requeue');
      log.debug('reconcile requeued', { error: error.message });
      this.queue.addRateLimited(key, { priority });
      return;
    }
    this.#metrics.finished('error');
    // Only a bug throws what is no Error.
    if (isProgramError(error) || !(error instanceof Error)) {
      this.#metrics.panicked();
      countProgramError(this.#options.world.metrics, this.name);
      this.#programError?.(key, error);
    }
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

const DEFAULT_TIMEOUT_MS = 10 * 60_000;

/** From the abort of a reconcile until its worker is released. Its client rejects every further request. */
const GRACE_MS = 10_000;

function logKey(key: string): Record<string, string> {
  const { name, namespace } = parseKey(key);
  return { ...(namespace ? { namespace } : {}), ...(name ? { name } : {}) };
}
