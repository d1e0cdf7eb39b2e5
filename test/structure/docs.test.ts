import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, sourceFiles } from './sources.ts';

test('every relative link in the documentation leads somewhere', () => {
  const pages = ['docs', 'packages', 'test/cases', 'charts', 'examples', '.github']
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) => sourceFiles(folder, ['.md']));
  const broken = [...sourceFiles('.', ['.md']), ...pages].flatMap(({ path, text }) =>
    [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
      .map((match) => match[1]!)
      .filter((target) => !existsSync(join(ROOT, dirname(path), target)))
      .map((target) => `${path} -> ${target}`),
  );
  expect(broken).toEqual([]);
});
