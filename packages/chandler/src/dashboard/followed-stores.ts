/**
 * Stores that are followed: first what is in them, in turns of the event loop that are short also with thousands of objects, then
 * every change. A change that comes while the first objects are taken waits until they are.
 */
import { type Clock, type KubeObject, type Store, type StoreChange, turnsOf } from '@chandler/kube';
import type { PageProblems } from './page-problems.ts';

export class FollowedStores {
  readonly #clock: Clock;
  readonly #problems: PageProblems;
  readonly #unsubscribe: (() => void)[] = [];
  /** What was there before. */
  readonly #first: (() => void)[][] = [];
  /** What has changed since; undefined once all that is taken. */
  #early: (() => void)[] | undefined = [];

  constructor(clock: Clock, problems: PageProblems) {
    this.#clock = clock;
    this.#problems = problems;
  }

  /** To be called before `takeFirst`. */
  follow<T extends KubeObject>(store: Store<T>, take: (change: StoreChange<T>) => void): void {
    const changed = this.#problems.guarded(take);
    this.#first.push(
      [...store.values()].map((object) => () => changed({ type: 'added', object, initial: true })),
    );
    this.#unsubscribe.push(
      store.subscribe((change) => {
        if (this.#early === undefined) changed(change);
        else this.#early.push(() => changed(change));
      }),
    );
  }

  async takeFirst(): Promise<void> {
    const turns = turnsOf(this.#clock);
    for (const take of this.#first.splice(0).flat()) {
      take();
      await turns.pass();
    }
    // More of them may come between two turns.
    const early = this.#early ?? [];
    for (let at = 0; at < early.length; at++) {
      early[at]!();
      await turns.pass();
    }
    this.#early = undefined;
  }

  stop(): void {
    for (const unsubscribe of this.#unsubscribe) unsubscribe();
  }
}
