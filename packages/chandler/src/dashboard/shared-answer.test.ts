import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { sharedAnswer } from './shared-answer.ts';

function counted(tookMs: number) {
  const { clock } = virtualWorld();
  let made = 0;
  const ask = sharedAnswer(clock, 5_000, async () => {
    await clock.sleep(tookMs);
    return ++made;
  });
  const asked = async () => {
    const answer = ask();
    await clock.advance(tookMs);
    return answer;
  };
  return { clock, ask, asked };
}

test('who asks while it is being made, or soon after, gets the same answer', async () => {
  const { clock, ask, asked } = counted(10);
  const [one, other] = [ask(), ask()];
  await clock.advance(10);
  expect([await one, await other, await asked()]).toEqual([1, 1, 1]);
  await clock.advance(5_000);
  expect(await asked()).toBe(2);
});

test('an answer that took long is given for longer', async () => {
  const { clock, asked } = counted(10_000);
  await asked();
  await clock.advance(25_000);
  expect(await asked()).toBe(1);
  await clock.advance(10_000);
  expect(await asked()).toBe(2);
});

test('a failure is not kept', async () => {
  const { clock } = virtualWorld();
  let made = 0;
  const ask = sharedAnswer(clock, 5_000, async () => {
    made += 1;
    if (made === 1) throw new Error('not now');
    return made;
  });
  await expect(ask()).rejects.toThrow('not now');
  expect(await ask()).toBe(2);
});
