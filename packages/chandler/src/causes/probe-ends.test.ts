/** Whether a probe stopped a container: by how it ended, and by what the kubelet reported, which may be little. */
import { describe, expect, test } from 'vitest';
import { aContainer, MINUTE_MS, NOW_MS } from './causes.fixture.ts';
import type { ContainerEnd, ContainerEvidence } from './container-evidence.ts';
import type { EventFact } from './evidence.ts';
import { isStoppedByProbe, probeReports } from './probe-ends.ts';

const SECOND_MS = 1000;
/** The last run: it began 13 minutes ago and took ten. */
const STARTED_MS = NOW_MS - 13 * MINUTE_MS;
const ENDED_MS = NOW_MS - 3 * MINUTE_MS;
const RUNNING_MS = NOW_MS - 2 * MINUTE_MS;

const ended: ContainerEnd = {
  reason: 'Completed',
  exitCode: 0,
  signal: undefined,
  message: '',
  startedAtMs: STARTED_MS,
  endedAtMs: ENDED_MS,
};
const probed: Partial<ContainerEvidence> = {
  restarts: 7,
  runningSinceMs: RUNNING_MS,
  stops: {
    liveness: { failures: 3, earliestMs: 20 * SECOND_MS, failingMs: 30 * SECOND_MS, graceMs: 30 * SECOND_MS },
  },
};

function event(reason: string, lastMs: number, more: Partial<EventFact> = {}): EventFact {
  const message = {
    Unhealthy: 'Liveness probe failed: connection refused',
    Killing: 'Container web failed liveness probe, will be restarted',
  }[reason];
  return {
    object: 'Pod/shop/web-1',
    type: 'Warning',
    reason,
    message: message ?? '',
    count: 21,
    lastMs,
    ...more,
  };
}

function isStopped(
  events: readonly EventFact[],
  end: Partial<ContainerEnd> = {},
  more: Partial<ContainerEvidence> = {},
): boolean {
  const last = { ...ended, ...end };
  const container = aContainer({ name: 'web', ...probed, lastTerminated: last, ...more });
  return isStoppedByProbe(container, 'liveness', last, probeReports(events, container, 'liveness'));
}

describe('a container that ended without an error', () => {
  const atStart = event('Unhealthy', STARTED_MS + 5 * SECOND_MS);
  const beforeEnd = event('Unhealthy', ENDED_MS - 30 * SECOND_MS);
  const earlier = event('Unhealthy', NOW_MS - 50 * MINUTE_MS);
  const killedEarlier = event('Killing', NOW_MS - 50 * MINUTE_MS);

  test.each([
    ['the kubelet says that it stopped this run', [event('Killing', ENDED_MS)], {}],
    [
      'the kubelet says so of a sidecar',
      [event('Killing', ENDED_MS, { message: 'Init container web failed liveness probe' })],
      {},
    ],
    ['the probe failed until a moment before the end', [beforeEnd], {}],
    ['the same, of a container that was restarted once', [{ ...beforeEnd, count: 3 }], { restarts: 1 }],
    ['the kubelet has not sent the last failures', [{ ...beforeEnd, count: 19 }], {}],
  ] as const)('was stopped: %s', (_, events, more) => {
    expect(isStopped(events, {}, more)).toBe(true);
  });

  test.each([
    ['nothing is reported', [], {}, {}],
    ['the probe failed while it started', [atStart], {}, {}],
    [
      'the probe failed while its present run started',
      [event('Unhealthy', RUNNING_MS + 5 * SECOND_MS)],
      {},
      {},
    ],
    ['the probe failed in an earlier run, and nothing is reported of this one', [earlier], {}, {}],
    ['an earlier run was stopped, and nothing is reported of this one', [killedEarlier], {}, {}],
    ['the same, and the probe failed in it', [killedEarlier, earlier], {}, { restarts: 2 }],
    [
      'it was too short for the probe',
      [event('Unhealthy', ENDED_MS - 2 * SECOND_MS)],
      { startedAtMs: ENDED_MS - 10 * SECOND_MS },
      {},
    ],
    [
      'the probe failed once, before it can have failed as often as it takes',
      [event('Unhealthy', ENDED_MS - 55 * SECOND_MS)],
      { startedAtMs: ENDED_MS - 60 * SECOND_MS },
      {},
    ],
    ['the probe failed once', [{ ...beforeEnd, count: 1 }], {}, { restarts: 2 }],
    [
      'the probe failed once in each run',
      [{ ...beforeEnd, count: 4 }],
      {},
      { restarts: 3, runningSinceMs: undefined },
    ],
    ['the same, after many', [{ ...beforeEnd, count: 9 }], {}, { restarts: 9 }],
    [
      'a long grace period does not make early failures late ones',
      [event('Unhealthy', STARTED_MS + 2 * MINUTE_MS)],
      {},
      {
        stops: {
          liveness: {
            failures: 3,
            earliestMs: 20 * SECOND_MS,
            failingMs: 30 * SECOND_MS,
            graceMs: 10 * MINUTE_MS,
          },
        },
      },
    ],
    ['the probe failed after it had ended', [event('Unhealthy', ENDED_MS + SECOND_MS)], {}, {}],
    [
      'the other probe stopped it',
      [event('Killing', ENDED_MS, { message: 'Container web failed startup probe' })],
      {},
      {},
    ],
    [
      'the other probe stopped it, a sidecar',
      [event('Killing', ENDED_MS, { message: 'Init container web failed startup probe' })],
      {},
      {},
    ],
    [
      'a probe that cannot be run stops nothing',
      [event('Unhealthy', ENDED_MS, { message: 'Liveness probe errored: no running task' })],
      {},
      {},
    ],
  ] as const)('ended by itself: %s', (_, events, end, more) => {
    expect(isStopped(events, end, more)).toBe(false);
  });
});

