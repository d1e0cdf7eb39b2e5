import { expect, test } from 'vitest';
import { plannedSavings } from './planned-savings.ts';

test('a move with a node of which the controller said otherwise is no saving of now', () => {
  const move = (nodes: string[], savedPerHour: number | null) => ({
    method: 'empty',
    nodes,
    replacements: [],
    pods: 0,
    savedPerHour,
    text: '',
  });
  const moves = [move(['a'], 1), move(['b', 'c'], 2), move(['d'], null)];
  expect(plannedSavings(moves, () => false)).toEqual({ perHour: 3, deniedPerHour: 0 });
  expect(plannedSavings(moves, (node) => node === 'c')).toEqual({ perHour: 1, deniedPerHour: 2 });
});
