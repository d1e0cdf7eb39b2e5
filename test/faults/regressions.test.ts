import { describe, expect, test } from 'vitest';
import { playBugStory } from './bug-story.ts';
import { REGRESSIONS } from './regressions.table.ts';
import { complaints, PATIENCE_MS } from './seed-suite.ts';
import { runTrial } from './trial.ts';

/** Those are among the seeds of every run anyway. */
const EVERY_RUN = 100;

describe('what was wrong once', () => {
  for (const { what, seed, day } of REGRESSIONS) {
    test(
      what,
      async () => {
        if (seed > EVERY_RUN) expect(complaints(await runTrial({ seed }))).toEqual([]);
        if (day !== undefined) expect(complaints(await playBugStory({}, day))).toEqual([]);
      },
      PATIENCE_MS,
    );
  }
});
