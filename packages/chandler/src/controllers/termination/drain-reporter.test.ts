import type { Pod, Stored } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { type DrainView, drainProblem } from './drain-reporter.ts';

const NOW_MS = Date.parse('2026-01-01T12:00:00Z');
const minutesAgo = (minutes: number) => new Date(NOW_MS - minutes * 60_000).toISOString();

function pod(name: string, metadata: object = {}, status: object = {}): Stored<Pod> {
  return {
    metadata: { name, namespace: 'shop', uid: name, ...metadata },
    spec: { containers: [] },
    status,
  } as unknown as Stored<Pod>;
}
const doNotDisrupt = (text: string) => ({ annotations: { 'karpenter.sh/do-not-disrupt': text } });

function messageFor(waiting: readonly Stored<Pod>[], view: Partial<DrainView> = {}): string | undefined {
  return drainProblem({
    waiting,
    asked: waiting,
    nowMs: NOW_MS,
    sinceMs: NOW_MS,
    refusalOf: () => undefined,
    ...view,
  });
}

describe('a drain', () => {
  test('that has just begun is not reported', () => {
    expect(messageFor([pod('a'), pod('b', { deletionTimestamp: minutesAgo(0) })])).toBeUndefined();
  });

  test('that takes long is reported, with the reason for each pod', () => {
    const waiting = [pod('later'), pod('a'), pod('b', { deletionTimestamp: '2026-01-01T12:00:30Z' })];
    const view = { asked: [waiting[1]!], sinceMs: NOW_MS - 120_000 };
    expect(messageFor(waiting, view)).toBe(
      '3 pod(s) are waiting to be evicted: shop/a (eviction requested), shop/b (ends by 2026-01-01T12:00:30Z), shop/later (waits for other pods to be evicted first)',
    );
  });

  test('is reported at once when a pod has do-not-disrupt, and that pod is named first', () => {
    const waiting = [pod('a'), pod('z', doNotDisrupt('true'))];
    expect(messageFor(waiting)).toBe(
      '2 pod(s) are waiting to be evicted: shop/z (do-not-disrupt), shop/a (eviction requested)',
    );
    expect(messageFor([pod('z', doNotDisrupt('30m'), { startTime: minutesAgo(10) })])).toBe(
      '1 pod(s) are waiting to be evicted: shop/z (do-not-disrupt until 2026-01-01T12:20:00Z)',
    );
  });

  test('is reported at once when an eviction was rejected, also by a webhook', () => {
    const refusalOf = () => 'admission webhook "guard.example.com" denied the request';
    expect(messageFor([pod('a')], { refusalOf })).toBe(
      '1 pod(s) are waiting to be evicted: shop/a (admission webhook "guard.example.com" denied the request)',
    );
  });

  test('of many pods names five of them', () => {
    const waiting = ['f', 'e', 'd', 'c', 'b', 'a'].map((name) => pod(name, doNotDisrupt('true')));
    expect(messageFor(waiting)).toMatch(
      /^6 pod\(s\) .*: shop\/a \(.*shop\/e \(do-not-disrupt\) and 1 other\(s\)$/,
    );
  });
});