describe('a container that waits to be started again', () => {
  const waits = {
    ready: false,
    started: false,
    runningSinceMs: undefined,
    probes: ['liveness'],
    waiting: { reason: 'CrashLoopBackOff', message: '' },
  } as const;
  const short = { startedAtMs: ENDED_MS - 40 * SECOND_MS };
  const old = event('Unhealthy', ENDED_MS - 20 * MINUTE_MS);

  test('and ran as long as its probe takes was stopped if it failed too often before', () => {
    expect(isStopped([old], short, waits)).toBe(true);
    expect(isStopped([old], {}, waits)).toBe(false);
    expect(isStopped([old], short, { ...waits, restarts: 14 })).toBe(false);
    expect(isStopped([{ ...old, isCombined: true }], short, waits)).toBe(true);
    expect(
      isStopped([{ ...old, isCombined: true }], short, { ...waits, probes: ['liveness', 'readiness'] }),
    ).toBe(false);
  });

  test('was stopped if an earlier run was, unless the kubelet would have said so', () => {
    const killed = event('Killing', ENDED_MS - 20 * MINUTE_MS, { count: 4 });
    const sent = event('BackOff', ENDED_MS + MINUTE_MS, { count: 40 });
    expect(isStopped([killed], short, waits)).toBe(false);
    expect(isStopped([killed, sent], short, waits)).toBe(true);
    expect(isStopped([killed, sent], {}, waits)).toBe(false);
    const unready = event('Unhealthy', ENDED_MS - 3 * MINUTE_MS, { message: 'Readiness probe failed: 503' });
    expect(isStopped([killed, sent, unready], {}, waits)).toBe(true);
    expect(isStopped([killed, sent], short, { ...waits, ready: true })).toBe(false);
  });
});

