import { describe, expect, test } from 'vitest';
import type { ContainerEnd, ContainerEvidence, EventFact, EvidenceOf } from '../../causes/index.ts';
import {
  aContainer,
  aFailingPod,
  aPod,
  condition,
  events,
  MINUTE_MS,
  NOW_MS,
  reading,
} from '../../causes/testing.ts';
import { broken, findings, verdict } from './verdict.fixture.ts';

const DAY_MS = 24 * 60 * MINUTE_MS;

function end(exitCode: number, more: Partial<ContainerEnd> = {}): ContainerEnd {
  return { reason: 'Error', exitCode, signal: undefined, message: '', ...more };
}

const inBackOff = (lastTerminated: ContainerEnd): Partial<ContainerEvidence> => ({
  waiting: { reason: 'CrashLoopBackOff', message: 'back-off 5m0s restarting failed container' },
  started: false,
  restarts: 4,
  probes: ['startup', 'readiness', 'liveness'],
  lastTerminated,
});

const unhealthy = (probe: string, more: Partial<EventFact> = {}): Partial<EventFact> => ({
  reason: 'Unhealthy',
  message: `${probe} probe failed: dial tcp 10.1.0.7:8080: connect: connection refused`,
  ...more,
});
const killing = (probe: string, more: Partial<EventFact> = {}): Partial<EventFact> => ({
  reason: 'Killing',
  type: 'Normal',
  message: `Container web failed ${probe.toLowerCase()} probe, will be restarted`,
  ...more,
});

