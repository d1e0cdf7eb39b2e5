import { expect, test } from 'vitest';
import type { DisruptionPlan } from '../../disruption/index.ts';
import type { Changes } from './changes.ts';
import { PlanPace } from './plan-pace.ts';

const PLAN = { nodes: [] } as unknown as DisruptionPlan;

function paced(tookMs: number, plan = PLAN, pending = true) {
  let nowMs = 0;
  const clock = { monotonic: () => nowMs, now: () => nowMs } as ConstructorParameters<typeof PlanPace>[0];
  const pace = new PlanPace(clock, { pending } as Changes);
  pace.planned(plan, tookMs);
  return (ms: number) => {
    nowMs = ms;
    return pace.isDue();
  };
}

test('passes take a tenth of the time', () => {
  const isDueAt = paced(2_000);
  expect(isDueAt(17_999)).toBe(false);
  expect(isDueAt(18_000)).toBe(true);
});

test.each([
  ['held, which ends without a change of any object', {}, 10_000],
  ['held for five seconds', { untilMs: 5_000 }, 5_000],
  ['held for a minute', { untilMs: 60_000 }, 60_000],
])('launches that are %s are planned again', (_, until, atMs) => {
  const rejection = { code: 'LaunchesHeld', why: 'after failures', ...until };
  const plan = { nodes: [{ keeps: [{ rejection }] }] } as unknown as DisruptionPlan;
  const isDueAt = paced(0, plan, false);
  expect(isDueAt(atMs - 1)).toBe(false);
  expect(isDueAt(atMs)).toBe(true);
});

test('after a long pass the next is not put off longer than a minute', () => {
  const isDueAt = paced(105_000);
  expect(isDueAt(59_999)).toBe(false);
  expect(isDueAt(60_000)).toBe(true);
});
