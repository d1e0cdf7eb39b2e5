/**
 * What `npm test` runs of tests that take minutes: a part, always the same one. `CHANDLER_TESTS=all` runs all of them, as `.ci/run`
 * does, which names every file that uses this one (`scripts/ci.test.ts`).
 */
export const RUNS_ALL: boolean = process.env['CHANDLER_TESTS'] === 'all';

/** Every n-th, and says so. */
export function everyNth<T>(what: string, all: readonly T[], n: number): readonly T[] {
  if (RUNS_ALL) return all;
  const part = all.filter((_, at) => at % n === 0);
  console.log(`${part.length} of ${all.length} ${what}; ${ALL_RUNS}`);
  return part;
}

/** Of so many random ones, and says so. */
export function someOf(what: string, all: number, some: number): number {
  if (RUNS_ALL) return all;
  console.log(`${some} of ${all} ${what}; ${ALL_RUNS}`);
  return some;
}

/** For `test.runIf`: whether to run what `npm test` leaves out as a whole, and says so. Call it once for a file. */
export function inFull(what: string): boolean {
  if (!RUNS_ALL) console.log(`left out: ${what}; ${ALL_RUNS}`);
  return RUNS_ALL;
}

// ---------------------------------------------------------------------------------------------------

const ALL_RUNS = 'CHANDLER_TESTS=all runs all, as .ci/run does';
