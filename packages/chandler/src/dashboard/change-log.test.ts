import { expect, test } from 'vitest';
import { ChangeLog } from './change-log.ts';
import type { Change } from './wire.ts';

const gone = (name: string): Change => ['node-gone', name];

test('a reader goes on after the number that it has', () => {
  const log = new ChangeLog({ epoch: 'e' });
  expect(log.after(0)).toEqual({ sequence: 0, text: '' });
  log.append([gone('a'), gone('b')]);
  log.append([gone('c')]);
  expect(log.sequence).toBe(3);
  expect(log.after(0)).toEqual({
    sequence: 3,
    text: '["node-gone","a"],["node-gone","b"],["node-gone","c"]',
  });
  expect(log.after(2)).toEqual({ sequence: 3, text: '["node-gone","c"]' });
  expect(log.after(3)).toEqual({ sequence: 3, text: '' });
});

test('as much is read at once as fits, and at least one change', () => {
  const log = new ChangeLog({ epoch: 'e' });
  log.append([gone('a'), gone('b'), gone('c')]);
  expect(log.after(0, 1)?.sequence).toBe(1);
  expect(log.after(1, 40)?.sequence).toBe(3);
});

test.each([
  ['number', { maxChanges: 3 }],
  ['size', { maxBytes: 3 * '["node-gone","x0"]'.length }],
])('the last changes are kept, bounded by %s; who is further behind must start again', (_, limit) => {
  const log = new ChangeLog({ epoch: 'e', ...limit });
  for (let at = 0; at < 8; at++) log.append([gone(`x${at}`)]);
  expect(log.sequence).toBe(8);
  expect(log.reaches(4)).toBe(false);
  expect(log.after(4)).toBeUndefined();
  expect(log.after(5)).toEqual({
    sequence: 8,
    text: '["node-gone","x5"],["node-gone","x6"],["node-gone","x7"]',
  });
});

test('a number that was never given is too far', () => {
  const log = new ChangeLog({ epoch: 'e' });
  for (const sequence of [1, -1, 0.5, Number.NaN]) expect(log.after(sequence)).toBeUndefined();
});

test('one change that is larger than the log leaves nothing to go on from but its end', () => {
  const log = new ChangeLog({ epoch: 'e', maxBytes: 10 });
  log.append([gone('much-too-long')]);
  expect(log.after(0)).toBeUndefined();
  expect(log.after(1)).toEqual({ sequence: 1, text: '' });
});
