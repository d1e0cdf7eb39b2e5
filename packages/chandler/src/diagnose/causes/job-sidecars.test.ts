/** Containers that the kubelet stops because the program of their pod has ended: the program is the cause. */
import { describe, expect, test } from 'vitest';
import { badContainers, type ContainerEnd, type ContainerEvidence } from '../../causes/index.ts';
import { aContainer, aPod, condition, MINUTE_MS, NOW_MS } from '../../causes/testing.ts';

import { findings } from './verdict.fixture.ts';

const ended = (exitCode: number, reason = exitCode === 0 ? 'Completed' : 'Error'): ContainerEnd => ({
  reason,
  exitCode,
  signal: undefined,
  message: '',
  startedAtMs: NOW_MS - 3 * MINUTE_MS,
  endedAtMs: NOW_MS - MINUTE_MS,
});

function container(name: string, terminated: ContainerEnd, more: Partial<ContainerEvidence> = {}) {
  const state = { ready: false, started: false, probes: [], restartPolicy: 'Never' };
  return aContainer({ name, terminated, ...state, ...more });
}

const program = (exitCode: number, reason?: string) => container('app', ended(exitCode, reason));
const sidecar = (exitCode: number, more: Partial<ContainerEvidence> = {}, reason?: string) =>
  container('cloud-sql-proxy', ended(exitCode, reason), { restartPolicy: 'Always', ...more });

function aJobPod(containers: readonly ContainerEvidence[], phase = 'Failed') {
  return aPod({ phase, conditions: [condition('Ready', 'False', 'PodFailed')], containers });
}

/** What is broken, each with its container. */
function found(containers: readonly ContainerEvidence[], phase = 'Failed') {
  return findings(aJobPod(containers, phase))
    .filter(({ weight }) => weight === 'broken')
    .map(({ id, facts: { container: name } }) => [id, name]);
}

describe('a sidecar of a pod that has failed', () => {
  test.each([0, 137, 143])('is not named with code %i: the kubelet stopped it with the pod', (exitCode) => {
    for (const probes of [[], ['startup', 'liveness']] as const)
      for (const restarts of [0, 1])
        expect(found([sidecar(exitCode, { probes, restarts }), program(1)])).toEqual([['L7.2', 'app']]);
    expect(found([sidecar(exitCode), program(137, 'OOMKilled')])).toEqual([
      ['containers.out-of-memory', 'app'],
    ]);
  });

  test('is named if it failed by itself', () => {
    expect(found([sidecar(1), program(0)])).toEqual([['L7.2', 'cloud-sql-proxy']]);
    const oom = sidecar(137, {}, 'OOMKilled');
    expect(found([oom, program(1)])[0]).toEqual(['containers.out-of-memory', 'cloud-sql-proxy']);
  });

  test('is named while the pod runs, and so is a container that is no sidecar', () => {
    expect(found([sidecar(143), aContainer({ name: 'app', restartPolicy: 'Never' })], 'Running')).toEqual([
      ['containers.shut-down', 'cloud-sql-proxy'],
    ]);
    expect(found([program(0), container('proxy', ended(143))])).toEqual([['containers.shut-down', 'proxy']]);
    const always = { restartPolicy: 'Always' };
    const all = [container('app', ended(143), always), container('proxy', ended(137), always)];
    expect(badContainers(aJobPod(all))).toHaveLength(2);
  });
});

test('a container of a Job that is no sidecar and ends by SIGTERM comes after the program that failed', () => {
  expect(found([container('proxy', ended(143)), program(1)])).toEqual([
    ['L7.2', 'app'],
    ['containers.shut-down', 'proxy'],
  ]);
});
