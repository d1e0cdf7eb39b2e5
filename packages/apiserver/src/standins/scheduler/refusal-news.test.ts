import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { RefusalNews } from './refusal-news.ts';

function news() {
  const { clock } = virtualWorld();
  const said: string[] = [];
  return {
    clock,
    said,
    news: new RefusalNews(clock, (key, message) => void said.push(`${key}: ${message}`)),
  };
}

test('the first word comes at once, later ones ever more rarely, and the last word is always said', async () => {
  const { clock, said, news: pods } = news();
  for (let nodes = 0; nodes < 100; nodes++) {
    pods.say('a', `0/${nodes}`);
    await clock.advance(100);
  }
  expect(said[0]).toBe('a: 0/0');
  expect(said.length).toBeLessThan(7);
  await clock.advance(20_000);
  expect(said.at(-1)).toBe('a: 0/99');
  const count = said.length;
  await clock.advance(60_000);
  expect(said).toHaveLength(count);
});

test('a pod that is gone is told nothing more', async () => {
  const { clock, said, news: pods } = news();
  pods.say('a', 'one');
  pods.say('a', 'two');
  pods.forget('a');
  await clock.advance(20_000);
  expect(said).toEqual(['a: one']);
});