describe.each([
  ['Liveness', 'L7.4'],
  ['Startup', 'probes.startup'],
])('one failure of the %s probe', (probe, id) => {
  test('does not explain a program that ends by itself: the exit code is reported', () => {
    const [top, ...others] = findings(aFailingPod(inBackOff(end(1))), events(unhealthy(probe)));
    expect(top).toMatchObject({ id: 'L7.2', weight: 'broken' });
    expect(top!.summary).toContain('exit code 1');
    expect(others).toMatchObject([{ id, weight: 'suspicious' }]);
    expect(others[0]!.summary).toContain('nothing shows that the container was stopped for it');
  });

  test('does not explain that memory ran out', () => {
    const pod = aFailingPod(inBackOff(end(137, { reason: 'OOMKilled' })));
    expect(broken(pod, events(unhealthy(probe)))).toEqual(['containers.out-of-memory']);
  });

  test.each([137, 143])('explains a container that was killed with code %i while it failed', (exitCode) => {
    const ended = end(exitCode, { startedAtMs: NOW_MS - 3 * MINUTE_MS });
    expect(broken(aFailingPod(inBackOff(ended)), events(unhealthy(probe)))).toEqual([id]);
    const old = unhealthy(probe, { lastMs: NOW_MS - 20 * MINUTE_MS });
    expect(broken(aFailingPod(inBackOff(ended)), events(old))).not.toContain(id);
  });

  test.each([137, 143])(
    'in any run explains a container that is killed again and again with code %i',
    (exitCode) => {
      const ended = end(exitCode, { startedAtMs: NOW_MS - 3 * MINUTE_MS });
      const pod = aFailingPod({ ...inBackOff(ended), restarts: 40 });
      const failed = unhealthy(probe, { lastMs: NOW_MS - 50 * MINUTE_MS, count: 120 });
      expect(broken(pod, events(failed))).toEqual([id]);
      const [top] = findings(pod, events());
      expect(top!.id).toBe('containers.shut-down');
      expect(top!.fix).toContain('liveness or startup probe');
      const [unprobed] = findings(aFailingPod({ ...inBackOff(end(143)), probes: ['readiness'] }), events());
      expect(unprobed!.id).toBe('containers.shut-down');
      expect(unprobed!.fix).not.toContain('Check whether a liveness');
    },
  );

  test.each([0, 1, 137, 143])(
    'explains a container that the kubelet stopped for it, also if it ended with code %i',
    (exitCode) => {
      const pod = aFailingPod(inBackOff(end(exitCode, { startedAtMs: NOW_MS - 3 * MINUTE_MS })));
      expect(broken(pod, events(unhealthy(probe), killing(probe)))).toEqual([id]);
    },
  );

  // The kubelet sends 25 events about a pod, then one in five minutes: most runs of a back-off leave none.
  test.each([137, 143])(
    'explains a container that the kubelet stopped for it in an earlier run, if it ended with code %i',
    (exitCode) => {
      const ended = end(exitCode, {
        startedAtMs: NOW_MS - 8 * MINUTE_MS,
        endedAtMs: NOW_MS - 7 * MINUTE_MS,
      });
      const pod = aFailingPod(inBackOff(ended));
      const lastMs = NOW_MS - 30 * MINUTE_MS;
      expect(broken(pod, events(unhealthy(probe, { lastMs }), killing(probe, { lastMs })))).toEqual([id]);
      const [alone, ...others] = findings(pod, events(killing(probe, { lastMs })));
      expect(alone).toMatchObject({ id, weight: 'broken', seen: [{ atMs: lastMs }] });
      expect(alone!.summary).toContain(`failed ${probe.toLowerCase()} probe, will be restarted`);
      expect(others).toEqual([]);
    },
  );

  test('in an earlier run may explain a program that ends without an error', () => {
    const pod = aFailingPod(
      inBackOff(end(0, { startedAtMs: NOW_MS - 8 * MINUTE_MS, endedAtMs: NOW_MS - 7 * MINUTE_MS })),
    );
    const old = { lastMs: NOW_MS - 30 * MINUTE_MS };
    for (const reports of [[killing(probe, old)], [unhealthy(probe, old), killing(probe, old)]]) {
      const [top, ...others] = findings(pod, events(...reports));
      expect(top).toMatchObject({ id: 'containers.ends-at-once', weight: 'broken' });
      expect(others).toMatchObject([{ id, weight: 'suspicious' }]);
      expect(others[0]!.summary).toContain('stopped an earlier run');
    }
  });

  test.each([
    ['containers.out-of-memory', 'OOMKilled'],
    ['L7.2', 'ContainerStatusUnknown'],
  ])('in an earlier run does not explain an end with code 137 that is %s', (cause, reason) => {
    const ended = end(137, { reason, startedAtMs: NOW_MS - 8 * MINUTE_MS });
    const old = killing(probe, { lastMs: NOW_MS - 30 * MINUTE_MS });
    expect(broken(aFailingPod(inBackOff(ended)), events(unhealthy(probe), old))).toEqual([cause]);
    expect(findings(aFailingPod(inBackOff(ended)), events(old))).toMatchObject([{ id: cause }]);
  });

  test('does not explain the crash of a later run, or of another container', () => {
    const pod = aFailingPod(inBackOff(end(1, { startedAtMs: NOW_MS - 3 * MINUTE_MS })));
    for (const other of [
      killing(probe, { lastMs: NOW_MS - 20 * MINUTE_MS }),
      killing(probe, { message: `Container web-2 failed ${probe.toLowerCase()} probe, will be restarted` }),
      killing(probe, { message: 'Stopping container web' }),
    ])
      expect(broken(pod, events(unhealthy(probe), other))).toEqual(['L7.2']);
  });

  test('does not explain that the kubelet stopped the container for another probe', () => {
    const pod = aFailingPod(inBackOff(end(1, { startedAtMs: NOW_MS - 3 * MINUTE_MS })));
    const [other, itsId] = probe === 'Liveness' ? ['Startup', 'probes.startup'] : ['Liveness', 'L7.4'];
    expect(broken(pod, events(unhealthy(probe), killing(other)))).toEqual([itsId]);
  });

  test('is reported for the container that was stopped', () => {
    const crashes = aContainer({ ready: false, ...inBackOff(end(1)), name: 'api' });
    const stopped = aContainer({ ready: false, ...inBackOff(end(1)) });
    const pod = aPod({ conditions: [condition('Ready', 'False')], containers: [crashes, stopped] });
    // The other one crashes by itself, and may be needed by this one.
    expect(findings(pod, events(unhealthy(probe), killing(probe)))).toMatchObject([
      { id: 'L7.2', weight: 'broken', facts: { container: 'api' } },
      { id, weight: 'broken', facts: { container: 'web' } },
    ]);
  });
});