describe('a container that has not started', () => {
  const startup = { failures: 30, earliestMs: 290 * SECOND_MS, failingMs: 300 * SECOND_MS, graceMs: 30_000 };
  const starts = {
    ready: false,
    started: false,
    running: false,
    restarts: 1,
    probes: ['startup'],
    stops: { startup },
    startupMs: 300 * SECOND_MS,
  } as const;
  /** The first 22 failures of the second run of two are on record. */
  const startedMs = ENDED_MS - 301 * SECOND_MS;
  const pulled = event('Pulled', startedMs - 301 * SECOND_MS, { count: 3 });
  const failed = (count: number, lastMs = startedMs + 220 * SECOND_MS) =>
    event('Unhealthy', lastMs, { count, message: 'Startup probe failed: connection refused' });
  const isStoppedAtStart = (
    events: readonly EventFact[],
    more: Partial<ContainerEvidence> = {},
    end: Partial<ContainerEnd> = {},
  ) => {
    const last = { ...ended, startedAtMs: startedMs, ...end };
    const container = aContainer({ name: 'web', ...starts, ...more, lastTerminated: last });
    return isStoppedByProbe(container, 'startup', last, probeReports(events, container, 'startup'));
  };

  test.each([0, 137, 143])(
    'was stopped if its startup probe can have failed since, with code %i',
    (exitCode) => {
      const stops = (events: readonly EventFact[], more?: Partial<ContainerEvidence>) =>
        isStoppedAtStart(events, { runningSinceMs: undefined, ...more }, { exitCode });
      expect(stops([pulled, failed(52)])).toBe(true);
      expect(stops([pulled, failed(30)])).toBe(false);
      expect(stops([pulled, failed(52)], { restarts: 3 })).toBe(false);
      expect(stops([pulled, failed(52)], { ready: true })).toBe(false);
      expect(stops([pulled, failed(52)], { started: true })).toBe(false);
      // The second run has used up what the kubelet sends, or the first one has.
      expect(stops([pulled, failed(22)], { restarts: 0 })).toBe(true);
      expect(stops([failed(22)], { restarts: 0 })).toBe(false);
      expect(stops([])).toBe(false);
    },
  );

  test('was not stopped if it ran for longer than its startup probe gives it, or for less', () => {
    for (const startedAtMs of [ENDED_MS - 360 * SECOND_MS, ENDED_MS - 270 * SECOND_MS])
      for (const exitCode of [0, 143])
        expect(isStoppedAtStart([pulled, failed(52)], {}, { startedAtMs, exitCode })).toBe(false);
  });

  test('was stopped if that is so without those of its present run', () => {
    const runningSinceMs = ENDED_MS + SECOND_MS;
    const present = runningSinceMs + 50 * SECOND_MS;
    const runs = { running: true, restarts: 2, runningSinceMs };
    expect(isStoppedAtStart([pulled, failed(65, present)], runs, { exitCode: 143 })).toBe(true);
    expect(isStoppedAtStart([pulled, failed(62, present)], runs, { exitCode: 143 })).toBe(false);
  });

  test('was stopped after a delay by a probe that fails at once and has a long timeout', () => {
    const slow = { ...startup, earliestMs: 350 * SECOND_MS, failingMs: 900 * SECOND_MS };
    const more = { stops: { startup: slow }, startupMs: 960 * SECOND_MS };
    const startedAtMs = ENDED_MS - 361 * SECOND_MS;
    expect(isStoppedAtStart([pulled, failed(46, startedAtMs + 220 * SECOND_MS)], more, { startedAtMs })).toBe(
      true,
    );
    expect(isStoppedAtStart([pulled, failed(30, startedAtMs + 220 * SECOND_MS)], more, { startedAtMs })).toBe(
      false,
    );
  });
});

describe('a container with a startup probe of few failures', () => {
  const SLACK_MS = 5 * SECOND_MS;
  const ofThreshold = (
    most: number,
    periodMs: number,
    count: number,
    exitCode: number,
    more: readonly EventFact[] = [],
  ) => {
    const startupMs = most * periodMs;
    const startedAtMs = ENDED_MS - startupMs - SLACK_MS;
    const last = { ...ended, startedAtMs, exitCode };
    const earliestMs = startupMs - periodMs;
    const startup = { failures: most, earliestMs, failingMs: startupMs, graceMs: 30 * SECOND_MS };
    const container = aContainer({
      name: 'web',
      ready: false,
      started: false,
      running: false,
      restarts: 4,
      probes: ['startup'],
      stops: { startup },
      startupMs,
      lastTerminated: last,
    });
    // The kubelet has sent nothing of the last run.
    const failed = event('Unhealthy', startedAtMs - 5 * MINUTE_MS, {
      count,
      message: 'Startup probe failed: connection refused',
    });
    const others = event('BackOff', ENDED_MS + SECOND_MS, { count: 25 });
    const reports = probeReports([failed, others, ...more], container, 'startup');
    return isStoppedByProbe(container, 'startup', last, reports);
  };

  test.each([
    [3, 10],
    [5, 10],
    [10, 5],
    [12, 10],
  ])('ended by itself if it failed once less than %i times, each %i s, in each run', (most, seconds) => {
    for (const exitCode of [0, 143])
      expect(ofThreshold(most, seconds * SECOND_MS, (most - 1) * 4, exitCode)).toBe(false);
  });

  test('was stopped if events about other containers of the pod are among the first that are sent', () => {
    const pulls = Array.from({ length: 16 }, (_, at) =>
      event('Pulled', ENDED_MS - 60 * MINUTE_MS, { container: `c${at}`, count: 1 }),
    );
    expect(ofThreshold(10, 5 * SECOND_MS, 45, 143, pulls)).toBe(true);
    expect(ofThreshold(10, 5 * SECOND_MS, 45, 143, pulls.slice(0, 8))).toBe(false);
  });

  const unready = (count: number, container?: string) =>
    event('Unhealthy', ENDED_MS, {
      count,
      message: 'Readiness probe failed: statuscode: 502',
      ...(container === undefined ? {} : { container }),
    });

  test('was stopped if another container fails its probe all the time: each failure is sent until none is left', () => {
    for (const exitCode of [0, 143])
      expect(ofThreshold(10, 6 * SECOND_MS, 45, exitCode, [unready(300, 'nginx')])).toBe(true);
    // So few, or its own ones, which are sent of a later run as well.
    expect(ofThreshold(10, 6 * SECOND_MS, 45, 143, [unready(10, 'nginx')])).toBe(false);
    expect(ofThreshold(10, 6 * SECOND_MS, 45, 143, [unready(300, 'web')])).toBe(false);
    expect(ofThreshold(10, 6 * SECOND_MS, 45, 143, [unready(300)])).toBe(false);
  });

  test('ended by itself beside such a container if the startup probe failed too seldom, or cannot have stopped it', () => {
    expect(ofThreshold(10, 6 * SECOND_MS, 20, 143, [unready(300, 'nginx')])).toBe(false);
    expect(ofThreshold(10, 6 * SECOND_MS, 45, 1, [unready(300, 'nginx')])).toBe(false);
  });
});

