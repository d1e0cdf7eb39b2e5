/**
 * Background tasks beside the controllers: started together, stopped together. One that fails is logged and restarted
 * after a delay.
 */
import type { World } from '@chandler/kube';
import type { BackgroundTask } from '../cloud/index.ts';

const RESTART_DELAY_MS = 30_000;

export class Background {
  readonly #world: World;
  readonly #failed: (task: string, error: unknown) => void;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>[] = [];

  /** @param failed is called with every error. */
  constructor(world: World, failed: (task: string, error: unknown) => void = () => undefined) {
    this.#world = world;
    this.#failed = failed;
  }

  start(task: BackgroundTask): void {
    this.#running.push(this.#run(task));
  }

  async stop(): Promise<void> {
    this.#stop.abort(new Error('the operator was stopped'));
    await Promise.all(this.#running);
  }

  async #run({ name, run }: BackgroundTask): Promise<void> {
    const { log, clock } = this.#world;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await run(signal);
      } catch (error) {
        if (!signal.aborted) {
          log.error('background task failed', { task: name, error });
          this.#failed(name, error);
        }
      }
      if (!signal.aborted) await clock.sleep(RESTART_DELAY_MS, signal).catch(() => undefined);
    }
  }
}
