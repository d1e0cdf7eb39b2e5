/** Seeds as tests: some at a time, and what is wrong is told with the command that replays it. */
import { expect, test } from 'vitest';
import { runTrial, type TrialResult } from './trial.ts';

const AT_A_TIME = 5;
/** For a machine that has other things to do. */
export const PATIENCE_MS = 600_000;

export function holdSeeds(from: number, to: number): void {
  for (let first = from; first <= to; first += AT_A_TIME) {
    const last = Math.min(to, first + AT_A_TIME - 1);
    test(
      `seeds ${first} to ${last}: nothing is wrong, and the world comes to rest`,
      async () => {
        const wrong: string[] = [];
        for (let seed = first; seed <= last; seed++) wrong.push(...complaints(await runTrial({ seed })));
        expect(wrong).toEqual([]);
      },
      PATIENCE_MS,
    );
  }
}

export function complaints({ seed, violations }: TrialResult): readonly string[] {
  return violations.map(
    ({ check, what, atMs }) =>
      `node test/faults/run.ts --seed ${seed}: at ${(atMs / 1000).toFixed(1)} s ${check}: ${what}`,
  );
}
