import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { fasterClock } from './faster-clock.ts';

const START_MS = Date.UTC(2026, 0, 1);

function aClock(speed: number) {
  const { clock } = virtualWorld({ startMs: START_MS });
  return { clock, faster: fasterClock(clock, speed) };
}

describe('a clock that runs ten times as fast', () => {
  test('starts at the same time and then runs ahead', async () => {
    const { clock, faster } = aClock(10);
    expect(faster.now()).toBe(START_MS);
    await clock.advance(6_000);
    expect(faster.now()).toBe(START_MS + 60_000);
    expect(faster.monotonic()).toBe(60_000);
  });

  test('waits a tenth of the given delay', async () => {
    const { clock, faster } = aClock(10);
    const done: string[] = [];
    faster.after(60_000, () => done.push('after'));
    void faster.sleep(50_000).then(() => done.push('sleep'));
    const cancelled = faster.after(10, () => done.push('cancelled'));
    cancelled.cancel();
    await clock.advance(5_999);
    expect(done).toEqual(['sleep']);
    await clock.advance(1);
    expect(done).toEqual(['sleep', 'after']);
  });

  test('a sleep can be aborted', async () => {
    const { faster } = aClock(10);
    const stop = new AbortController();
    const slept = faster.sleep(60_000, stop.signal);
    stop.abort(new Error('enough'));
    await expect(slept).rejects.toThrow('enough');
  });

  test('speed 1 returns the same clock; a speed of 0 is rejected', () => {
    const { clock } = aClock(10);
    expect(fasterClock(clock, 1)).toBe(clock);
    expect(() => fasterClock(clock, 0)).toThrow('must be positive, not 0');
  });
});
