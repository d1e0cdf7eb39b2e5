/**
 * A pool of worker threads that execute runs in the order of submission. A run needs its own thread, because
 * it replaces globals, and a thread loads the sources directly, without a bundler.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { FaultRun, Outcome } from './fault-run.ts';

/** A run that takes longer in real time fails. */
const TIMEOUT_MS = 10 * 60_000;
/** Threads are replaced: promises of killed processes stay in memory. */
const MAX_RUNS_PER_THREAD = 150;

export class Threads {
  readonly #idle: Thread[] = [];
  readonly #waiting: ((thread: Thread) => void)[] = [];

  constructor(count = availableParallelism()) {
    for (let at = 0; at < count; at++) this.#idle.push(new Thread());
  }

  async run(run: FaultRun): Promise<Outcome> {
    const thread = this.#idle.pop() ?? (await new Promise<Thread>((resolve) => this.#waiting.push(resolve)));
    try {
      return await thread.run(run);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(thread);
      else next(thread);
    }
  }

  /** Call it when no run is in progress. */
  async close(): Promise<void> {
    for (const thread of this.#idle) await thread.end();
  }
}

// ---------------------------------------------------------------------------------------------------

class Thread {
  #worker: Worker | undefined;
  #left = 0;

  async run(run: FaultRun): Promise<Outcome> {
    if (this.#left === 0) await this.end();
    this.#worker ??= new Worker(new URL('./thread.ts', import.meta.url), {
      execArgv: [],
      // Most objects of a run live shortly: with room for them there is less to collect.
      resourceLimits: { maxYoungGenerationSizeMb: 64 },
    });
    this.#left = (this.#left || MAX_RUNS_PER_THREAD) - 1;
    try {
      return await answer(this.#worker, run);
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  async end(): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    this.#left = 0;
    await worker?.terminate();
  }
}

function answer(worker: Worker, run: FaultRun): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(timer);
      worker.off('message', onMessage);
      worker.off('error', onError);
      act();
    };
    const onMessage = (outcome: Outcome) => settle(() => resolve(outcome));
    const onError = (error: Error) => settle(() => reject(error));
    const timer = setTimeout(
      () => onError(new Error(`did not end in ${TIMEOUT_MS / 60_000} minutes`)),
      TIMEOUT_MS,
    );
    worker.on('message', onMessage);
    worker.on('error', onError);
    worker.postMessage(run);
  });
}
