import { expect, test } from 'vitest';
import { readKeys } from './keys.ts';
import { barText, painter } from './paint.ts';
import { type Column, fittingTable } from './table.ts';

interface Row {
  readonly name: string;
  readonly type: string;
  readonly why: string;
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'NAME', rank: 1, of: ({ name }) => name },
  { title: 'TYPE', rank: 3, shrinksTo: 6, cut: 'start', of: ({ type }) => type },
  { title: 'WHY', rank: 2, shrinksTo: 5, of: ({ why }) => why },
];
const ROWS = [
  { name: 'a-1', type: 'general_d8', why: 'it is not empty' },
  { name: 'b', type: 'm', why: '-' },
];

test('without a width everything is shown whole', () => {
  expect(fittingTable(COLUMNS, ROWS, undefined)).toEqual({
    head: 'NAME  TYPE        WHY',
    lines: ['a-1   general_d8  it is not empty', 'b     m           -'],
  });
});

test('long cells are cut before a column is left out, the last ones first', () => {
  expect(fittingTable(COLUMNS, ROWS, 26).lines[0]).toBe('a-1   general_d8  it is n…');
  expect(fittingTable(COLUMNS, ROWS, 20).lines[0]).toBe('a-1   …ral_d8  it i…');
});

test('a column that is left out gives its room back', () => {
  expect(fittingTable(COLUMNS, ROWS, 18)).toEqual({
    head: 'NAME  WHY',
    lines: ['a-1   it is not e…', 'b     -'],
  });
  expect(fittingTable(COLUMNS, ROWS, 4).lines).toEqual(['a-1', 'b']);
});

test('control characters of cells are removed', () => {
  const [line] = fittingTable(
    COLUMNS,
    [{ name: 'a\u001b[2Jb', type: 'x\ny', why: '\u202e' }],
    undefined,
  ).lines;
  expect(line).toBe('a [2Jb  x y');
});

test('a bar is full at all of it and beyond', () => {
  expect([0, 0.5, 1, 1.7].map((share) => barText(share, 4))).toEqual(['░░░░', '██░░', '████', '████']);
});

test('without colour nothing is painted', () => {
  expect(painter({ columns: 10, color: false }).warn('text')).toBe('text');
  expect(painter({ columns: 10, color: true }).warn('text')).toBe('\u001b[33mtext\u001b[39m');
});

test('keys arrive one by one, several at once, or as sequences', () => {
  expect(readKeys('q')).toEqual(['quit']);
  expect(readKeys('\u0003')).toEqual(['quit']);
  expect(readKeys('jj\u001b[A\u001b[6~x')).toEqual(['down', 'down', 'up', 'pageDown']);
});
