import { describe, expect, test } from 'vitest';
import type { ContainerEvidence } from '../../causes/index.ts';
import {
  aClaim,
  aContainer,
  aFailingPod,
  aNode,
  aPod,
  condition,
  MINUTE_MS,
  NOW_MS,
} from '../../causes/testing.ts';
import { broken, findings, verdict } from './verdict.fixture.ts';

describe('a node that cannot be used, and a pod that fails on it', () => {
  const unready = (message: string) =>
    aNode({ conditions: [condition('Ready', 'False', 'KubeletNotReady', message, 10)] });
  const noNetwork = unready('container runtime network not ready: cni plugin not initialized');
  const waitsForTaint = aClaim({
    conditions: [
      condition('Launched', 'True'),
      condition('Registered', 'True', 'Registered', '', 10),
      condition('Initialized', 'Unknown', 'StartupTaintsExist', 'why', 10),
    ],
  });
  const failing = (reason: string) =>
    aPod({
      conditions: [condition('Ready', 'False')],
      containers: [aContainer({ ready: false, running: false, waiting: { reason, message: '' } })],
    });

  test.each([
    ['L7.2', 'CrashLoopBackOff'],
    ['L7.1', 'ImagePullBackOff'],
  ])('the node does not hide %s (%s)', (id, reason) => {
    for (const state of [noNetwork, waitsForTaint]) {
      const all = findings(failing(reason), state);
      expect(all[0]).toMatchObject({ point: id, weight: 'broken' });
      expect(all.slice(1).map(({ weight }) => weight)).toEqual(['suspicious']);
    }
  });

  test('the node explains a pod whose containers cannot be created yet', () => {
    expect(verdict(failing('ContainerCreating'), noNetwork)).toBe('nodes.network-not-ready');
  });

  test('a runtime that is down explains containers that ended', () => {
    expect(verdict(failing('CrashLoopBackOff'), unready('container runtime is down'))).toBe(
      'nodes.runtime-not-ready',
    );
  });

  test.each(['Unknown', 'ContainerStatusUnknown'])(
    'the node explains a container that a reboot ended (%s)',
    (reason) => {
      const lost = {
        reason,
        exitCode: 255,
        signal: undefined,
        message: '',
        endedAtMs: NOW_MS - 5 * MINUTE_MS,
      };
      const pod = (container: Partial<ContainerEvidence>) => aFailingPod({ started: false, ...container });
      expect(verdict(pod({ terminated: lost }), noNetwork)).toBe('nodes.network-not-ready');
      const again = { running: true, lastTerminated: lost, restarts: 1, runningSinceMs: NOW_MS - MINUTE_MS };
      expect(verdict(pod(again), noNetwork)).toBe('nodes.network-not-ready');
    },
  );

  describe('for want of what the node is short of', () => {
    const short = (type: string) => aNode({ conditions: [condition(type, 'True', type, 'the words')] });
    const notCreated = (message: string) =>
      aFailingPod({ started: false, waiting: { reason: 'CreateContainerError', message } });

    test.each([
      ['DiskPressure', 'nodes.disk-pressure', 'mkdir /run/x: no space left on device'],
      ['PIDPressure', 'nodes.pid-pressure', 'fork/exec /bin/sh: Resource temporarily unavailable'],
      ['MemoryPressure', 'nodes.memory-pressure', 'fork/exec /bin/sh: cannot allocate memory'],
    ])('%s explains a container that cannot be created', (type, id, message) => {
      expect(broken(notCreated(message), short(type))).toEqual([id, 'containers.not-created']);
    });

    test('another reason is not hidden', () => {
      const pod = notCreated('the name "web" is reserved');
      expect(broken(pod, short('DiskPressure'))).toEqual(['containers.not-created']);
      expect(broken(notCreated('no space left on device'), short('PIDPressure'))).toEqual([
        'containers.not-created',
      ]);
    });
  });
});
