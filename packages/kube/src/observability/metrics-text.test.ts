import { describe, expect, test } from 'vitest';
import type { Series } from '../world.ts';
import { seriesLines } from './metrics-text.ts';

const SPEC = { name: 'level', help: 'Level.', labels: ['node', 'resource_type'] };
const textOf = (all: Iterable<Series>) => [...seriesLines(SPEC, all)].join('');

describe('the text of many series', () => {
  test('has shared labels and the labels of each series in one pair of braces', () => {
    const node = { node: 'a', zone: '' };
    const text = textOf([
      [1, node, { resource_type: 'cpu' }],
      [2.5, node, { resource_type: 'memory' }],
      [3, { node: 'b' }],
      [4, undefined, { resource_type: 'cpu' }],
      [5, node, {}],
      [6],
    ]);
    expect(text.trim().split('\n')).toEqual([
      '# HELP level Level.',
      '# TYPE level gauge',
      'level{node="a",zone="",resource_type="cpu"} 1',
      'level{node="a",zone="",resource_type="memory"} 2.5',
      'level{node="b"} 3',
      'level{resource_type="cpu"} 4',
      'level{node="a",zone=""} 5',
      'level 6',
    ]);
  });

  test('escapes label values, and prints NaN and infinity by name', () => {
    const text = textOf([
      [Number.NaN, { node: 'quote"back\\slash\nline' }],
      [Number.NEGATIVE_INFINITY, { node: 'a' }],
    ]);
    expect(text).toContain('level{node="quote\\"back\\\\slash\\nline"} NaN\n');
    expect(text).toContain('level{node="a"} -Inf\n');
  });

  test('is produced only as far as the client reads', () => {
    let worked = 0;
    function* endless(): Generator<Series> {
      for (;;) yield [worked++, { node: `node-${worked}` }];
    }
    const pieces = seriesLines(SPEC, endless());
    for (let piece = 0; piece < 3; piece++) {
      const { value } = pieces.next();
      expect(value!.endsWith('\n')).toBe(true);
      expect(value!.length).toBeLessThan(64 * 1024);
    }
    expect(worked).toBeLessThan(20_000);
  });
});
