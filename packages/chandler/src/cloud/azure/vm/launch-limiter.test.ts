import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { LaunchLimiter } from './launch-limiter.ts';

describe('concurrent launches', () => {
  test('beyond the limit are queued, the later ones for longer', () => {
    const line = new LaunchLimiter(virtualWorld().clock, 2);
    const answers = ['a', 'b', 'c', 'd', 'e', 'f'].map((uid) => line.enter(uid));
    expect(answers).toEqual([undefined, undefined, 1000, 1000, 1000, 1000]);
    const later = Array.from({ length: 30 }, (_, at) => line.enter(`late-${at}`)!);
    expect(later.at(-1)).toBeGreaterThan(later[0]!);
    expect(line.inside).toBe(2);
  });

  test('one that is in flight continues, however many wait', () => {
    const line = new LaunchLimiter(virtualWorld().clock, 1);
    line.enter('a');
    line.enter('b');
    expect(line.enter('a')).toBeUndefined();
  });

  test('when one ends, the earliest waiting one is admitted first', () => {
    const line = new LaunchLimiter(virtualWorld().clock, 1);
    line.enter('a');
    const waiting = Array.from({ length: 50 }, (_, at) => `w${at}`);
    for (const uid of waiting) line.enter(uid);
    line.leave('a');
    expect(line.enter('w49')).toBeGreaterThan(0);
    expect(line.enter('w0')).toBeUndefined();
  });

  test('one that has created its VM frees its slot, and still counts as polled', () => {
    const line = new LaunchLimiter(virtualWorld().clock, 1);
    line.enter('a');
    expect(line.enter('b')).toBeDefined();
    line.pass('a');
    expect(line.enter('b')).toBeUndefined();
    expect([line.inside, line.waiting, line.lookedAt]).toEqual([1, 0, 2]);
    line.leave('a');
    expect(line.lookedAt).toBe(1);
  });

  test('one that is no longer requested frees its slot', async () => {
    const { clock } = virtualWorld();
    const line = new LaunchLimiter(clock, 1);
    line.enter('a');
    expect(line.enter('b')).toBeDefined();
    await clock.advance(16 * 60_000);
    expect(line.enter('b')).toBeUndefined();
    expect([line.inside, line.waiting]).toEqual([1, 0]);
  });
});