describe('a container that runs', () => {
  const runs = (minutes: number, more: Partial<ContainerEvidence> = {}) =>
    aFailingPod({ running: true, runningSinceMs: NOW_MS - minutes * MINUTE_MS, ...more });

  test('and does not pass its startup probe has not started', () => {
    const first = (minutes: number) => runs(minutes, { started: false, probes: ['startup'] });
    expect(broken(first(3), events(unhealthy('Startup')))).toEqual(['probes.startup']);
    // Programs need some time to start.
    expect(broken(first(1), events(unhealthy('Startup')))).toEqual([]);
  });

  test('between two crashes fails its probes because of them', () => {
    const crashed = { restarts: 3, lastTerminated: end(1) };
    const starts = runs(1, { ...crashed, started: false, probes: ['startup'] });
    expect(broken(starts, events(unhealthy('Startup')))).toEqual(['L7.2']);
    expect(broken(runs(1, crashed), events(unhealthy('Readiness')))).toEqual(['L7.2']);
  });

  test('is not Ready for what happens now, not for a crash days ago', () => {
    const lastTerminated = end(137, { reason: 'OOMKilled', endedAtMs: NOW_MS - 3 * DAY_MS });
    const pod = runs(3 * 24 * 60, { restarts: 1, lastTerminated });
    expect(findings(pod, events(unhealthy('Readiness')))).toMatchObject([{ id: 'L7.3', weight: 'broken' }]);
    expect(verdict(runs(3, { restarts: 1, lastTerminated }))).toBe('containers.out-of-memory');
    const killed = runs(3 * 24 * 60, { restarts: 1, lastTerminated: end(137) });
    expect(broken(killed, events(unhealthy('Liveness')))).toEqual(['pods.not-ready']);
  });

  test('again after a reboot of the node has not crashed', () => {
    const pod = runs(3, { restarts: 1, lastTerminated: end(255, { reason: 'Unknown' }) });
    expect(broken(pod, events(unhealthy('Readiness')))).toEqual(['L7.3']);
  });
});

describe('a probe that cannot be run', () => {
  const errored = (probe: string, words: string, more: Partial<EventFact> = {}) =>
    events(
      unhealthy(probe, {
        message: `${probe} probe errored and resulted in unknown state: ${words}`,
        ...more,
      }),
    );
  const NOT_FOUND = 'exec: "curl": executable file not found in $PATH: unknown';
  const starts = (minutes: number, more: Partial<ContainerEvidence> = {}) =>
    aFailingPod({
      running: true,
      started: false,
      probes: ['startup'],
      startupMs: 10 * MINUTE_MS,
      runningSinceMs: NOW_MS - minutes * MINUTE_MS,
      ...more,
    });

  test('for want of its command is the cause at once: the kubelet waits without end', () => {
    const [top] = findings(starts(4), errored('Startup', NOT_FOUND));
    expect(top).toMatchObject({ id: 'probes.startup', weight: 'broken' });
    expect(top!.title).toBe('The startup probe cannot be run');
    expect(top!.fix).toContain('does not restart the container for it');
    expect(top!.fix).not.toContain('failureThreshold');
  });

  test('for another reason is suspicious in its time, and the summary does not say that the kubelet restarts it', () => {
    const [top] = findings(starts(4), errored('Startup', 'context deadline exceeded'));
    expect(top).toMatchObject({ id: 'probes.startup', weight: 'suspicious' });
    expect(top!.fix).toContain('does not restart the container for it');
    expect(broken(starts(12), errored('Startup', 'context deadline exceeded'))).toEqual(['probes.startup']);
  });

  test('of readiness keeps a container from becoming Ready', () => {
    const pod = aFailingPod({ running: true, runningSinceMs: NOW_MS - 30 * MINUTE_MS });
    const [top] = findings(pod, errored('Readiness', NOT_FOUND));
    expect(top).toMatchObject({ id: 'L7.3', weight: 'broken', title: 'The readiness probe cannot be run' });
  });

  test('counts as no failure of a container that ended, or of the run after', () => {
    const words = 'failed to load task: no running task found';
    for (const exitCode of [0, 137, 143]) {
      const ended = end(exitCode, { startedAtMs: NOW_MS - 3 * MINUTE_MS, endedAtMs: NOW_MS - MINUTE_MS });
      expect(findings(aFailingPod(inBackOff(ended)), errored('Startup', words))).toMatchObject([
        { id: expect.stringMatching(/^containers/) },
      ]);
    }
    const old = { lastMs: NOW_MS - 13 * MINUTE_MS };
    expect(broken(starts(12), errored('Startup', words, old))).not.toContain('probes.startup');
  });

  test('gives way to a failure that was reported later', () => {
    const failed = unhealthy('Startup', { lastMs: NOW_MS - 1000 });
    const before = errored('Startup', 'context deadline exceeded').events;
    const [top] = findings(starts(12), events(...before, failed));
    expect(top).toMatchObject({ id: 'probes.startup', title: 'The startup probe fails' });
  });
});

