/** Failed probes in a pod with several containers: each is a cause of what happens to the container that it is about. */
import { describe, expect, test } from 'vitest';
import type { ContainerEvidence, EventFact } from '../../causes/index.ts';
import { aContainer, aPod, condition, events, MINUTE_MS, NOW_MS } from '../../causes/testing.ts';

import { broken, findings } from './verdict.fixture.ts';

const KILLED = { reason: 'Error', exitCode: 137, signal: undefined, message: '' };

const killedAgain: Partial<ContainerEvidence> = {
  started: false,
  restarts: 7,
  waiting: { reason: 'CrashLoopBackOff', message: '' },
  lastTerminated: { ...KILLED, startedAtMs: NOW_MS - 3 * MINUTE_MS },
};

function podWith(app: Partial<ContainerEvidence>, proxy: Partial<ContainerEvidence>) {
  return aPod({
    conditions: [condition('Ready', 'False', 'ContainersNotReady', '', 1)],
    createdAtMs: NOW_MS - MINUTE_MS,
    containers: [
      aContainer({ name: 'app', ready: false, ...app }),
      aContainer({ name: 'istio-proxy', ...proxy }),
    ],
  });
}

function failed(probe: string, more: Partial<EventFact> = {}): Partial<EventFact> {
  return { reason: 'Unhealthy', message: `${probe} probe failed: connection refused`, ...more };
}

describe('a failed probe of one container', () => {
  test('is no cause once that container is ready, while another one is not', () => {
    const pod = podWith({}, {});
    expect(findings(pod, events(failed('Readiness', { container: 'istio-proxy' })))).toEqual([]);
    expect(broken(pod, events(failed('Readiness', { container: 'app' })))).toEqual(['L7.3']);
  });

  test('is reported for that container if both are not ready', () => {
    const pod = podWith({}, { ready: false });
    const found = findings(pod, events(failed('Readiness', { container: 'istio-proxy' })));
    expect(found).toMatchObject([{ id: 'L7.3', weight: 'broken', facts: { container: 'istio-proxy' } }]);
  });

  test('is reported with its own message, not with that of another container', () => {
    const pod = podWith({}, { ready: false, probes: [] });
    const [top] = findings(
      pod,
      events(
        failed('Readiness', { container: 'app', message: 'Readiness probe failed: statuscode: 503' }),
        failed('Readiness', { container: 'istio-proxy' }),
      ),
    );
    expect(top).toMatchObject({ id: 'L7.3', facts: { container: 'app', problem: 'statuscode: 503' } });
  });

  test.each(['Liveness', 'Startup'])('does not explain that another one is killed: %s', (probe) => {
    const pod = podWith({ ...killedAgain, probes: ['startup', 'readiness', 'liveness'] }, {});
    const lastMs = NOW_MS - 50 * MINUTE_MS;
    expect(broken(pod, events(failed(probe, { container: 'istio-proxy', lastMs })))).toEqual([
      'containers.shut-down',
    ]);
    const [id] = broken(pod, events(failed(probe, { container: 'app', lastMs, count: 8 })));
    expect(id).toBe(probe === 'Liveness' ? 'L7.4' : 'probes.startup');
  });

  test('counts for every container if the event names none', () => {
    expect(broken(podWith({}, {}), events(failed('Readiness')))).toEqual(['L7.3']);
  });
});

describe('a container that the kubelet stopped for its liveness probe', () => {
  const ended = { ...KILLED, startedAtMs: NOW_MS - 3 * MINUTE_MS };
  const reports = events(failed('Liveness', { container: 'app', count: 3 }));
  const found = (app: Partial<ContainerEvidence>) =>
    findings(podWith({ probes: ['liveness'], started: false, ...app }, {}), reports)[0];

  test('and that is not started again was stopped, and not restarted 0 times', () => {
    const top = found({ restartPolicy: 'Never', restarts: 0, terminated: ended });
    expect(top).toMatchObject({ id: 'L7.4', weight: 'broken' });
    expect(top!.summary).toContain('was stopped because its liveness probe fails');
    // There is no log of an earlier run.
    expect(top!.confirm.join(' ')).not.toContain('--previous');
  });

  test.each([
    [1, 'was restarted once because'],
    [7, 'was restarted 7 times because'],
  ])('is said to be restarted as often as it was: %i', (restarts, words) => {
    const top = found({ ...killedAgain, probes: ['liveness'], restarts });
    expect(top!.summary).toContain(words);
    expect(top!.confirm.join(' ')).toContain('--previous');
  });

  test('of a container that has not been restarted, the log of its only run is shown', () => {
    const pod = podWith({ probes: ['startup'], started: false, running: true }, {});
    const [top] = findings(pod, events(failed('Startup', { container: 'app' })));
    expect(top).toMatchObject({ id: 'probes.startup' });
    expect(top!.confirm.join(' ')).not.toContain('--previous');
  });
});
