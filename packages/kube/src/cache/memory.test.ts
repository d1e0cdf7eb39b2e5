import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { MemoryFigures } from './memory.fixture.ts';

const program = join(import.meta.dirname, 'memory.fixture.ts');
const figures = JSON.parse(
  execFileSync(process.execPath, ['--expose-gc', program], { encoding: 'utf8' }),
) as MemoryFigures;

test('a pod without fields that others have takes less memory, and a rare field as much as another', () => {
  expect(figures.podWithoutOwner).toBeLessThan(figures.pod);
  expect(figures.podWithoutTolerations).toBeLessThan(figures.pod);
  expect(figures.podWithRareFields).toBeLessThan(figures.pod + 8);
});

test('conditions of nodes have their words and times in common', () => {
  // An object of 72 bytes for each condition, and the node around them.
  expect(figures.node).toBeLessThan(750);
});

test('an index takes a list for a value, and no more when the list is asked for', () => {
  // The elements of the list, the list itself, and its entry.
  expect(figures.listOf30).toBeLessThan(30 * 8 + 150);
});
