import { afterAll, describe, expect, test } from 'vitest';
import { DELIBERATE_BUGS } from './deliberate-bugs.ts';
import { complaints, type Outcome, type Play } from './play.ts';
import { REGRESSIONS } from './regressions.table.ts';
import { Threads } from './threads.ts';

/** Of the drawn ones, in every run of the tests. `node test/faults/deep.ts` plays thousands. */
const SEEDS = 100;
const AT_A_TIME = 5;
/** Of the small story's effects; `node test/faults/deep.ts` takes all of them. */
const EVERY = 29;
/** For a machine that has other things to do. */
const PATIENCE_MS = 900_000;

const threads = new Threads();
afterAll(() => threads.close());

describe.concurrent('a bad day, drawn from a seed', { timeout: PATIENCE_MS }, () => {
  for (let first = 1; first <= SEEDS; first += AT_A_TIME) {
    const seeds = Array.from({ length: AT_A_TIME }, (_, at) => first + at);
    test(`seeds ${first} to ${seeds.at(-1)}: nothing is wrong, and the world comes to rest`, async () => {
      expect(await wrongWith(seeds.map((seed): Play => ({ kind: 'seed', seed })))).toEqual([]);
    });
  }

  test('gives the same events every time it is played, and another seed others', async () => {
    const [first, second, other] = await playAll([
      { kind: 'seed', seed: 3 },
      { kind: 'seed', seed: 3 },
      { kind: 'seed', seed: 4 },
    ]);
    expect(first!.events).toBeGreaterThan(1_000);
    expect(first!.digest).toMatch(/^[0-9a-f]{16}$/);
    expect(second!.digest).toBe(first!.digest);
    expect(other!.digest).not.toBe(first!.digest);
  });
});

describe.concurrent('what was wrong once', { timeout: PATIENCE_MS }, () => {
  for (const { what, seed, day } of REGRESSIONS) {
    test(what, async () => {
      const plays: Play[] = [];
      if (seed !== undefined && seed > SEEDS) plays.push({ kind: 'seed', seed });
      if (day !== undefined) plays.push({ kind: 'day', day });
      expect(await wrongWith(plays)).toEqual([]);
    });
  }
});

describe.concurrent('a process that dies', { timeout: PATIENCE_MS }, () => {
  test(`at the n-th effect, for every ${EVERY}th n of a story of hundreds, is followed by one that finishes its work`, async () => {
    const [calm] = await playAll([{ kind: 'crash', effect: 0 }]);
    expect(calm!.violations).toEqual([]);
    expect(calm!.effects).toBeGreaterThan(200);
    const plays = Array.from(
      { length: Math.ceil(calm!.effects / EVERY) },
      (_, at): Play => ({ kind: 'crash', effect: 1 + at * EVERY }),
    );
    const outcomes = await playAll(plays);
    expect(outcomes.map(({ processes }) => processes)).toEqual(plays.map(() => 2));
    expect(outcomes.flatMap((outcome, at) => complaints(plays[at]!, outcome))).toEqual([]);
  });

  test('exactly when Azure has accepted its machine, and before the claim says so, leaves one machine and one claim', async () => {
    const plays = [/^arm PUT .*\/networkInterfaces\//, /^arm PUT .*\/virtualMachines\//].map(
      (answer): Play => ({ kind: 'crash', effect: 0, answer }),
    );
    const outcomes = await playAll(plays);
    expect(outcomes.map(({ processes }) => processes)).toEqual([2, 2]);
    expect(outcomes.flatMap((outcome, at) => complaints(plays[at]!, outcome))).toEqual([]);
  });
});

describe.concurrent('the checkers', { timeout: PATIENCE_MS }, () => {
  test('find nothing wrong with the story that all bugs are played in', async () => {
    expect(await wrongWith([{ kind: 'day', day: {} }])).toEqual([]);
  });

  test.each(DELIBERATE_BUGS)('find out when $name', async ({ name, foundBy }) => {
    const { violations } = await threads.play({ kind: 'bug', bug: name });
    expect(violations.map(({ check }) => check)).toContain(foundBy);
  });

  test('are tried with at least twelve bugs, each named once', () => {
    expect(DELIBERATE_BUGS.length).toBeGreaterThanOrEqual(12);
    expect(new Set(DELIBERATE_BUGS.map(({ name }) => name)).size).toBe(DELIBERATE_BUGS.length);
  });
});

// ---------------------------------------------------------------------------------------------------

function playAll(plays: readonly Play[]): Promise<readonly Outcome[]> {
  return Promise.all(plays.map((play) => threads.play(play)));
}

async function wrongWith(plays: readonly Play[]): Promise<readonly string[]> {
  const outcomes = await playAll(plays);
  return outcomes.flatMap((outcome, at) => complaints(plays[at]!, outcome));
}
