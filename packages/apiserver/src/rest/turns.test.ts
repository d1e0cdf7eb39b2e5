import { Turns } from '@chandler/kube';
import { realTimeWorld, virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { startApiServer } from '../server.ts';

describe('turns of the event loop', () => {
  test('callers do not wait while the turn is short', () => {
    const { clock } = virtualWorld();
    const turns = new Turns(clock);
    expect([turns.pass(), turns.pass(), turns.pass()]).toEqual([undefined, undefined, undefined]);
  });

  test('callers wait when the turn is long, and continue in order in later turns', async () => {
    let nowMs = 0;
    const tasks: (() => void)[] = [];
    const clock = { monotonic: () => nowMs, after: after(tasks) };
    const turn = async () => {
      for (const task of tasks.splice(0)) task();
      for (let hop = 0; hop < 200; hop++) await undefined;
    };
    const turns = new Turns(clock);
    nowMs = 20;
    const passed: number[] = [];
    const calls = Array.from({ length: 40 }, async (_, at) => {
      await turns.pass();
      passed.push(at);
      // The tenth caller works for long, so the others wait for another turn.
      if (at === 10) nowMs += 20;
    });
    expect(passed).toEqual([]);
    await turn();
    expect(passed.length).toBeGreaterThan(10);
    expect(passed.length).toBeLessThan(40);
    await turn();
    await Promise.all(calls);
    expect(passed).toEqual(Array.from({ length: 40 }, (_, at) => at));
  });
});

/** Keeps the tasks, so that the test decides when a turn begins. */
const after = (tasks: (() => void)[]) => (_delayMs: number, task: () => void) => {
  tasks.push(task);
  return { cancel: () => undefined };
};

describe('a server that gives way', () => {
  test.each([
    [true, 'are served between requests in this process'],
    [false, 'wait for all requests in this process'],
  ])('%s: timers and sockets %s', async (givesWay) => {
    const world = realTimeWorld();
    const server = await startApiServer({ world, givesWay });
    let done = false;
    let servedBefore = false;
    const timer = world.clock.after(1, () => {
      servedBefore = !done;
    });
    for (let at = 0; at < 20_000 && !servedBefore; at++) await server.adminFetch('/api/v1/namespaces');
    done = true;
    timer.cancel();
    await server.close();
    expect(servedBefore).toBe(givesWay);
  });
});
