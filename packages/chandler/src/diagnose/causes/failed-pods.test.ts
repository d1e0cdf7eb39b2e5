/** A pod that failed as a whole: the kubelet says why in its status, and not in its containers. */
import { describe, expect, test } from 'vitest';
import { aFailingPod, aPod, evidence } from '../../causes/testing.ts';
import { healthStateOf } from '../health-state.ts';

import { broken, findings } from './verdict.fixture.ts';

const failed = (reason: string | undefined, message: string, exitCode = 143) =>
  aFailingPod(
    { terminated: { reason: 'Error', exitCode, signal: undefined, message: '', endedAtMs: 1 } },
    { phase: 'Failed', reason, message },
  );

describe('a pod that failed with a reason', () => {
  test.each([
    [
      'DeadlineExceeded',
      'Pod was active on the node longer than the specified deadline',
      'activeDeadlineSeconds',
    ],
    ['Terminated', 'Pod was terminated in response to imminent node shutdown.', 'shut down'],
    ['NodeShutdown', 'Pod was rejected as the node is shutting down.', 'shut down'],
    [
      'UnexpectedAdmissionError',
      'Allocate failed due to requested number of devices unavailable for nvidia.com/gpu. Requested: 1, Available: 0',
      'device plugin',
    ],
    ['OutOfcpu', "Pod was rejected: Node didn't have enough resource: cpu", 'nodeName'],
    ['OutOfmemory', "Pod was rejected: Node didn't have enough resource: memory", 'nodeName'],
    ['OutOfpods', "Pod was rejected: Node didn't have enough resource: pods", 'nodeName'],
    ['NodeAffinity', 'Pod was rejected: Predicate NodeAffinity failed', 'labels'],
    ['NodeLost', 'Node n which was running pod web is unresponsive', 'node'],
    ['Preempting', 'Preempted in order to admit critical pod', 'critical'],
    ['SomethingNew', 'the kubelet did something new', 'message'],
  ])('%s is the cause, with what the kubelet says', (reason, message, advice) => {
    const all = findings(failed(reason, message)).filter(({ weight }) => weight === 'broken');
    expect(all.map(({ id }) => id)).toEqual(['pods.failed']);
    expect(all[0]!.summary).toContain(`${reason}`);
    expect(all[0]!.summary).toContain(message);
    expect(all[0]!.fix).toContain(advice);
  });

  test('is explained before it has any container', () => {
    const { containers: _, ...pod } = aPod({ phase: 'Failed', reason: 'OutOfcpu', message: 'rejected' });
    expect(broken({ ...pod, containers: [], conditions: [] })).toEqual(['pods.failed']);
  });

  test('keeps what else is known of a container', () => {
    const oom = aFailingPod(
      { terminated: { reason: 'OOMKilled', exitCode: 137, signal: undefined, message: '', endedAtMs: 1 } },
      { phase: 'Failed', reason: 'DeadlineExceeded', message: 'too long' },
    );
    expect(broken(oom)).toEqual(['containers.out-of-memory', 'pods.failed']);
  });

  test('that is Evicted has a row of its own', () => {
    expect(broken(failed('Evicted', 'low on memory'))[0]).toBe('pods.evicted');
  });
});

test('a pod that failed without a reason is explained by its containers', () => {
  expect(broken(failed(undefined, ''))).toEqual(['containers.shut-down']);
});

test('the first sentence says why a pod failed', () => {
  const subject = { kind: 'pod', namespace: 'shop', name: 'web-1' } as const;
  const health = (pod: ReturnType<typeof failed>) => healthStateOf(subject, evidence([pod])).text;
  expect(health(failed('DeadlineExceeded', 'too long'))).toContain(
    'is Failed (DeadlineExceeded: too long) on node aks-default-x7k2p',
  );
  expect(health({ ...failed('DeadlineExceeded', ''), nodeName: undefined })).toContain(
    'is Failed (DeadlineExceeded).',
  );
});
