import { stored } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import type { wire } from '../../dashboard/index.ts';
import { timelineAnswer } from './timeline-answer.ts';

const NOTHING = { events: [], claims: [], commands: [], failed: [], seen: [], prices: [] };

const entry = (atMs: number): wire.Happened => ({
  atMs,
  what: 'event',
  subject: `Node/n${atMs}`,
  reason: 'Ready',
  text: '',
  warning: false,
});

test('of more than 2,000 entries the newest are given, and from when on they are complete', () => {
  const seen = Array.from({ length: 2_100 }, (_, at) => entry(at + 1));
  const answer = timelineAnswer({ ...NOTHING, fromMs: 0, toMs: 10_000, seen });
  expect(answer.happened).toHaveLength(2_000);
  expect(answer.cutBeforeMs).toBe(101);
  const fits = timelineAnswer({ ...NOTHING, fromMs: 0, toMs: 2_000, seen });
  expect([fits.happened.length, fits.cutBeforeMs]).toEqual([2_000, undefined]);
});

test('a failure that is an event and a kept NodeClaim is there once', () => {
  const at = '2026-01-01T00:00:05Z';
  const metadata = { name: 'general-x', creationTimestamp: '2026-01-01T00:00:00Z' };
  const condition = { type: 'Launched', status: 'False', reason: 'LaunchFailed', message: 'no capacity' };
  const event = stored({
    metadata: { name: 'e', namespace: 'default' },
    involvedObject: { kind: 'NodeClaim', name: 'general-x' },
    type: 'Warning',
    reason: 'LaunchFailed',
    message: 'no capacity',
    lastTimestamp: at,
  } as never);
  const failed = [{ atMs: Date.parse(at) + 250, claim: { metadata, status: { conditions: [condition] } } }];
  const answer = timelineAnswer({
    ...NOTHING,
    fromMs: 0,
    toMs: Date.parse(at) + 1_000,
    events: [event],
    failed: failed as never,
  });
  expect(answer.happened.map(({ what, subject }) => [what, subject])).toEqual([
    ['failure', 'NodeClaim/general-x'],
  ]);
});
