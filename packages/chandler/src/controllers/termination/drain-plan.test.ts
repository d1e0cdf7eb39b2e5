import type { Pod, Stored } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { drainPlan, isDrainable } from './drain-plan.ts';

const NOW_MS = Date.parse('2026-01-01T12:00:00Z');
const secondsAgo = (seconds: number) => new Date(NOW_MS - seconds * 1000).toISOString();

function pod(name: string, metadata: object = {}, rest: { spec?: object; phase?: string } = {}): Stored<Pod> {
  return {
    metadata: { name, namespace: 'default', ...metadata },
    spec: { containers: [], ...rest.spec },
    status: { phase: rest.phase ?? 'Running' },
  } as unknown as Stored<Pod>;
}
const names = (pods: readonly Stored<Pod>[]) => pods.map(({ metadata }) => metadata.name);

describe('a pod that hangs in termination', () => {
  const going = pod('going', { deletionTimestamp: secondsAgo(60) });
  const stuck = pod('stuck', { deletionTimestamp: secondsAgo(61) });

  test('blocks the drain until one minute after its grace period, and no longer', () => {
    expect(names(drainPlan([going, stuck], NOW_MS, undefined).waiting)).toEqual(['going']);
  });

  test('then counts as one that stays, and its volumes do not block termination either', () => {
    expect([going, stuck].map((each) => isDrainable(each, NOW_MS))).toEqual([true, false]);
  });
});

describe('a pod that has ended', () => {
  const done = pod('done', {}, { phase: 'Succeeded' });

  test('does not block the drain, but its volumes block termination', () => {
    expect(drainPlan([done], NOW_MS, undefined)).toEqual({ waiting: [], evict: [], force: [] });
    expect(isDrainable(done, NOW_MS)).toBe(true);
  });
});

describe('mirror pods and pods that tolerate the taint', () => {
  const mirror = pod('mirror', {
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u', controller: true }],
  });
  const tolerant = pod('tolerant', {}, { spec: { tolerations: [{ operator: 'Exists' }] } });

  test('are not evicted and do not block the drain', () => {
    expect(drainPlan([mirror, tolerant], NOW_MS, undefined).waiting).toEqual([]);
    expect([mirror, tolerant].map((each) => isDrainable(each, NOW_MS))).toEqual([false, false]);
  });
});

test('a pod that was force-deleted is not deleted again each second, although its kubelet does not answer', () => {
  const deadlineMs = NOW_MS - 5_000;
  const running = pod('a');
  expect(drainPlan([running], NOW_MS, deadlineMs).force).toEqual([running]);
  const deletionTimestamp = new Date(NOW_MS + 1_000).toISOString();
  const terminating = pod('a', { deletionTimestamp });
  for (const laterMs of [0, 1_000, 2_000, 30_000])
    expect(drainPlan([terminating], NOW_MS + laterMs, deadlineMs)).toMatchObject({
      waiting: [terminating],
      force: [],
    });
});

describe('tiers', () => {
  const daemonOwner = [{ apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'd', uid: 'u', controller: true }];
  const critical = { spec: { priorityClassName: 'system-node-critical' } };
  const tiers = [
    pod('ordinary'),
    pod('daemon', { ownerReferences: daemonOwner }),
    pod('critical', {}, critical),
    pod('critical-daemon', { ownerReferences: daemonOwner }, critical),
  ];

  test('are drained in order: a later tier waits until the earlier one is empty', () => {
    const order = tiers.map((_, at) => names(drainPlan(tiers.slice(at), NOW_MS, undefined).evict));
    expect(order).toEqual([['ordinary'], ['daemon'], ['critical'], ['critical-daemon']]);
  });

  test('are ignored past the deadline', () => {
    expect(names(drainPlan(tiers, NOW_MS, NOW_MS + 29_000).force)).toEqual(names(tiers));
  });
});
