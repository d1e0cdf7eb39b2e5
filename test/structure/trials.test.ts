/** docs/trials.md names the test that holds each fix. This test checks that each of them exists. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './sources.ts';

interface Row {
  readonly row: string;
  readonly tests: readonly { readonly file: string; readonly name: string }[];
}

/** A cell holds one or more of `path/to/file`: name of the test, joined by `<br>`. */
function rowsOf(page: string): readonly Row[] {
  return page
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| ---') && !line.startsWith('| defect '))
    .map((line) => {
      const cells = line
        .slice(2, line.lastIndexOf('|'))
        .split(/(?<!\\)\| /)
        .map((cell) => cell.trim().replaceAll('\\|', '|'));
      const tests = (cells[2] ?? '').split('<br>').flatMap((part) => {
        const found = /^`([^`]+)`: (.+)$/.exec(part.trim());
        return found === null ? [] : [{ file: found[1]!, name: found[2]!.trim() }];
      });
      return { row: cells[0]!, tests };
    });
}

/** The problems of a page, one line each. */
function problemsOf(page: string): readonly string[] {
  return rowsOf(page).flatMap(({ row, tests }) => {
    if (tests.length === 0) return [`${row}: names no test`];
    return tests.flatMap(({ file, name }) => {
      if (!existsSync(join(ROOT, file))) return [`${row}: ${file} does not exist`];
      const text = readFileSync(join(ROOT, file), 'utf8').replaceAll("\\'", "'");
      return text.includes(name) ? [] : [`${row}: ${file} has no test "${name}"`];
    });
  });
}

test('every row of docs/trials.md names a test that exists', () => {
  const page = readFileSync(join(ROOT, 'docs/trials.md'), 'utf8');
  expect(rowsOf(page).length).toBeGreaterThan(10);
  expect(problemsOf(page)).toEqual([]);
});

test('a row without a test, with a missing file and with a missing name is reported', () => {
  const page = [
    '| defect | what was wrong | test |',
    '| --- | --- | --- |',
    '| a | wrong |  |',
    '| b | wrong | `test/structure/gone.test.ts`: gone |',
    `| c | wrong | \`test/structure/docs.test.ts\`: ${'no such'} name |`,
    '| d | a \\| b | `test/structure/docs.test.ts`: every file and folder exists |',
  ].join('\n');
  expect(problemsOf(page)).toEqual([
    'a: names no test',
    'b: test/structure/gone.test.ts does not exist',
    'c: test/structure/docs.test.ts has no test "no such name"',
  ]);
});
