/** Why a container is restarted again and again, asked between its runs, from the few events that a kubelet sends. */
import { describe, expect, test } from 'vitest';
import { podIsWell } from '../../causes/index.ts';
import { evidence } from '../../causes/testing.ts';

import { type Moment, moments, type Program, type Run } from './kubelet.fixture.ts';
import { findings } from './verdict.fixture.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const PAUSES = 40;
const PROBE = 'L7.4';

/** The program answers its probes for a time, and then no more: the third failure stops it. */
function stopped(exitCode: number, { answersMs = 0, endsMs = 0 } = {}) {
  return (index: number): Run => {
    const firstMs = answersMs + 10 * SECOND_MS + ((index * 3700) % 10_000);
    const killedMs = firstMs + 20 * SECOND_MS;
    const ranMs = killedMs + (exitCode === 137 ? 30 * SECOND_MS : endsMs);
    return { exitCode, ranMs, killedMs, liveness: [firstMs, firstMs + 10 * SECOND_MS, killedMs] };
  };
}

function alsoUnready(run: Program['run'], everyMs: number): Program {
  return {
    probes: ['liveness', 'readiness'],
    run: (index) => ({ ...run(index), readiness: times(run(index).ranMs, everyMs) }),
  };
}

function times(ranMs: number, everyMs: number): readonly number[] {
  return Array.from({ length: Math.floor(ranMs / everyMs) }, (_, index) => index * everyMs + 1500);
}

const withPort = (count: number) =>
  `Get "http://10.244.1.7:80/": read tcp 10.244.1.1:${41_000 + count}: i/o timeout`;

/** The first five runs ended for another reason. */
function after(early: Run, run: Program['run']): Program {
  return { run: (index) => (index < 5 ? early : run(index)) };
}

/** It ends by itself, and a probe met it now and then. */
function worker(
  exitCode: number,
  ranMs: number,
  liveness: (index: number) => readonly number[] = () => [],
): Program {
  return { run: (index) => ({ exitCode, ranMs, liveness: liveness(index) }) };
}

/** With a startup probe that fails from the first time on: `passes` says after how many failures it does no more. */
function starting(
  [failures, periodMs]: readonly [number, number],
  { exitCode = 0, ranMs, passes = failures }: { exitCode?: number; ranMs?: number; passes?: number },
): Program {
  const earliestMs = (failures - 1) * periodMs;
  return {
    probes: ['startup'],
    stops: { startup: { failures, earliestMs, failingMs: failures * periodMs, graceMs: 30 * SECOND_MS } },
    run: (index) => {
      const firstMs = (index * 370) % periodMs;
      const killedMs = firstMs + earliestMs;
      const stoppedMs = killedMs + (exitCode === 137 ? 30 * SECOND_MS : 1500);
      const startup = Array.from({ length: passes }, (_, each) => firstMs + each * periodMs);
      return ranMs === undefined
        ? { exitCode, ranMs: stoppedMs, startup, killedMs }
        : { exitCode, ranMs, startup: startup.filter((ms) => ms < ranMs) };
    },
  };
}

const headlines = (all: readonly Moment[]) => all.map(({ pod, events }) => findings(pod, events)[0]?.id);
/** After many pauses nothing may be on record of the last hour. */
const isStartupKnown = ({ events }: Moment) =>
  events.events.some(({ reason }) => reason !== 'BackOff' && reason !== 'Pulled');
const isWell = ({ pod, events }: Moment) => podIsWell(evidence([pod, events]));

const LOOPS: readonly (readonly [string, Program])[] = [0, 143, 137].flatMap((code) => [
  [`exit code ${code}`, { run: stopped(code) }] as const,
  [`exit code ${code} some time after the signal`, { run: stopped(code, { endsMs: 20 * SECOND_MS }) }],
  [`exit code ${code}, and never Ready`, alsoUnready(stopped(code), 10 * SECOND_MS)],
  [`exit code ${code}, and never Ready by a quick probe`, alsoUnready(stopped(code), 3 * SECOND_MS)],
  [`exit code ${code}, and ports in the words`, { run: stopped(code), words: withPort }],
  [
    `exit code ${code}, and ports in the words, and never Ready`,
    { ...alsoUnready(stopped(code), 10 * SECOND_MS), words: withPort },
  ],
  [`exit code ${code} after three minutes`, { run: stopped(code, { answersMs: 3 * MINUTE_MS }) }],
  [`exit code ${code} after crashes`, after({ exitCode: 1, ranMs: 3 * SECOND_MS }, stopped(code))],
  [
    `exit code ${code} after lack of memory`,
    after({ exitCode: 137, reason: 'OOMKilled', ranMs: MINUTE_MS }, stopped(code)),
  ],
  [
    `exit code ${code} after reboots`,
    after({ exitCode: 255, reason: 'Unknown', ranMs: MINUTE_MS }, stopped(code)),
  ],
]);

const WORKERS: readonly (readonly [string, Program])[] = [0, 1].flatMap((code) => [
  [`exit code ${code} after a minute`, worker(code, MINUTE_MS)] as const,
  [`exit code ${code}, one failure in each run`, worker(code, MINUTE_MS, () => [12_000])],
  [`exit code ${code}, two failures in each run`, worker(code, MINUTE_MS, () => [11_000, 21_000])],
  [`exit code ${code}, a failure at the end`, worker(code, 2 * MINUTE_MS, () => [110_000])],
  [`exit code ${code}, two failures at the end`, worker(code, 9 * MINUTE_MS, () => [500_000, 530_000])],
  [
    `exit code ${code}, a failure in every third run`,
    worker(code, 5 * MINUTE_MS, (index) => (index % 3 === 0 ? [(index * 17_000) % 300_000] : [])),
  ],
  [
    `exit code ${code}, a failure in each run with a port in its words, and never Ready`,
    {
      ...alsoUnready(worker(code, MINUTE_MS, () => [12_000]).run, 10 * SECOND_MS),
      words: withPort,
    },
  ],
]);