describe('a container that has completed', () => {
  const completed = aContainer({
    name: 'step-clone',
    ready: false,
    started: false,
    terminated: end(0, { reason: 'Completed' }),
  });

  test('is not the one that failed beside it', () => {
    const failed = aContainer({ name: 'step-build', ready: false, started: false, terminated: end(1) });
    const conditions = [condition('Ready', 'False', 'PodFailed')];
    const pod = aPod({ phase: 'Failed', conditions, containers: [completed, failed] });
    expect(findings(pod)).toMatchObject([{ id: 'L7.2', facts: { container: 'step-build' } }]);
  });

  test('does not break a pod whose sidecar still runs', () => {
    const conditions = [condition('Ready', 'False', 'ContainersNotReady')];
    expect(findings(aPod({ conditions, containers: [completed, aContainer()] }))).toEqual([]);
  });

  test.each(['OnFailure', 'Never'] as const)(
    'after a restart has done its work with the restart policy %s',
    (restartPolicy) => {
      const conditions = [condition('Ready', 'False', 'ContainersNotReady')];
      const retried = { ...completed, restarts: 2, restartPolicy };
      expect(findings(aPod({ conditions, containers: [retried, aContainer()] }))).toEqual([]);
    },
  );

  test('and is restarted again and again does', () => {
    const pod = aFailingPod(inBackOff(end(0, { reason: 'Completed' })));
    expect(broken(pod)).toEqual(['containers.ends-at-once']);
    expect(broken(aFailingPod({ started: false, restarts: 3, terminated: end(0) }))).toEqual(['L7.2']);
  });
});

describe('an end', () => {
  test.each([
    ['ErrImagePull', 'shop.azurecr.io/web:1: not found', 'images.not-found'],
    ['CreateContainerConfigError', 'secret "db" not found', 'containers.config-missing'],
  ])('is not the cause while the container cannot be started again: %s', (reason, message, id) => {
    const lastTerminated = end(137, { reason: 'OOMKilled' });
    const waiting = { reason, message };
    expect(broken(aFailingPod({ started: false, restarts: 1, lastTerminated, waiting }))).toEqual([id]);
  });

  test.each([
    ['L7.2', end(1, { message: 'open /etc/app/config.yaml: no such file or directory' })],
    ['L7.2', end(1, { message: 'listen tcp :80: bind: permission denied' })],
    [
      'containers.command-not-found',
      end(128, { message: 'exec: "run": executable file not found in $PATH' }),
    ],
    [
      'containers.command-not-found',
      end(2, { reason: 'ContainerCannotRun', message: 'exec: "/run": no such file or directory' }),
    ],
    [
      'containers.not-executable',
      end(128, { reason: 'StartError', message: 'exec: "/run": permission denied' }),
    ],
  ])('names a wrong command only if the runtime says so: %s (case %#)', (id, lastTerminated) => {
    expect(broken(aFailingPod(inBackOff(lastTerminated)))).toEqual([id]);
  });

  test('for lack of memory comes before a Service that could not be reached at the start', () => {
    const log: EvidenceOf<'containerLog'> = {
      kind: 'containerLog',
      reading: reading('log of web'),
      pod: 'shop/web-1',
      container: 'web',
      previous: true,
      text: 'db.shop: connection refused, trying again\nconnected\n',
    };
    const service: EvidenceOf<'service'> = {
      kind: 'service',
      reading: reading('Service shop/db'),
      name: 'shop/db',
      clusterIPs: [],
      ports: [5432],
      hasSelector: true,
      readyEndpoints: 1,
    };
    const pod = aFailingPod(inBackOff(end(137, { reason: 'OOMKilled' })));
    expect(findings(pod, log, service).map(({ id, weight }) => [id, weight])).toEqual([
      ['containers.out-of-memory', 'broken'],
      ['L7.5', 'suspicious'],
    ]);
  });
});
