/** Steps and checks of a long suite: a plain line for each, the time of each step, and the count at the end. */
import { performance } from 'node:perf_hooks';
import type { Program } from './program.ts';

/** What a step gets. */
export interface Stage {
  readonly suite: Suite;
  /** An empty folder, removed at the end. */
  readonly folder: string;
  /** The installed program. */
  readonly chandler: Program;
}

export class Suite {
  #passed = 0;
  #failed = 0;
  readonly #startMs = performance.now();

  get failed(): number {
    return this.#failed;
  }

  /** False: a check of it failed. What it throws outside of a check counts as a failed check. */
  async step(title: string, work: () => Promise<void>): Promise<boolean> {
    const [startMs, failedBefore] = [performance.now(), this.#failed];
    console.log(`\n== ${title}`);
    try {
      await work();
    } catch (error) {
      this.#fail(title, error);
    }
    console.log(`   ${seconds(performance.now() - startMs)}`);
    return this.#failed === failedBefore;
  }

  async check(title: string, work: () => Promise<void> | void): Promise<void> {
    try {
      await work();
      this.#passed += 1;
      console.log(`ok   ${title}`);
    } catch (error) {
      this.#fail(title, error);
    }
  }

  end(): void {
    console.log(`\n${seconds(performance.now() - this.#startMs)}`);
    console.log(`${this.#passed} passed, ${this.#failed} failed`);
    process.exitCode = this.#failed === 0 ? 0 : 1;
  }

  #fail(title: string, error: unknown): void {
    this.#failed += 1;
    const text = error instanceof Error ? error.message : String(error);
    console.log(`FAIL ${title}\n       ${text.trimEnd().slice(0, LONGEST).replaceAll('\n', '\n       ')}`);
  }
}

// ---------------------------------------------------------------------------------------------------

const LONGEST = 3_000;

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
