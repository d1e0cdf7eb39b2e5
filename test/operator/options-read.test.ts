import { describe, expect, test } from 'vitest';
import { AZURE_CONTROLLER_OPTIONS } from '../../packages/chandler/src/cloud/azure/index.ts';
import type { OptionRow } from '../../packages/chandler/src/settings/index.ts';

import { codeOnly, isTest, sourceFiles } from '../structure/sources.ts';

const ROWS = Object.entries(AZURE_CONTROLLER_OPTIONS as Readonly<Record<string, OptionRow>>);

const TABLES = [
  'core-options',
  'azure-upstream-options',
  'azure-own-options',
  'launch-limits',
  'disruption-options',
];

/** Everything but the tables themselves; rules about options count. */
const TEXT = sourceFiles('packages')
  .filter(
    ({ path }) =>
      !isTest(path) && !TABLES.some((table) => path === `packages/chandler/src/settings/${table}.ts`),
  )
  .map(({ text }) => codeOnly(text))
  .join('\n');

const isRead = (name: string) => new RegExp(`\\b${name}\\b`).test(TEXT);

describe('every option is read; options without effect say why', () => {
  test.each(ROWS.filter(([, row]) => row.unused === undefined))('%s is read', (name) => {
    expect(isRead(name)).toBe(true);
  });
});
