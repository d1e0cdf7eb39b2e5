import { expect, test } from 'vitest';
import { heapFlags } from './memory-limit.ts';

const GIBIBYTE = 2 ** 30;

test('the process may use nine tenths of the memory of the container', () => {
  expect(heapFlags(GIBIBYTE, [], {})).toEqual(['--max-old-space-size=821', '--max-semi-space-size=8']);
});

test('without a limit nothing is changed', () => {
  expect(heapFlags(-1, [], {})).toEqual([]);
});

test.each([
  [['--max-old-space-size=300'], {}],
  [['--max_old_space_size=300'], {}],
  [[], { NODE_OPTIONS: '--no-warnings --max-old-space-size=300' }],
])('what was given to Node.js itself stays: %j %j', (flags, env) => {
  expect(heapFlags(GIBIBYTE, flags, env)).toEqual([]);
});

test('a limit that is far too small still lets the process start', () => {
  expect(heapFlags(512, [], {})).toContain('--max-old-space-size=128');
});
