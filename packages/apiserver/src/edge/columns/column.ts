/**
 * How printer columns are written: short builders for the columns many kinds share, and readers that take
 * a field of an object of any shape without an error. What a kind shows is in the files beside this one.
 */
import type { KubeObject } from '@chandler/kube';
import type { PrinterColumn } from '../../resource.ts';
import { ageOf } from '../age.ts';

export type Cell = string | number | boolean | null;
export type Reader = (object: KubeObject, nowMs: number) => Cell;
export type Fields = Readonly<Record<string, unknown>>;

/** Priority 1: shown with `-o wide` only. */
export const WIDE = { priority: 1 } as const;

export function text(name: string, cell: Reader, extra: Partial<PrinterColumn> = {}): PrinterColumn {
  return { name, type: 'string', description: '', priority: 0, cell, ...extra };
}

export function integer(name: string, cell: Reader, extra: Partial<PrinterColumn> = {}): PrinterColumn {
  return text(name, cell, { type: 'integer', ...extra });
}

export function flag(name: string, cell: Reader, extra: Partial<PrinterColumn> = {}): PrinterColumn {
  return text(name, cell, { type: 'boolean', ...extra });
}

const NAME_DESCRIPTION = 'The name of the object, unique within its namespace.';

export const NAME: PrinterColumn = text('Name', (object) => object.metadata.name ?? '', {
  format: 'name',
  description: NAME_DESCRIPTION,
});

export function nameColumn(cell: Reader): PrinterColumn {
  return { ...NAME, cell };
}

export const AGE: PrinterColumn = text(
  'Age',
  (object, nowMs) => ageOf(object.metadata.creationTimestamp, nowMs),
  { description: 'How long ago the object was created.' },
);

/** A kind without columns of its own shows the timestamp itself, not an age. */
export const CREATED_AT: PrinterColumn = text(
  'Created At',
  (object) => object.metadata.creationTimestamp ?? '0001-01-01T00:00:00Z',
  { type: 'date', description: 'When the object was created.' },
);

export const DEFAULT_COLUMNS: readonly PrinterColumn[] = [NAME, CREATED_AT];

/** The value at a path, undefined as soon as a step is missing. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let current = value;
  for (const step of path) {
    if (current === null || typeof current !== 'object') return undefined;
    current = (current as Record<string | number, unknown>)[step];
  }
  return current;
}

export function stringAt(value: unknown, ...path: readonly (string | number)[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : typeof found === 'number' ? String(found) : '';
}

export function numberAt(value: unknown, ...path: readonly (string | number)[]): number {
  const found = at(value, ...path);
  return typeof found === 'number' ? found : 0;
}

export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly Fields[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? (found as Fields[]) : [];
}

export function textsAt(value: unknown, ...path: readonly (string | number)[]): readonly string[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter((entry): entry is string => typeof entry === 'string') : [];
}

export function mapAt(value: unknown, ...path: readonly (string | number)[]): Fields {
  const found = at(value, ...path);
  return found !== null && typeof found === 'object' && !Array.isArray(found) ? (found as Fields) : {};
}

/** The status of a condition, undefined where there is none of this type. */
export function conditionOf(object: unknown, type: string): string | undefined {
  const found = listAt(object, 'status', 'conditions').find((condition) => condition['type'] === type);
  return found === undefined ? undefined : stringAt(found, 'status');
}
