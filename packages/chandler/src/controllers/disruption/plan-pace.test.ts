import { expect, test } from 'vitest';
import type { DisruptionPlan } from '../../disruption/index.ts';
import type { Changes } from './changes.ts';
import { PlanPace } from './plan-pace.ts';

const PLAN = { nodes: [] } as unknown as DisruptionPlan;

function paced(tookMs: number) {
  let nowMs = 0;
  const clock = { monotonic: () => nowMs, now: () => nowMs } as ConstructorParameters<typeof PlanPace>[0];
  const pace = new PlanPace(clock, { pending: true } as Changes);
  pace.planned(PLAN, tookMs);
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

test('after a long pass the next is not put off longer than a minute', () => {
  const isDueAt = paced(105_000);
  expect(isDueAt(59_999)).toBe(false);
  expect(isDueAt(60_000)).toBe(true);
});
