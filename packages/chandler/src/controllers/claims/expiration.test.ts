import type { Stored } from '@chandler/kube';
import { expect, test } from 'vitest';
import type { NodePool } from '../../api/index.ts';
import { deadlineOf } from './expiration.ts';

const BORN = '2026-06-01T00:00:00Z';
const HOUR = 3_600_000;

function deadline(expireAfter: string | undefined, annotations?: Record<string, string>): number | undefined {
  const nodeClassRef = { group: 'example.sh', kind: 'TestNodeClass', name: 'default' };
  const spec = { nodeClassRef, requirements: [], ...(expireAfter === undefined ? {} : { expireAfter }) };
  const claim = { metadata: { name: 'c', creationTimestamp: BORN }, spec } as unknown as Parameters<
    typeof deadlineOf
  >[0];
  const pool = {
    metadata: { name: 'p', annotations },
    spec: { template: { spec } },
  } as unknown as Stored<NodePool>;
  const at = deadlineOf(claim, annotations === undefined ? undefined : pool);
  return at === undefined ? undefined : (at - Date.parse(BORN)) / HOUR;
}

test('a claim is deleted at its expireAfter', () => {
  expect(deadline('720h')).toBe(720);
  expect(deadline('720h', {})).toBe(720);
  expect(deadline('Never')).toBeUndefined();
  expect(deadline(undefined)).toBeUndefined();
});

test('soft expiration gives disruption time to replace it first', () => {
  expect(deadline('720h', { 'chandler.sh/soft-expiration': '24h' })).toBe(744);
});

test('an annotation that cannot be read changes nothing', () => {
  expect(deadline('720h', { 'chandler.sh/soft-expiration': 'a while' })).toBe(720);
});
