import type { Clock } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { adjustableClock } from './adjustable-clock.ts';

const START_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

function aClock(speed: number) {
  const { clock } = virtualWorld({ startMs: START_MS });
  return { clock, faster: adjustableClock(clock, speed) };
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

  test('leaves no timer behind when nobody waits, so that the process can end', async () => {
    const { clock } = virtualWorld({ startMs: START_MS });
    const timers = new Set<object>();
    const counted: Clock = {
      ...clock,
      now: () => clock.now(),
      monotonic: () => clock.monotonic(),
      sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
      after: (delayMs, task) => {
        const timer = clock.after(delayMs, () => {
          timers.delete(timer);
          task();
        });
        timers.add(timer);
        return {
          cancel: () => {
            timers.delete(timer);
            timer.cancel();
          },
        };
      },
    };
    const faster = adjustableClock(counted, 10);
    await clock.advance(10_000);
    expect(timers.size).toBe(0);
    faster.after(60_000, () => {});
    expect(timers.size).toBeGreaterThan(0);
    await clock.advance(7_000);
    expect(timers.size).toBe(0);
    expect(faster.now()).toBe(START_MS + 170_000);
  });

  test('a speed of 0 is rejected', () => {
    const { clock, faster } = aClock(10);
    expect(() => adjustableClock(clock, 0)).toThrow('must be positive, not 0');
    expect(() => faster.setSpeed(-1)).toThrow('must be positive, not -1');
  });
});

describe('a clock whose speed changes', () => {
  test('goes on from the time that it shows, faster or slower', async () => {
    const { clock, faster } = aClock(10);
    await clock.advance(1_000);
    faster.setSpeed(100);
    expect([faster.now() - START_MS, faster.speed]).toEqual([10_000, 100]);
    await clock.advance(1_000);
    expect(faster.now() - START_MS).toBe(110_000);
    faster.setSpeed(0.5);
    await clock.advance(1_000);
    expect([faster.now() - START_MS, faster.monotonic()]).toEqual([110_500, 110_500]);
  });

  test('ends timers that run at the time that they were set for', async () => {
    const { clock, faster } = aClock(1);
    const done: [string, number][] = [];
    const note = (name: string) => done.push([name, faster.now() - START_MS]);
    faster.after(60_000, () => note('after'));
    void faster.sleep(90_000).then(() => note('sleep'));
    const cancelled = faster.after(50_000, () => note('cancelled'));
    await clock.advance(10_000);
    faster.setSpeed(50);
    cancelled.cancel();
    await clock.advance(999);
    expect(done).toEqual([]);
    await clock.advance(1);
    expect(done).toEqual([['after', 60_000]]);
    faster.setSpeed(0.1);
    await clock.advance(299_999);
    expect(done).toHaveLength(1);
    await clock.advance(1);
    expect(done.at(-1)).toEqual(['sleep', 90_000]);
  });

  test('a timer that has ended does not end again', async () => {
    const { clock, faster } = aClock(1);
    let count = 0;
    faster.after(1_000, () => {
      count += 1;
      faster.setSpeed(10);
    });
    await clock.advance(60_000);
    expect(count).toBe(1);
  });
});

describe('a fast clock in a process that cannot keep up', () => {
  /** `block` is a turn of the event loop that takes so long: the clock goes on, timers run late. */
  function aBusyClock(speed: number) {
    const { clock } = virtualWorld({ startMs: START_MS });
    let lateMs = 0;
    const busy: Clock = {
      ...clock,
      now: () => clock.now() + lateMs,
      monotonic: () => clock.monotonic() + lateMs,
      after: (delayMs, task) => clock.after(delayMs, task),
      sleep: (delayMs, signal) => clock.sleep(delayMs, signal),
    };
    const faster = adjustableClock(busy, speed);
    // Somebody always waits in a playground.
    faster.after(DAY_MS, () => {});
    return {
      clock,
      faster,
      block: (ms: number) => {
        lateMs += ms;
      },
    };
  }

  test('a turn that takes half a second does not let a lease of 40 s expire', async () => {
    const { clock, faster, block } = aBusyClock(100);
    let expired = false;
    faster.after(40_000, () => {
      expired = true;
    });
    block(500);
    expect(faster.monotonic()).toBe(2_000);
    expect(faster.now()).toBe(START_MS + 2_000);
    // Nothing is caught up with later; the first 5 ms belong to the long turn.
    await clock.advance(105);
    expect(faster.monotonic()).toBe(12_000);
    expect(expired).toBe(false);
    await clock.advance(300);
    expect(expired).toBe(true);
    expect(faster.now()).toBe(START_MS + faster.monotonic());
  });

  test('many reads in a long turn count it once', () => {
    const { faster, block } = aBusyClock(50);
    for (let at = 0; at < 100; at++) {
      block(10);
      faster.now();
    }
    expect(faster.monotonic()).toBe(2_000);
  });

  test('a process that keeps up loses nothing, however long it has nothing to do', async () => {
    const { clock, faster } = aBusyClock(100);
    await clock.advance(60_000);
    expect(faster.monotonic()).toBe(6_000_000);
  });

  test('a clock that is not faster than time follows it, as after a laptop was suspended', () => {
    const { faster, block } = aBusyClock(1);
    block(3600_000);
    expect(faster.now()).toBe(START_MS + 3600_000);
  });

  test('another speed loses nothing more', async () => {
    const { clock, faster, block } = aBusyClock(100);
    block(500);
    faster.setSpeed(10);
    expect(faster.monotonic()).toBe(2_000);
    await clock.advance(1_000);
    expect([faster.monotonic(), faster.now() - START_MS]).toEqual([12_000, 12_000]);
  });
});
