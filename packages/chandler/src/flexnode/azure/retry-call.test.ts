import { expect, test } from 'vitest';
import { instantWorld } from '../../../../../test/flexnode/instant-world.ts';
import { retryCall } from './retry-call.ts';

const never = new AbortController().signal;
const always = () => ({});

test('waits grow, and stay within the longest', async () => {
  const world = instantWorld();
  const at: number[] = [];
  const call = async () => {
    at.push(world.clock.monotonic());
    throw new Error('busy');
  };
  const patience = { tries: 6, firstWaitMs: 1_000, longestWaitMs: 4_000, budgetMs: 60_000 };
  await expect(retryCall(world, call, always, never, patience)).rejects.toThrow('busy');
  const waits = at.slice(1).map((ms, index) => ms - at[index]!);
  expect(waits).toHaveLength(5);
  for (const [index, nominal] of [1_000, 2_000, 4_000, 4_000, 4_000].entries()) {
    expect(waits[index]).toBeGreaterThanOrEqual(nominal * 0.75);
    expect(waits[index]).toBeLessThanOrEqual(nominal * 1.25);
  }
});

test('what the other side says about waiting is done to the millisecond', async () => {
  const world = instantWorld();
  let tried = 0;
  const call = async () => {
    tried++;
    if (tried < 3) throw new Error('busy');
    return 'answer';
  };
  expect(await retryCall(world, call, () => ({ waitMs: 7_000 }), never)).toBe('answer');
  expect(world.clock.monotonic()).toBe(14_000);
});

test('a wait of zero is a second: Azure is not asked without end', async () => {
  const world = instantWorld();
  let tried = 0;
  const call = async () => {
    tried++;
    if (tried < 4) throw new Error('busy');
    return 'answer';
  };
  expect(await retryCall(world, call, () => ({ waitMs: 0 }), never)).toBe('answer');
  expect(world.clock.monotonic()).toBe(3_000);
});

test('what is not worth asking again is asked once', async () => {
  let tried = 0;
  const call = async () => {
    tried++;
    throw new Error('no');
  };
  await expect(retryCall(instantWorld(), call, () => undefined, never)).rejects.toThrow('no');
  expect(tried).toBe(1);
});

test('a signal ends it, also when the call failed for that very reason', async () => {
  const stop = new AbortController();
  const call = async () => {
    stop.abort(new Error('stopped by the operator'));
    throw new Error('the program was ended');
  };
  await expect(retryCall(instantWorld(), call, always, stop.signal)).rejects.toThrow(
    'stopped by the operator',
  );
});
