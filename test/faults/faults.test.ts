import { afterAll, describe, expect, test } from 'vitest';
import { CLOUD_NAMES, type CloudName, DEFAULT_CLOUD } from './clouds.ts';
import { deliberateBugs } from './deliberate-bugs.ts';
import { SITUATION_NAMES } from './disruption-workload.ts';
import { type FaultRun, failureLines, type Outcome } from './fault-run.ts';
import { REGRESSIONS } from './regressions.table.ts';
import { Threads } from './threads.ts';

/** `npm test` runs a part of them; CI runs all (`npm run test:faults:all`), and `node test/faults/deep.ts` thousands of seeds. */
const ALL = process.env['CHANDLER_FAULTS'] === 'all';
/** Random seeds, the first and the last. */
const SEEDS: Readonly<Record<CloudName, readonly [number, number]>> = ALL
  ? { azure: [1, 100], aws: [1, 100] }
  : { azure: [1, 2], aws: [3, 4] };
const SEEDS_PER_TEST = ALL ? 4 : 2;
/** Every n-th effect of the small workload; `node test/faults/deep.ts` runs all of them. */
const EVERY: Readonly<Record<CloudName, number>> = ALL ? { azure: 29, aws: 29 } : { azure: 211, aws: 431 };
/** Every n-th regression, and every n-th deliberate bug, of which there are twice as many. */
const PART = ALL ? 1 : 18;
const BUG_PART = ALL ? 1 : 42;
if (!ALL)
  console.log(
    `faults: ${CLOUD_NAMES.map((cloud) => `seeds ${SEEDS[cloud].join(' to ')} of ${cloud}`).join(', ')}, every ${PART}th regression and every ${BUG_PART}th deliberate bug; npm run test:faults:all runs all of them`,
  );
/** Generous, for a busy machine. */
const TIMEOUT_MS = 900_000;

const BUGS = await deliberateBugs();
const threads = new Threads();
afterAll(() => threads.close());

describe.concurrent.each(CLOUD_NAMES)(
  'a random workload with random faults on %s',
  { timeout: TIMEOUT_MS },
  (cloud) => {
    const [firstSeed, lastSeed] = SEEDS[cloud];
    const outcomes = new Map<number, Outcome>();
    const running = new Map<number, Promise<Outcome>>();
    /** Of one run for all tests. */
    const outcomeOf = async (seed: number) => {
      const run = running.get(seed) ?? threads.run({ cloud, kind: 'seed', seed });
      running.set(seed, run);
      outcomes.set(seed, await run);
      return run;
    };
    for (let first = firstSeed; first <= lastSeed; first += SEEDS_PER_TEST) {
      const seeds = Array.from({ length: SEEDS_PER_TEST }, (_, at) => first + at);
      test(`seeds ${first} to ${seeds.at(-1)}: no violations, and the cluster converges`, async () => {
        const runs = seeds.map((seed): FaultRun => ({ cloud, kind: 'seed', seed }));
        const ended = await Promise.all(seeds.map(outcomeOf));
        expect(runs.flatMap((run, at) => failureLines(run, ended[at]!))).toEqual([]);
      });
    }

    // A test would run beside the others.
    afterAll(() => {
      if (outcomes.size <= lastSeed - firstSeed) return;
      const commands = [...outcomes.values()].flatMap((outcome) => Object.entries(outcome.commands));
      const count = (method: string) =>
        commands.reduce((sum, [name, times]) => sum + (name.startsWith(method) ? times : 0), 0);
      const counts = ['drift', 'emptiness', 'single-node', 'multi-node'].map(count);
      console.log(
        `faults: commands of drift, emptiness, single-node and multi-node on ${cloud}: ${counts.join(', ')}`,
      );
      // There are few commands for several nodes, and some in the bug workloads.
      for (const times of ALL ? counts.slice(0, 3) : [Math.max(...counts)]) expect(times).toBeGreaterThan(0);
    });

    test('a seed always produces the same events, and another seed produces others', async () => {
      const [first, second, other] = await Promise.all([
        outcomeOf(firstSeed),
        threads.run({ cloud, kind: 'seed', seed: firstSeed }),
        outcomeOf(firstSeed + 1),
      ]);
      expect(first.events).toBeGreaterThan(1_000);
      expect(first.digest).toMatch(/^[0-9a-f]{16}$/);
      expect(second.digest).toBe(first.digest);
      expect(other.digest).not.toBe(first.digest);
    });
  },
);