/** Thresholds and periods: of the documentation of Kubernetes, of Helm charts, and of Istio. */
const STARTUPS = [
  [3, 10 * SECOND_MS],
  [12, 10 * SECOND_MS],
  [30, 10 * SECOND_MS],
  [60, 5 * SECOND_MS],
  [60, 10 * SECOND_MS],
  [600, SECOND_MS],
] as const;
const STARTUP_LOOPS = STARTUPS.flatMap(([failures, periodMs]) =>
  [0, 143, 137].map(
    (exitCode) =>
      [
        `${failures} times each ${periodMs / SECOND_MS} s, exit code ${exitCode}`,
        starting([failures, periodMs], { exitCode }),
      ] as const,
  ),
);
/** They end by themselves after about the time that their startup probe gives them. */
const STARTUP_WORKERS = STARTUPS.slice(2).flatMap(([failures, periodMs]) =>
  [0, 143].flatMap((exitCode) =>
    [0, 1, 0.25, 0.5, 0.75, 0.9].map((share) => {
      const passes = share === 1 ? 1 : Math.floor(share * failures);
      const ranMs = failures * periodMs + 5 * SECOND_MS;
      return [
        `${failures} times each ${periodMs / SECOND_MS} s, exit code ${exitCode}, passed after ${passes} failures`,
        starting([failures, periodMs], { exitCode, ranMs, passes }),
      ] as const;
    }),
  ),
);

describe('a container that its startup probe stops in every run', () => {
  test.each(STARTUP_LOOPS)('is explained by it in each run after the first: %s', (_, program) => {
    const known = moments(program, PAUSES, 'start').filter(isStartupKnown);
    expect(known.length).toBeGreaterThan(20);
    expect(headlines(known)).toEqual(known.map(() => 'probes.startup'));
  });

  // After runs of ten minutes there are no pauses.
  test.each(STARTUP_LOOPS.filter(([, { run }]) => run(0).ranMs < 9 * MINUTE_MS))(
    'is explained by it in each pause: %s',
    (_, program) => {
      const known = moments(program, PAUSES, 'back-off').filter(isStartupKnown);
      expect(known.length).toBeGreaterThan(20);
      expect(headlines(known)).toEqual(known.map(() => 'probes.startup'));
    },
  );
});

describe('a container that ends by itself when its startup probe would stop it', () => {
  const brokenStarts = (program: Program) =>
    moments(program, PAUSES, 'start').flatMap(({ index, pod, events }) => {
      const [top] = findings(pod, events);
      return top?.id === 'probes.startup' && top.weight === 'broken' ? [index] : [];
    });

  test.each(STARTUP_WORKERS)('is not explained by it: %s', (_, program) => {
    // What is reported of the first runs may be the same as of one that is stopped.
    expect(brokenStarts(program).filter((index) => index > 4)).toEqual([]);
  });

  test.each(STARTUP_WORKERS.filter(([, { run }]) => run(0).startup!.length < 2))(
    'is not explained by it after the first run either if its probe passes soon: %s',
    (_, program) => {
      expect(brokenStarts(program)).toEqual([]);
    },
  );
});

test.each([0, 143])(
  'a container that ends by itself, with code %i, long before its startup probe stops it is not explained by it',
  (exitCode) => {
    const program = starting([30, 10 * SECOND_MS], { exitCode, ranMs: 3 * MINUTE_MS });
    const all = moments(program, PAUSES, 'back-off').map(({ pod, events }) => findings(pod, events)[0]);
    expect(all.filter((top) => top?.id === 'probes.startup')).toEqual([]);
  },
);

describe('a container that its liveness probe stops in every run', () => {
  test.each(LOOPS)('is explained by it in each pause while the kubelet has said so: %s', (_, program) => {
    const known = moments(program, PAUSES, 'back-off').filter(({ isKillingKnown }) => isKillingKnown);
    expect(headlines(known)).toEqual(known.map(() => PROBE));
  });
});

describe('a container that ends by itself', () => {
  test.each(WORKERS)('is not explained by a probe: %s', (_, program) => {
    const all = headlines(moments(program, PAUSES, 'back-off'));
    expect(all).not.toContain(PROBE);
  });
});

test('a program that ends by itself after its probe stopped one run is not explained by it while all is reported', () => {
  const program = { run: (index: number) => (index === 0 ? stopped(0)(0) : worker(0, MINUTE_MS).run(index)) };
  expect(headlines(moments(program, 2, 'back-off'))).toEqual([
    'containers.ends-at-once',
    'containers.ends-at-once',
  ]);
});

const RARE = worker(0, 8 * MINUTE_MS, (index) => (index % 4 === 0 ? [20_000] : []));
const STOPPED_BEFORE: Program = {
  run: (index) => (index < 3 ? stopped(0)(index) : { exitCode: 0, ranMs: 11 * MINUTE_MS }),
};

describe('a pod that is Ready', () => {
  test.each([
    ['without failures', worker(0, 11 * MINUTE_MS)],
    ['with a failure now and then', RARE],
    ['and was stopped before', STOPPED_BEFORE],
    ['with a failure in each run', worker(0, 11 * MINUTE_MS, () => [12_000])],
  ])('is well while its program ends without an error by intent, %s', (_, program) => {
    const later = moments(program, PAUSES, 'run').filter(({ index }) => index > 2);
    expect(later.filter((each) => !isWell(each))).toEqual([]);
  });
});
