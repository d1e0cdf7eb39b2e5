import { realTimeWorld, virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { startApiServer } from '../server.ts';
import { Turns } from './turns.ts';

describe('turns of the event loop', () => {
  test('callers do not wait while the turn is short', () => {
    const { clock } = virtualWorld();
    const turns = new Turns(clock);
    expect([turns.pass(), turns.pass(), turns.pass()]).toEqual([undefined, undefined, undefined]);
  });

  test('callers wait when the turn is long, and continue in order, a few in each turn', async () => {
    const { clock } = virtualWorld();
    const turns = new Turns(clock);
    await clock.advance(20);
    const passed: number[] = [];
    const calls = Array.from({ length: 40 }, async (_, at) => {
      await turns.pass();
      passed.push(at);
    });
    expect(passed).toEqual([]);
    await clock.advance(0);
    expect(passed.length).toBeGreaterThan(0);
    for (let turn = 0; turn < 10; turn++) await clock.advance(0);
    await Promise.all(calls);
    expect(passed).toEqual(Array.from({ length: 40 }, (_, at) => at));
  });
});

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
