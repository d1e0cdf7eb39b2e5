/**
 * Threads that play what they are given, in the order in which it was asked for. A run needs a thread to itself, because it
 * has the globals; and a thread reads the sources as they are, without a bundler in between.
 */
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { Outcome, Play } from './play.ts';

/** What does not end in this time of the machine's own is wrong too. */
const LONGEST_MS = 10 * 60_000;
/** Threads are not for ever: what a dead process of ours waits for stays in memory. */
const PLAYS_OF_A_THREAD = 150;

export class Threads {
  readonly #idle: Thread[] = [];
  readonly #waiting: ((thread: Thread) => void)[] = [];

  constructor(count = availableParallelism()) {
    for (let at = 0; at < count; at++) this.#idle.push(new Thread());
  }

  async play(play: Play): Promise<Outcome> {
    const thread = this.#idle.pop() ?? (await new Promise<Thread>((resolve) => this.#waiting.push(resolve)));
    try {
      return await thread.play(play);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(thread);
      else next(thread);
    }
  }

  /** When nothing is played any more. */
  async close(): Promise<void> {
    for (const thread of this.#idle) await thread.end();
  }
}

// ---------------------------------------------------------------------------------------------------

class Thread {
  #worker: Worker | undefined;
  #left = 0;

  async play(play: Play): Promise<Outcome> {
    if (this.#left === 0) await this.end();
    this.#worker ??= new Worker(new URL('./thread.ts', import.meta.url), { execArgv: [] });
    this.#left = (this.#left || PLAYS_OF_A_THREAD) - 1;
    try {
      return await answer(this.#worker, play);
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

function answer(worker: Worker, play: Play): Promise<Outcome> {
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
      () => onError(new Error(`did not end in ${LONGEST_MS / 60_000} minutes`)),
      LONGEST_MS,
    );
    worker.on('message', onMessage);
    worker.on('error', onError);
    worker.postMessage(play);
  });
}
