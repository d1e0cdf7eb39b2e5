import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OTHER_SPECS, UPSTREAM_SPECS } from './upstream-specs.table.ts';

const ROOT = join(import.meta.dirname, '..', '..');
/** Of v1.15: 391 specs and 51 entries of tables. */
const SPECS = 442;
const ROWS = rowsOf(UPSTREAM_SPECS);
const OTHERS = rowsOf(OTHER_SPECS);

test('every test that the table of upstream specs names exists', () => {
  const missing = ROWS.filter(([, , named]) => !exists(named)).map(([, , named]) => named);
  expect([...new Set(missing)]).toEqual([]);
});

test('a test that does not exist is found', () => {
  expect(exists('repair.test.ts: is never written')).toBe(false);
  expect(exists('nowhere.test.ts: is never written')).toBe(false);
  expect(exists('test/disruption/repair.test.ts: is never written')).toBe(false);
});

test('every spec has one row', () => {
  const specs = [...ROWS, ...OTHERS].map(([file, spec]) => `${file}: ${spec}`);
  expect(specs.filter((spec, at) => specs.indexOf(spec) !== at)).toEqual([]);
  expect(specs).toHaveLength(SPECS);
});

test('a spec without a test has a reason', () => {
  expect(OTHERS.filter(([, , why]) => why.length < 20)).toEqual([]);
});

test('docs/disruption.md says how many specs have a counterpart', () => {
  const page = readFileSync(join(ROOT, 'docs', 'disruption.md'), 'utf8');
  expect(page).toContain(`${ROWS.length} of ${SPECS} specs`);
});

function rowsOf(table: typeof UPSTREAM_SPECS) {
  return Object.entries(table).flatMap(([file, rows]) => rows.map((row) => [file, ...row] as const));
}

/** The title of a test or of a row of one, as a string of its file. */
function exists(named: string): boolean {
  const [file, ...rest] = named.split(': ');
  const title = rest.join(': ');
  const path = file!.includes('/') ? file! : join('packages/chandler/src/disruption', file!);
  try {
    const text = readFileSync(join(ROOT, path), 'utf8');
    return [`'${title.replaceAll("'", "\\'")}'`, `"${title}"`].some((literal) => text.includes(literal));
  } catch {
    return false;
  }
}
