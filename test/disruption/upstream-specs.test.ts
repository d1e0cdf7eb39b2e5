import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { UPSTREAM_SPECS } from './upstream-specs.table.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const ROWS = Object.entries(UPSTREAM_SPECS).flatMap(([file, rows]) =>
  rows.map((row) => [file, ...row] as const),
);

test('every test that the table of upstream specs names exists', () => {
  const missing = ROWS.filter(([, , named]) => !exists(named)).map(([, , named]) => named);
  expect([...new Set(missing)]).toEqual([]);
});

test('a test that does not exist is found', () => {
  expect(exists('repair.test.ts: is never written')).toBe(false);
  expect(exists('nowhere.test.ts: is never written')).toBe(false);
});

test('no spec has two rows', () => {
  const specs = ROWS.map(([file, spec]) => `${file}: ${spec}`);
  expect(specs.filter((spec, at) => specs.indexOf(spec) !== at)).toEqual([]);
});

test('docs/disruption.md says how many specs have a counterpart', () => {
  const page = readFileSync(join(ROOT, 'docs', 'disruption.md'), 'utf8');
  expect(page).toContain(`${ROWS.length} of 442 specs`);
});

/** A test or a group of tests with this title. */
function exists(named: string): boolean {
  const [file, ...title] = named.split(': ');
  try {
    const text = readFileSync(join(ROOT, 'packages/chandler/src/disruption', file!), 'utf8');
    return text.includes(`('${title.join(': ').replaceAll("'", "\\'")}'`);
  } catch {
    return false;
  }
}
