import { expect, test } from 'vitest';
import { isGenerated, sourceFiles } from './sources.ts';

const LIMIT_LINES = 400;

test('no file is longer than a reader can hold', () => {
  const long = ['packages', 'test', 'bench', 'scripts']
    .flatMap((folder) => sourceFiles(folder))
    .filter((file) => !isGenerated(file.path))
    .map((file) => ({ path: file.path, lines: file.text.split('\n').length - 1 }))
    .filter((file) => file.lines > LIMIT_LINES);
  expect(long).toEqual([]);
});