describe('a container that ended by a signal', () => {
  test.each([137, 143])(
    'was stopped if the probe failed before the end, or in every run while it restarts (%s)',
    (exitCode) => {
      const late = event('Unhealthy', ENDED_MS - 30 * SECOND_MS, { count: 3 });
      const early = event('Unhealthy', STARTED_MS + MINUTE_MS, { count: 3 });
      const older = event('Unhealthy', STARTED_MS - MINUTE_MS);
      expect(isStopped([late], { exitCode }, { restarts: 1 })).toBe(true);
      expect(isStopped([{ ...late, count: 1 }], { exitCode }, { restarts: 1 })).toBe(false);
      expect(isStopped([early], { exitCode }, { restarts: 1 })).toBe(false);
      expect(isStopped([older], { exitCode }, { restarts: 1 })).toBe(false);
      expect(isStopped([older], { exitCode })).toBe(true);
      expect(isStopped([{ ...older, count: 7 }], { exitCode })).toBe(false);
      expect(isStopped([], { exitCode })).toBe(false);
    },
  );

  test('was stopped if the kubelet waited for its whole grace period', () => {
    const graceMs = 5 * MINUTE_MS;
    const stops = {
      liveness: { failures: 3, earliestMs: 20 * SECOND_MS, failingMs: 30 * SECOND_MS, graceMs },
    };
    const failed = event('Unhealthy', ENDED_MS - graceMs, { count: 3 });
    expect(isStopped([failed], { exitCode: 137 }, { restarts: 1, stops })).toBe(true);
  });

  test('was stopped if the kubelet stopped an earlier run, unless the container was lost', () => {
    const killed = event('Killing', STARTED_MS - MINUTE_MS);
    expect(isStopped([killed], { exitCode: 137 })).toBe(true);
    for (const reason of ['ContainerStatusUnknown', 'Unknown'])
      expect(isStopped([killed], { exitCode: 137, reason, startedAtMs: 0 })).toBe(false);
  });

  test('was not stopped if it ran out of memory, was too short for the probe, or crashed', () => {
    const failed = [event('Unhealthy', ENDED_MS - SECOND_MS)];
    expect(isStopped(failed, { exitCode: 137, reason: 'OOMKilled' })).toBe(false);
    expect(isStopped(failed, { exitCode: 143, startedAtMs: ENDED_MS - 5 * SECOND_MS })).toBe(false);
    expect(isStopped(failed, { exitCode: 1 })).toBe(false);
  });

  test('of an error was stopped if the kubelet says so of this run', () => {
    expect(isStopped([event('Killing', ENDED_MS)], { exitCode: 1 })).toBe(true);
    expect(isStopped([event('Killing', STARTED_MS - MINUTE_MS)], { exitCode: 1 })).toBe(false);
  });
});
