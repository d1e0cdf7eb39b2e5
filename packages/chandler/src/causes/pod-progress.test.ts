/** Since when a pod is in the present step of its start, and which image is being pulled for it. */
import { describe, expect, test } from 'vitest';

import { aContainer, aPod, condition, events, evidence, MINUTE_MS, NOW_MS } from './causes.fixture.ts';
import type { ContainerEvidence, EventFact } from './evidence.ts';
import { currentPull, stepSinceMs } from './pod-progress.ts';

const IMAGE = 'shop.azurecr.io/web:1';
const DAYS = 3 * 24 * 60;

const waits = (changes: Partial<ContainerEvidence> = {}) =>
  aContainer({
    ready: false,
    started: false,
    waiting: { reason: 'ContainerCreating', message: '' },
    ...changes,
  });

function starting(containers: readonly ContainerEvidence[], readyMinutesAgo = 30, scheduledMinutesAgo = 30) {
  return aPod({
    phase: 'Pending',
    createdAtMs: NOW_MS - DAYS * MINUTE_MS,
    conditions: [
      condition('PodScheduled', 'True', 'PodScheduled', '', scheduledMinutesAgo),
      condition('Ready', 'False', 'ContainersNotReady', '', readyMinutesAgo),
    ],
    containers,
  });
}

const happened = (reason: string, minutesAgo: number, more: Partial<EventFact> = {}): Partial<EventFact> => ({
  type: 'Normal',
  reason,
  message: `${reason} image "${IMAGE}"`,
  lastMs: NOW_MS - minutesAgo * MINUTE_MS,
  ...more,
});

describe('the pull of an image', () => {
  const pod = starting([waits()]);
  const pullOf = (...facts: readonly Partial<EventFact>[]) =>
    currentPull(evidence([pod, events(...facts)]), pod);

  test('goes on while nothing was reported after it', () => {
    expect(pullOf(happened('Pulling', 7))).toMatchObject({ image: IMAGE, container: { name: 'web' } });
  });

  test.each(['Pulled', 'Failed', 'FailedCreatePodSandBox'])('is over after the event %s', (reason) => {
    expect(pullOf(happened('Pulling', 7), happened(reason, 6))).toBeUndefined();
  });

  test('is over if the image was pulled in the same second, in whichever order events are listed', () => {
    expect(pullOf(happened('Pulling', 7), happened('Pulled', 7))).toBeUndefined();
    expect(pullOf(happened('Pulled', 7), happened('Pulling', 7))).toBeUndefined();
  });

  test('goes on if another container was started in the same second', () => {
    const started = happened('Started', 7, { container: 'proxy', message: 'Started container proxy' });
    expect(pullOf(happened('Pulling', 7, { container: 'web' }), started)).toBeDefined();
  });

  test('of another pod is not its own', () => {
    expect(pullOf(happened('Pulling', 7, { object: 'Pod/shop/web-12' }))).toBeUndefined();
  });

  test('of a container that runs is over', () => {
    const runs = starting([aContainer({ ready: false }), waits({ name: 'proxy', image: 'proxy:1' })]);
    expect(currentPull(evidence([runs, events(happened('Pulling', 7))]), runs)).toBeUndefined();
  });
});

describe('the present step of a start', () => {
  const minutesOf = (pod: ReturnType<typeof starting>, ...facts: readonly Partial<EventFact>[]) =>
    (NOW_MS - stepSinceMs(evidence([pod, events(...facts)]), pod)) / MINUTE_MS;
  const init = (changes: Partial<ContainerEvidence>) =>
    aContainer({ name: 'migrate', init: true, ready: false, probes: [], ...changes });
  const end = { reason: 'Error', exitCode: 1, signal: undefined, message: '', endedAtMs: NOW_MS - MINUTE_MS };

  test('begins when the pod is assigned to its node', () => {
    expect(minutesOf(starting([waits()], 12, 12))).toBe(12);
  });

  test('begins with the last thing that the kubelet reports', () => {
    expect(minutesOf(starting([waits()]), happened('Pulling', 9), happened('Pulled', 2))).toBe(2);
  });

  test('begins when the init container before has completed, or is started', () => {
    const completed = init({ ready: true, terminated: { ...end, exitCode: 0, reason: 'Completed' } });
    expect(minutesOf(starting([completed, waits()]))).toBe(1);
    expect(minutesOf(starting([init({ runningSinceMs: NOW_MS - 4 * MINUTE_MS }), waits()]))).toBe(4);
  });

  test('does not begin with each restart of an init container that fails', () => {
    const again = init({ restarts: 5, lastTerminated: end, runningSinceMs: NOW_MS - MINUTE_MS });
    expect(minutesOf(starting([again, waits()]), happened('Started', 1))).toBe(30);
  });

  test('begins anew after a reboot of the node', () => {
    expect(minutesOf(starting([waits()], 1, DAYS))).toBe(1);
  });
});
