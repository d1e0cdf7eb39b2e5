import type { Clock } from '@chandler/kube';
import { expect, test } from 'vitest';
import { type BackoffKey, LaunchBackoff } from './launch-backoff.ts';

const DAY_MS = 24 * 60 * 60_000;
const keyOf = (nodePool: string): BackoffKey => ({ nodePool, nodeClass: 'c', generation: '1' });

test('a failure of a pool that was deleted since is forgotten after a day', () => {
  let nowMs = 0;
  const backoff = new LaunchBackoff({ now: () => nowMs, monotonic: () => nowMs } as Clock);
  backoff.failed(keyOf('deleted'), 'PolicyRefused');
  const old = { apiVersion: 'v1', kind: 'X', metadata: { creationTimestamp: '1960-01-01T00:00:00Z' } };
  expect(backoff.failedSince(keyOf('deleted'), old)).toBe(true);
  nowMs = DAY_MS + 1;
  backoff.failed(keyOf('other'), 'PolicyRefused');
  expect(backoff.failedSince(keyOf('deleted'), old)).toBe(false);
  expect(backoff.failedSince(keyOf('other'), old)).toBe(true);
});
