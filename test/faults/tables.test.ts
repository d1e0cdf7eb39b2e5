import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { PAGE, withTables } from './tables.ts';

describe('docs/reliability.md', () => {
  test('names every bug that was found and every bug that is put in (node test/faults/tables.ts writes them)', async () => {
    const page = readFileSync(PAGE, 'utf8');
    expect(page).toBe(await withTables(page));
  });
});
