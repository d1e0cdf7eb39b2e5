import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { LastingEvents } from './lasting-events.ts';

const MINUTE_MS = 60_000;

function stage() {
  const { clock } = virtualWorld();
  const events = new LastingEvents(clock);
  const published: string[] = [];
  const set = (key: string, text: string) => events.set(key, text, () => published.push(`${key} ${text}`));
  /** What `repeat` publishes after this time. */
  const repeatedAfter = async (minutes: number) => {
    await clock.advance(minutes * MINUTE_MS);
    published.length = 0;
    events.repeat();
    return [...published];
  };
  return { events, published, set, repeatedAfter };
}

test('a text is published when it changes', () => {
  const { published, set } = stage();
  for (const text of ['full', 'full', 'frozen', 'full']) set('a', text);
  expect(published).toEqual(['a full', 'a frozen', 'a full']);
});

test('a text that holds is repeated every 15 minutes', async () => {
  const { set, repeatedAfter } = stage();
  set('a', 'full');
  expect(await repeatedAfter(14)).toEqual([]);
  set('a', 'full');
  expect(await repeatedAfter(1)).toEqual(['a full']);
  expect(await repeatedAfter(14)).toEqual([]);
  expect(await repeatedAfter(1)).toEqual(['a full']);
});

test('a text that no longer holds is not repeated', async () => {
  const { events, set, repeatedAfter } = stage();
  set('a', 'full');
  set('b', 'full');
  events.delete('a');
  expect(events.keys()).toEqual(['b']);
  expect(await repeatedAfter(15)).toEqual(['b full']);
});

test('many are repeated a few at a time, and each of them', async () => {
  const { set, repeatedAfter } = stage();
  const keys = Array.from({ length: 45 }, (_, index) => `node-${index}`);
  for (const key of keys) set(key, 'full');
  const rounds = [
    await repeatedAfter(15),
    await repeatedAfter(0),
    await repeatedAfter(0),
    await repeatedAfter(0),
  ];
  expect(rounds.map(({ length }) => length)).toEqual([20, 20, 5, 0]);
  expect(new Set(rounds.flat()).size).toBe(45);
});

test('so many that a few at a time would take too long are repeated faster', async () => {
  const { set, repeatedAfter } = stage();
  for (let index = 0; index < 5_000; index += 1) set(`node-${index}`, 'full');
  expect(await repeatedAfter(15)).toHaveLength(56);
});
