/**
 * Work in pieces: a generator that yields between pieces of some milliseconds, so that its caller can let others run. What
 * it computes does not depend on when it goes on.
 */
export type Steps<Result = void> = Generator<undefined, Result, undefined>;

/** In one piece. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