describe.concurrent('regressions', { timeout: TIMEOUT_MS }, () => {
  for (const { what, cloud = DEFAULT_CLOUD, seed, scenario } of partOf(REGRESSIONS, PART)) {
    test(what, async () => {
      const runs: FaultRun[] = [];
      if (seed !== undefined && !isRun(cloud, seed)) runs.push({ cloud, kind: 'seed', seed });
      if (scenario !== undefined) runs.push({ cloud, kind: 'scenario', scenario });
      expect(await failuresOf(runs)).toEqual([]);
    });
  }
});

/** After the cloud accepted the instance, and before the NodeClaim is updated. */
const ACCEPTED: Readonly<Record<CloudName, readonly RegExp[]>> = {
  azure: [/^arm PUT .*\/networkInterfaces\//, /^arm PUT .*\/virtualMachines\//],
  aws: [/^aws POST ec2:CreateLaunchTemplate 200/, /^aws POST ec2:CreateFleet 200/],
};

describe.concurrent.each(CLOUD_NAMES)('a crashed process on %s', { timeout: TIMEOUT_MS }, (cloud) => {
  test(`a crash at every ${EVERY[cloud]}th effect of the small workload: the next process finishes the work`, async () => {
    const [calm] = await runAllOf([{ cloud, kind: 'crash', effect: 0 }]);
    expect(calm!.violations).toEqual([]);
    expect(calm!.effects).toBeGreaterThan(200);
    const runs = Array.from(
      { length: Math.ceil(calm!.effects / EVERY[cloud]) },
      (_, at): FaultRun => ({ cloud, kind: 'crash', effect: 1 + at * EVERY[cloud] }),
    );
    const outcomes = await runAllOf(runs);
    expect(outcomes.map(({ processes }) => processes)).toEqual(runs.map(() => 2));
    expect(outcomes.flatMap((outcome, at) => failureLines(runs[at]!, outcome))).toEqual([]);
  });

  test('a crash after the cloud accepted the instance and before the NodeClaim is updated leaves one of each', async () => {
    const runs = ACCEPTED[cloud].map((answer): FaultRun => ({ cloud, kind: 'crash', effect: 0, answer }));
    const outcomes = await runAllOf(runs);
    expect(outcomes.map(({ processes }) => processes)).toEqual([2, 2]);
    expect(outcomes.flatMap((outcome, at) => failureLines(runs[at]!, outcome))).toEqual([]);
  });
});

describe.concurrent('the checkers', { timeout: TIMEOUT_MS }, () => {
  test.each(CLOUD_NAMES)('find no violation in the bug workload without a bug on %s', async (cloud) => {
    expect(await failuresOf([{ cloud, kind: 'scenario', scenario: {} }])).toEqual([]);
  });

  test.each(CLOUD_NAMES)(
    'find no violation in the situations of disruption without a bug on %s',
    async (cloud) => {
      const scenario = { disruption: partOf(SITUATION_NAMES, PART) };
      expect(await failuresOf([{ cloud, kind: 'scenario', scenario }])).toEqual([]);
    },
  );

  test.each(partOf(BUGS, BUG_PART))('find the deliberate bug: $name', async ({ name, foundBy }) => {
    const { violations } = await threads.run({ kind: 'bug', bug: name });
    expect(violations.map(({ check }) => check)).toContain(foundBy);
  });

  test('are tested with at least twelve bugs, each with a unique name', () => {
    expect(BUGS.length).toBeGreaterThanOrEqual(12);
    expect(new Set(BUGS.map(({ name }) => name)).size).toBe(BUGS.length);
  });
});

// ---------------------------------------------------------------------------------------------------

/** With the random seeds. */
function isRun(cloud: CloudName, seed: number): boolean {
  const [first, last] = SEEDS[cloud];
  return seed >= first && seed <= last;
}

function partOf<T>(all: readonly T[], part: number): readonly T[] {
  return all.filter((_, at) => at % part === 0);
}

function runAllOf(runs: readonly FaultRun[]): Promise<readonly Outcome[]> {
  return Promise.all(runs.map((run) => threads.run(run)));
}

async function failuresOf(runs: readonly FaultRun[]): Promise<readonly string[]> {
  const outcomes = await runAllOf(runs);
  return outcomes.flatMap((outcome, at) => failureLines(runs[at]!, outcome));
}
