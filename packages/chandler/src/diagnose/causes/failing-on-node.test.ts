import { describe, expect, test } from 'vitest';
import { aClaim, aContainer, aNode, aPod, condition } from '../../causes/testing.ts';
import { findings, verdict } from './verdict.fixture.ts';

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
});
