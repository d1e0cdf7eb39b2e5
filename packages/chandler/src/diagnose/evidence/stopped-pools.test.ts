/** Which NodePools that are not Ready matter to a pod beside a full one. */
import { expect, test } from 'vitest';

import type { PodShape, PoolShape } from './shapes.ts';
import { isMissed } from './stopped-pools.ts';

const NOW_MS = Date.UTC(2026, 5, 1, 9);
const minutesAgo = (minutes: number) => new Date(NOW_MS - minutes * 60_000).toISOString();
const DAY = 24 * 60;

const aPool = (status: string, changed: number, { created = 30 * DAY, nodes = '0' } = {}) =>
  ({
    metadata: { name: 'main', creationTimestamp: minutesAgo(created) },
    spec: {},
    status: {
      resources: { nodes },
      conditions: [{ type: 'Ready', status, reason: 'x', lastTransitionTime: minutesAgo(changed) }],
    },
  }) as unknown as PoolShape;

const missed = (pool: PoolShape, pending = 10) =>
  isMissed(pool, { metadata: { creationTimestamp: minutesAgo(pending) } } as PodShape, NOW_MS);

test('a NodePool with nodes is missed, however long it has not been Ready', () => {
  expect(missed(aPool('False', 2 * DAY, { nodes: '300' }))).toBe(true);
  expect(missed(aPool('False', 2 * DAY))).toBe(false);
});

test('a NodePool without nodes is missed if it stopped being Ready within the hour, or since the pod was created', () => {
  expect(missed(aPool('False', 15))).toBe(true);
  expect(missed(aPool('False', 3 * 60))).toBe(false);
  expect(missed(aPool('False', 3 * 60), 4 * 60)).toBe(true);
});

test('a NodePool that was not Ready since its creation is not missed', () => {
  expect(missed(aPool('False', 20, { created: 20 }))).toBe(false);
  expect(missed(aPool('False', 20, { created: 60 }))).toBe(true);
});

test('a NodePool that is Ready, or not reconciled yet, is not missed', () => {
  expect(missed(aPool('True', 15, { nodes: '3' }))).toBe(false);
  expect(missed(aPool('Unknown', 1, { created: 1 }))).toBe(false);
});
