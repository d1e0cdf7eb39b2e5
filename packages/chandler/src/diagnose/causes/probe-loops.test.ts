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

const headlines = (all: readonly Moment[]) => all.map(({ pod, events }) => findings(pod, events)[0]?.id);
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
