import { neverAborted, settle, virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { keyOf, Lookups } from './lookups.ts';

const MINUTE_MS = 60_000;

function setup(maxEntries?: number) {
  const { clock } = virtualWorld();
  const lookups = new Lookups<string>({
    clock,
    ttlMs: () => MINUTE_MS,
    ...(maxEntries === undefined ? {} : { maxEntries }),
  });
  return { clock, lookups };
}

/** A call whose answer the test gives. */
function call() {
  const signals: AbortSignal[] = [];
  let answer = (_: string): void => undefined;
  let fail = (_: Error): void => undefined;
  const read = (signal: AbortSignal): Promise<string> => {
    signals.push(signal);
    return new Promise((resolve, reject) => {
      answer = resolve;
      fail = reject;
      signal.addEventListener('abort', () => reject(signal.reason));
    });
  };
  return { read, signals, answer: (text: string) => answer(text), fail: (error: Error) => fail(error) };
}

test('an answer is kept for its time, and then asked for again', async () => {
  const { clock, lookups } = setup();
  let calls = 0;
  const read = async () => `answer ${++calls}`;
  const get = () => lookups.get('key', read, neverAborted());
  expect([await get(), await get()]).toEqual(['answer 1', 'answer 1']);
  await clock.advance(MINUTE_MS - 1);
  expect(await get()).toBe('answer 1');
  await clock.advance(1);
  expect(await get()).toBe('answer 2');
});

test('callers at the same time share one call', async () => {
  const { lookups } = setup();
  const shared = call();
  const both = [1, 2].map(() => lookups.get('key', shared.read, neverAborted()));
  await settle();
  expect(shared.signals).toHaveLength(1);
  shared.answer('once');
  expect(await Promise.all(both)).toEqual(['once', 'once']);
});

test('a caller that gives up does not end the call of another', async () => {
  const { lookups } = setup();
  const shared = call();
  const leaving = new AbortController();
  const left = lookups.get('key', shared.read, leaving.signal);
  const stays = lookups.get('key', shared.read, neverAborted());
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  expect(shared.signals[0]!.aborted).toBe(false);
  shared.answer('here');
  expect(await stays).toBe('here');
});

test('the call ends with the last caller, and the next one asks anew', async () => {
  const { lookups } = setup();
  const first = call();
  const leaving = new AbortController();
  const left = lookups.get('key', first.read, leaving.signal);
  leaving.abort(new Error('gone'));
  await expect(left).rejects.toThrow('gone');
  expect(first.signals[0]!.aborted).toBe(true);
  expect(await lookups.get('key', async () => 'anew', neverAborted())).toBe('anew');
});

test('a failure is not kept', async () => {
  const { lookups } = setup();
  const failing = lookups.get('key', () => Promise.reject(new Error('throttled')), neverAborted());
  await expect(failing).rejects.toThrow('throttled');
  expect(await lookups.get('key', async () => 'better', neverAborted())).toBe('better');
});

test('what was forgotten during a call is not kept when it is answered', async () => {
  const { lookups } = setup();
  const old = call();
  const waiting = lookups.get('key', old.read, neverAborted());
  lookups.forget('key');
  old.answer('old');
  expect(await waiting).toBe('old');
  expect(lookups.peek('key')).toBeUndefined();
});

test('over the limit the oldest answer is dropped', async () => {
  const { lookups } = setup(2);
  for (const key of ['a', 'b', 'c']) await lookups.get(key, async () => key, neverAborted());
  expect([...lookups.entries()]).toEqual([
    ['b', 'b'],
    ['c', 'c'],
  ]);
});

test('answers whose time is over are dropped with the next answer, not only when they are asked for', async () => {
  const { clock, lookups } = setup();
  lookups.put('short', 'a');
  lookups.put('long', 'b', 5 * MINUTE_MS);
  await clock.advance(MINUTE_MS);
  expect(lookups.size).toBe(2);
  lookups.put('new', 'c');
  expect(lookups.size).toBe(2);
  expect([...lookups.entries()].map(([key]) => key)).toEqual(['long', 'new']);
});

test('the order of the keys of a selector does not matter', () => {
  expect(keyOf([{ tags: { a: '1', b: '2' } }])).toBe(keyOf([{ tags: { b: '2', a: '1' } }]));
  expect(keyOf([{ id: 'subnet-1' }])).not.toBe(keyOf([{ id: 'subnet-2' }]));
});
