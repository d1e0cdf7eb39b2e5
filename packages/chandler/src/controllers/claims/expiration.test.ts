import type { Stored } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import type { NodePool } from '../../api/index.ts';
import { forcedExpirationOf } from '../../disruption/index.ts';

const BORN = '2026-06-01T00:00:00Z';
const HOUR = 3_600_000;

interface Case {
  readonly expireAfter?: string;
  readonly annotations?: Record<string, string>;
  /** Of the template of the NodePool; the claim's when absent. */
  readonly template?: string;
  readonly replicas?: number;
  /** Hours after the claim was created. */
  readonly at?: number;
}

/** The hours until it is deleted by force, and what keeps it then. */
function expiry({ expireAfter, annotations, template = expireAfter, replicas, at = 0 }: Case) {
  const nodeClassRef = { group: 'example.sh', kind: 'TestNodeClass', name: 'default' };
  const spec = (life: string | undefined) => ({
    nodeClassRef,
    requirements: [],
    ...(life === undefined ? {} : { expireAfter: life }),
  });
  const claim = {
    metadata: { name: 'c', creationTimestamp: BORN },
    spec: spec(expireAfter),
  } as unknown as Parameters<typeof forcedExpirationOf>[0];
  const pool = {
    metadata: { name: 'p', annotations },
    spec: { template: { spec: spec(template) }, ...(replicas === undefined ? {} : { replicas }) },
  } as unknown as Stored<NodePool>;
  const born = Date.parse(BORN);
  const { atMs, kept } = forcedExpirationOf(claim, annotations && pool, [], born + at * HOUR) ?? {};
  return { hours: atMs === undefined ? undefined : (atMs - born) / HOUR, ...(kept && { kept }) };
}

const SOFT = { 'chandler.sh/soft-expiration': '24h' };

test('a claim is deleted at its expireAfter', () => {
  expect(expiry({ expireAfter: '720h' })).toEqual({ hours: 720 });
  expect(expiry({ expireAfter: '720h', annotations: {} })).toEqual({ hours: 720 });
  expect(expiry({ expireAfter: 'Never' })).toEqual({ hours: undefined });
  expect(expiry({})).toEqual({ hours: undefined });
});

describe('soft expiration', () => {
  test('gives disruption time to replace it first', () => {
    expect(expiry({ expireAfter: '720h', annotations: SOFT })).toEqual({ hours: 744 });
  });

  test.each<[string, Case]>([
    ['freeze-by without a freeze', { annotations: { 'chandler.sh/freeze-by': 'ops' } }],
    ['a saving that is no number', { annotations: { 'chandler.sh/min-saving-per-month': 'lots' } }],
    ['expireAfter: Never in the template', { template: 'Never' }],
    ['a static NodePool', { replicas: 2 }],
  ])('counts whatever else is wrong: %s', (_, { annotations, ...more }) => {
    const all = { ...SOFT, ...annotations };
    expect(expiry({ expireAfter: '720h', annotations: all, at: 730, ...more })).toEqual({ hours: 744 });
  });

  test.each(['a while', '-1h', ''])('that cannot be read keeps the claim: "%s"', (text) => {
    const annotations = { 'chandler.sh/soft-expiration': text };
    const { hours, kept } = expiry({ expireAfter: '720h', annotations, at: 9999 });
    expect(hours).toBe(720);
    expect(kept?.why).toContain(`NodePool p: metadata.annotations[chandler.sh/soft-expiration]: "${text}": `);
  });
});

describe('a freeze', () => {
  const until = { 'chandler.sh/freeze': '2026-06-02T18:00:00Z', 'chandler.sh/freeze-by': 'ops' };

  test('keeps the claim until its end', () => {
    const at = (hours: number) => expiry({ expireAfter: '24h', annotations: until, at: hours });
    expect(at(30)).toEqual({
      hours: 24,
      kept: {
        why: 'disruption of NodePool p is frozen until 2026-06-02T18:00:00Z by ops',
        untilMs: Date.parse('2026-06-02T18:00:00Z'),
      },
    });
    expect(at(42)).toEqual({ hours: 24 });
  });

  test('without an end keeps it until it is taken away, whatever else is wrong', () => {
    const annotations = { 'chandler.sh/freeze': 'true', 'chandler.sh/min-node-age': 'old' };
    expect(expiry({ expireAfter: '24h', annotations, at: 999 }).kept).toEqual({
      why: 'disruption of NodePool p is frozen',
    });
    const ended = { 'chandler.sh/freeze': 'false' };
    expect(expiry({ expireAfter: '24h', annotations: ended, at: 999 })).toEqual({ hours: 24 });
  });

  test('that cannot be read keeps the claim', () => {
    const annotations = { 'chandler.sh/freeze': 'tomorrow' };
    expect(expiry({ expireAfter: '24h', annotations, at: 999 }).kept?.why).toContain(
      'NodePool p: metadata.annotations[chandler.sh/freeze]: "tomorrow": ',
    );
  });
});
