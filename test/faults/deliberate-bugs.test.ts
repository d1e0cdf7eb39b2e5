import { describe, expect, test } from 'vitest';
import { playBugStory } from './bug-story.ts';
import { CHECKS } from './checks/index.ts';
import { DELIBERATE_BUGS } from './deliberate-bugs.ts';
import { complaints, PATIENCE_MS } from './seed-suite.ts';

describe('the checkers', () => {
  test(
    'find nothing wrong with the story that all bugs are played in',
    async () => {
      expect(complaints(await playBugStory({}))).toEqual([]);
    },
    PATIENCE_MS,
  );

  test.each(DELIBERATE_BUGS)(
    'find out when $name',
    { timeout: PATIENCE_MS },
    async ({ foundBy, seams, day }) => {
      const { violations } = await playBugStory(seams, day);
      expect(violations.map(({ check }) => check)).toContain(foundBy);
    },
  );

  test('are at least as many as the bugs need, and each bug is named once', () => {
    expect(DELIBERATE_BUGS.length).toBeGreaterThanOrEqual(12);
    expect(new Set(DELIBERATE_BUGS.map(({ name }) => name)).size).toBe(DELIBERATE_BUGS.length);
    expect(CHECKS.length).toBeGreaterThanOrEqual(12);
  });
});
