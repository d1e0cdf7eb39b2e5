import { describe, expect, test } from 'vitest';
import type { ContainerEvidence } from './container-evidence.ts';
import { failsRepeatedly, lastEnd, podIsWell } from './pod-state.ts';
import { aContainer, aPod, condition, events, evidence, MINUTE_MS, NOW_MS } from './testing.ts';

const HOUR_MS = 60 * MINUTE_MS;

interface Life {
  readonly exitCode: number;
  readonly reason?: string;
  /** How long the run before was, and how long the present one is. */
  readonly ranMs: number;
  readonly runsMs: number;
  readonly restarts?: number;
  readonly probes?: ContainerEvidence['probes'];
}

function restarted({ exitCode, reason = 'Error', ranMs, runsMs, restarts = 3, probes = [] }: Life) {
  const runningSinceMs = NOW_MS - runsMs;
  const endedAtMs = runningSinceMs - MINUTE_MS;
  const lastTerminated = {
    reason,
    exitCode,
    signal: undefined,
    message: '',
    startedAtMs: endedAtMs - ranMs,
    endedAtMs,
  };
  return aContainer({ running: true, runningSinceMs, restarts, probes, lastTerminated });
}

const READY = [condition('Ready', 'True')];
const fails = (life: Life) => failsRepeatedly(restarted(life), READY, NOW_MS);

describe('a container that is Ready fails again and again', () => {
  test.each([0, 137, 143])(
    'if it ends with code %i as one that a probe stops, however short its run was',
    (exitCode) => {
      for (const probe of ['liveness', 'startup'] as const)
        expect(fails({ exitCode, ranMs: 20_000, runsMs: 5 * MINUTE_MS, probes: [probe] })).toBe(true);
      const few = { exitCode, ranMs: 20_000, runsMs: MINUTE_MS };
      expect(fails({ ...few, probes: ['readiness'] })).toBe(false);
      expect(fails({ ...few, probes: ['liveness'], restarts: 2 })).toBe(false);
    },
  );

  test('if it crashed after it had run for a while, until it runs for clearly longer', () => {
    const crashed = (runsMs: number) => fails({ exitCode: 1, ranMs: 20 * MINUTE_MS, runsMs });
    expect([crashed(MINUTE_MS), crashed(30 * MINUTE_MS), crashed(41 * MINUTE_MS)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(fails({ exitCode: 1, ranMs: 5_000, runsMs: MINUTE_MS })).toBe(false);
    const seldom = (runsMs: number) => fails({ exitCode: 1, ranMs: 5 * HOUR_MS, runsMs });
    expect([seldom(9 * MINUTE_MS), seldom(11 * MINUTE_MS)]).toEqual([true, false]);
    expect(fails({ exitCode: 1, ranMs: 45_000, runsMs: 3 * MINUTE_MS })).toBe(false);
  });

  test('if it ran out of memory, for up to an hour, and not after a run of many hours', () => {
    const killed = (ranMs: number, runsMs: number) =>
      fails({ exitCode: 137, reason: 'OOMKilled', ranMs, runsMs });
    expect(killed(5_000, 9 * MINUTE_MS)).toBe(true);
    expect(killed(30 * MINUTE_MS, 59 * MINUTE_MS)).toBe(true);
    expect(killed(5 * HOUR_MS, 59 * MINUTE_MS)).toBe(true);
    expect(killed(5 * HOUR_MS, 61 * MINUTE_MS)).toBe(false);
    expect(killed(7 * HOUR_MS, MINUTE_MS)).toBe(false);
  });
});

test('how such a container ended explains its state for as long', () => {
  const container = restarted({ exitCode: 1, ranMs: 20 * MINUTE_MS, runsMs: 15 * MINUTE_MS });
  expect(lastEnd({ ...container, failsRepeatedly: true }, NOW_MS)?.exitCode).toBe(1);
});

test('what keeps a pod from being Ready is not how a container ended that has been running for ten minutes', () => {
  const life = { exitCode: 137, reason: 'OOMKilled', ranMs: 5 * HOUR_MS };
  const unready = [condition('Ready', 'False')];
  const old = restarted({ ...life, runsMs: 11 * MINUTE_MS });
  expect(failsRepeatedly(old, unready, NOW_MS)).toBe(false);
  expect(failsRepeatedly(old, [], NOW_MS)).toBe(false);
  expect(lastEnd(old, NOW_MS)).toBeUndefined();
  expect(lastEnd(restarted({ ...life, runsMs: 9 * MINUTE_MS }), NOW_MS)?.exitCode).toBe(137);
});

describe('a container that ends without an error', () => {
  const container = {
    ...restarted({ exitCode: 0, ranMs: MINUTE_MS, runsMs: MINUTE_MS, probes: ['liveness'] }),
    failsRepeatedly: true,
  };
  const pod = aPod({ conditions: READY, containers: [container] });
  const killing = (message: string, name = 'web') =>
    events({ reason: 'Killing', type: 'Normal', message, container: name });

  test('is not well where events say that a probe stopped it', () => {
    for (const probe of ['liveness', 'startup'])
      expect(
        podIsWell(evidence([pod, killing(`Container web failed ${probe} probe, will be restarted`)])),
      ).toBe(false);
  });

  const unhealthy = (message: string, agoMs: number, name = 'web', count = 1) =>
    events({ reason: 'Unhealthy', message, container: name, count, lastMs: NOW_MS - agoMs });

  test('is not well where the probe failed during its last run', () => {
    const wellAfter = (agoMs: number, restarts: number) =>
      podIsWell(
        evidence([
          { ...pod, containers: [{ ...container, restarts }] },
          unhealthy('Liveness probe failed: HTTP probe failed with statuscode: 500', agoMs, 'web', 30),
        ]),
      );
    expect([wellAfter(2.5 * MINUTE_MS, 3), wellAfter(40 * MINUTE_MS, 3)]).toEqual([false, true]);
    // It fails while the program starts.
    expect(wellAfter(0.9 * MINUTE_MS, 3)).toBe(true);
    expect([wellAfter(40 * MINUTE_MS, 5), wellAfter(0.9 * MINUTE_MS, 5)]).toEqual([true, true]);
  });

  test('is well where another probe failed, or that of another container', () => {
    for (const each of [
      unhealthy('Readiness probe failed: connection refused', MINUTE_MS),
      unhealthy('Startup probe errored: rpc error', MINUTE_MS),
      // It does at every start.
      unhealthy('Startup probe failed: connection refused', 2.5 * MINUTE_MS),
      unhealthy('Liveness probe failed: connection refused', MINUTE_MS, 'db'),
    ])
      expect(podIsWell(evidence([pod, each]))).toBe(true);
  });

  test('is well where they do not', () => {
    expect(podIsWell(evidence([pod, events()]))).toBe(true);
    expect(podIsWell(evidence([pod, killing('Stopping container web')]))).toBe(true);
    const other = killing('Container db failed liveness probe, will be restarted', 'db');
    expect(podIsWell(evidence([pod, other]))).toBe(true);
  });

  test('is not known to be well where events could not be read', () => {
    const unread = { kind: 'events', what: 'Events of Pod/shop/web-1', why: 'forbidden' } as const;
    expect(podIsWell(evidence([pod], [unread]))).toBe(false);
    const other = { ...unread, what: 'Events of NodeClaim/default-x7k2p' };
    expect(podIsWell(evidence([pod, events()], [other]))).toBe(true);
  });
});
