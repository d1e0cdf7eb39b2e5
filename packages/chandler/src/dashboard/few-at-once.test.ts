import { expect, test } from 'vitest';
import { FewAtOnce } from './few-at-once.ts';

test('no more run at once than may, the others wait for their turn, and what is too much is refused', async () => {
  const few = new FewAtOnce(2, 3);
  let running = 0;
  let most = 0;
  const ends: (() => void)[] = [];
  const work = (answer: number) =>
    few.run(async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => ends.push(resolve));
      running--;
      if (answer === 1) throw new Error('a failure gives its place to the next');
      return answer;
    });
  const answers = [0, 1, 2, 3, 4, 5].map((answer) => work(answer).catch((error: Error) => error.message));
  expect(await answers[5]).toBe('too many answers are being made');
  const ending = (async () => {
    for (let ended = 0; ended < 5; ended++) {
      while (ends.length <= ended) await new Promise((resolve) => setTimeout(resolve, 1));
      ends[ended]!();
    }
  })();
  expect(await Promise.all(answers.slice(0, 5))).toEqual([
    0,
    'a failure gives its place to the next',
    2,
    3,
    4,
  ]);
  await ending;
  expect([most, running]).toEqual([2, 0]);
});
