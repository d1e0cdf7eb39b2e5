import { expect, test } from 'vitest';
import { CONFIG_MAPS } from '../client/resources.table.ts';
import { Turns } from '../controller/turns.ts';
import { stored } from '../testing/stored.ts';
import { feedStore } from './sources.ts';
import { Store } from './store.ts';

const COUNT = 5_000;
const aMap = (name: string) => stored({ metadata: { name, namespace: 'a' } });

function feeding() {
  let nowMs = 0;
  const tasks: (() => void)[] = [];
  const after = (_: number, task: () => void) => {
    tasks.push(task);
    return { cancel: () => undefined };
  };
  const turns = new Turns({ monotonic: () => nowMs, after });
  const store = new Store({ resource: CONFIG_MAPS });
  store.replace(
    Array.from({ length: COUNT }, (_, at) => aMap(`m${at}`)),
    '9',
  );
  const fed: string[] = [];
  // Each object takes a tenth of a millisecond, a turn 20.
  const stop = feedStore(
    store,
    ({ object }) => {
      nowMs += 0.1;
      fed.push(object.metadata.name);
    },
    turns,
  );
  const turn = async () => {
    for (const task of tasks.splice(0)) task();
    for (let hop = 0; hop < 20; hop++) await undefined;
  };
  return { store, fed, stop, turn };
}

test('many objects are fed in several turns of the event loop, and changes meanwhile are reported', async () => {
  const { store, fed, turn } = feeding();
  expect(fed.length).toBeLessThan(COUNT / 2);
  store.apply('ADDED', { ...aMap('late'), metadata: { ...aMap('late').metadata, resourceVersion: '10' } });
  expect(fed.at(-1)).toBe('late');
  for (let count = 0; count < 50; count++) await turn();
  expect(new Set(fed).size).toBe(COUNT + 1);
});

test('feeding ends when the source is stopped', async () => {
  const { fed, stop, turn } = feeding();
  const before = fed.length;
  stop();
  for (let count = 0; count < 50; count++) await turn();
  expect(fed).toHaveLength(before);
});
