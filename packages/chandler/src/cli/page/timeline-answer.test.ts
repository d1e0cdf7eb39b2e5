import { realTimeWorld, stored } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import type { wire } from '../../dashboard/index.ts';
import { timelineAnswer } from './timeline-answer.ts';

const NOTHING = { events: [], claims: [], commands: [], failed: [], seen: [], prices: [] };

const { clock } = realTimeWorld();

const entry = (atMs: number): wire.Happened => ({
  atMs,
  what: 'event',
  subject: `Node/n${atMs}`,
  reason: 'Ready',
  text: '',
  warning: false,
});

test('of more than 2,000 entries the newest are given, and from when on they are complete', async () => {
  const seen = Array.from({ length: 2_100 }, (_, at) => entry(at + 1));
  const answer = await timelineAnswer({ ...NOTHING, fromMs: 0, toMs: 10_000, seen }, clock);
  expect(answer.happened).toHaveLength(2_000);
  expect(answer.cutBeforeMs).toBe(101);
  const fits = await timelineAnswer({ ...NOTHING, fromMs: 0, toMs: 2_000, seen }, clock);
  expect([fits.happened.length, fits.cutBeforeMs]).toEqual([2_000, undefined]);
});

test('a failure that is an event and a kept NodeClaim is there once', async () => {
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
  const range = { fromMs: 0, toMs: Date.parse(at) + 1_000 };
  const answer = await timelineAnswer(
    { ...NOTHING, ...range, events: [event], failed: failed as never },
    clock,
  );
  expect(answer.happened.map(({ what, subject }) => [what, subject])).toEqual([
    ['failure', 'NodeClaim/general-x'],
  ]);
});

test('of 50,000 events the newest are made in short turns, and others run meanwhile', async () => {
  const startMs = Date.UTC(2026, 0, 1);
  const events = Array.from({ length: 50_000 }, (_, at) =>
    stored({
      metadata: { name: `e${at}`, namespace: 'default' },
      involvedObject: { kind: 'Node', name: `n-${at % 5_000}` },
      reason: 'NodeReady',
      message: 'Node is Ready',
      // In no order.
      lastTimestamp: new Date(startMs + ((at * 7_919) % 50_000) * 1_000).toISOString(),
    } as never),
  );
  const all = { ...NOTHING, fromMs: 0, toMs: startMs + 50_000_000, events };
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  const answer = await timelineAnswer(all, clock);
  clearInterval(timer);
  expect(turns).toBeGreaterThan(0);
  expect(answer.happened.map(({ atMs }) => (atMs - startMs) / 1_000)).toEqual(
    Array.from({ length: 2_000 }, (_, at) => 48_000 + at),
  );
  expect(answer.cutBeforeMs).toBe(startMs + 48_000_000);
  const narrow = await timelineAnswer({ ...all, fromMs: startMs + 1_000, toMs: startMs + 9_000 }, clock);
  expect([narrow.happened.length, narrow.cutBeforeMs]).toEqual([9, undefined]);
});
