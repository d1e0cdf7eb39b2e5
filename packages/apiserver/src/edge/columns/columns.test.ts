/** Rows that a kube-apiserver 1.36 rendered for objects of every built-in kind, rendered again from the objects. */
import { readFileSync } from 'node:fs';
import type { KubeObject } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import type { Resource } from '../../resource.ts';
import { toTable } from '../table.ts';
import { builtinColumns } from './index.ts';

interface RecordedTable {
  readonly group: string;
  readonly kind: string;
  readonly now: string;
  readonly columns: readonly (readonly [name: string, type: string, format: string, priority: number])[];
  readonly rows: readonly { object: KubeObject; cells: unknown[]; conditions?: unknown[] }[];
}

interface Table {
  readonly columnDefinitions: {
    name: string;
    type: string;
    format: string;
    priority: number;
    description: string;
  }[];
  readonly rows: { cells: unknown[]; conditions?: unknown[] }[];
}

const recorded = JSON.parse(
  readFileSync(new URL('./golden/tables.json', import.meta.url), 'utf8'),
) as RecordedTable[];

function tableOf({ group, kind, rows, now }: RecordedTable): Table {
  const resource = { group, kind, columns: builtinColumns(group, kind) } as unknown as Resource;
  const objects = rows.map((row) => row.object);
  return toTable(resource, objects, { includeObject: 'None', listMeta: {}, nowMs: Date.parse(now) }) as Table;
}

describe.each(recorded)('$kind in group "$group"', (table) => {
  test('has the columns of the real server', () => {
    const { columnDefinitions } = tableOf(table);
    const shown = columnDefinitions.map(({ name, type, format, priority }) => [name, type, format, priority]);
    expect(shown).toEqual(table.columns);
    for (const { description } of columnDefinitions) expect(description).not.toBe('');
  });

  test.each(table.rows.map((row, index) => [row.object.metadata.name, index] as const))(
    'shows %s as the real server does',
    (_name, index) => {
      const row = tableOf(table).rows[index]!;
      expect(row.cells).toEqual(table.rows[index]!.cells);
      expect(row.conditions).toEqual(table.rows[index]!.conditions);
    },
  );
});

test('a kind without columns shows name and creation time', () => {
  const object: KubeObject = { metadata: { name: 'a', creationTimestamp: '2026-01-02T03:04:05Z' } };
  const cells = builtinColumns('example.com', 'Thing').map((column) => column.cell(object, 0));
  expect(cells).toEqual(['a', '2026-01-02T03:04:05Z']);
});

test('an object without anything in it can be shown for every kind', () => {
  for (const { group, kind } of recorded) {
    const cells = builtinColumns(group, kind).map((column) => column.cell({ metadata: {} }, 0));
    expect(cells).not.toContain(undefined);
  }
});
