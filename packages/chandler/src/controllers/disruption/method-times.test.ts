import { expect, test } from 'vitest';
import { MethodTimes } from './method-times.ts';

test('each method that ran has its own time, from its beginning to that of the next, or to the end', () => {
  let nowMs = 1_000;
  const times = new MethodTimes({ monotonic: () => nowMs });
  nowMs += 50;
  times.began('emptiness');
  nowMs += 10;
  times.began('drift');
  nowMs += 30;
  expect([...times.ended()]).toEqual([
    ['emptiness', 10],
    ['drift', 30],
  ]);
  nowMs += 5;
  expect(times.ended().get('drift')).toBe(30);
});
