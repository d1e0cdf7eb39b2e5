import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FINDINGS } from '../../../packages/chandler/src/cli/testing.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../docs/takeover.md'), 'utf8');

test('docs/takeover.md lists every finding with its severity, and no other', () => {
  const rows = [...PAGE.matchAll(/^\| (`[A-Z][^|]*) \| (blocker|warning|note) \|/gm)];
  const listed = rows.flatMap(([, codes, severity]) =>
    [...codes!.matchAll(/`(\w+)`/g)].map((match) => `${match[1]}: ${severity}`),
  );
  expect(listed.sort()).toEqual(
    Object.entries(FINDINGS)
      .map(([code, severity]) => `${code}: ${severity}`)
      .sort(),
  );
});
