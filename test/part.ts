/**
 * What `npm test` runs of tests that take minutes: a part, always the same one. `CHANDLER_TESTS=all` runs all of them, as `.ci/run`
 * does.
 */
export const RUNS_ALL: boolean = process.env['CHANDLER_TESTS'] === 'all';

/** Every n-th, and says so. */
export function everyNth<T>(what: string, all: readonly T[], n: number): readonly T[] {
  if (RUNS_ALL) return all;
  const part = all.filter((_, at) => at % n === 0);
  console.log(`${part.length} of ${all.length} ${what}; CHANDLER_TESTS=all runs all, as .ci/run does`);
  return part;
}
