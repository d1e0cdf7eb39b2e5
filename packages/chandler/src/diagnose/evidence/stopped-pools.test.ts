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

const missed = (pool: PoolShape, pending = 10, full: readonly PoolShape[] = []) =>
  isMissed(pool, { metadata: { creationTimestamp: minutesAgo(pending) } } as PodShape, NOW_MS, full);

test('a NodePool with as many nodes as the full one is missed, however long it has not been Ready', () => {
  const full = [aPool('True', DAY, { nodes: '300' })];
  expect(missed(aPool('False', 2 * DAY, { nodes: '300' }), 10, full)).toBe(true);
  expect(missed(aPool('False', 2 * DAY, { nodes: '2' }), 10, full)).toBe(false);
  expect(missed(aPool('False', DAY / 2, { nodes: '2' }), 10, full)).toBe(true);
  expect(missed(aPool('False', 2 * DAY), 10, full)).toBe(false);
});

test('a NodePool with a higher weight than the full one is missed while it has nodes', () => {
  const heavy = (nodes: string) => {
    const pool = aPool('False', 2 * DAY, { nodes });
    return { ...pool, spec: { ...pool.spec, weight: 10 } } as PoolShape;
  };
  const full = [aPool('True', DAY, { nodes: '300' })];
  expect(missed(heavy('2'), 10, full)).toBe(true);
  expect(missed(heavy('0'), 10, full)).toBe(false);
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
