/** docs/flexnode-requirements.md names a test for every line of the checklist: they must all be there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const PAGE = readFileSync(join(ROOT, 'docs/flexnode-requirements.md'), 'utf8');

/** The rows of all tables: requirement, file, titles from the group down to the test. */
const ROWS = PAGE.split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:---|Requirement)/.test(line))
  .map((line) => {
    const [, requirement = '', shownBy = ''] = line.split(/ ?\| ?/);
    const [, file = '', titles = ''] = /^`([^`]+)`: (.+)$/.exec(shownBy) ?? [];
    return { requirement, file, titles: titles.split(' > ') };
  });

const titlesOf = (file: string): string[] =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(TITLE)].map(([, , title]) => title!);

/** The first argument of describe and test; after `.each(…)` it is on its own line. */
const TITLE = /(?:describe|test|\))\(\s*(['"`])((?:(?!\1).)+)\1/g;

describe('the page of requirements', () => {
  test('has a row for every line of the checklist', () => {
    expect(ROWS.length).toBeGreaterThanOrEqual(60);
  });

  test.each(ROWS.map((row) => [row.requirement, row] as const))('%s: the test is there', (_name, row) => {
    expect(row.file, 'a row names a file and a title').not.toBe('');
    const known = titlesOf(row.file);
    for (const title of row.titles) expect(known).toContain(title);
    expect(row.titles.some((title) => title.includes('[004-checklist]'))).toBe(true);
  });
});
