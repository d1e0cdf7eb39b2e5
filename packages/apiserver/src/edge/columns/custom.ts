/**
 * The columns of custom resources: the name, then what the CRD's additionalPrinterColumns ask for,
 * or the age when they ask for nothing.
 */
import type { PrinterColumn } from '../../resource.ts';
import { rowOf } from '../../table-row.ts';
import { ageOf } from '../age.ts';
import { type Cell, NAME } from './column.ts';
import { compileJsonPath, type JsonPath, PathError } from './json-path.ts';

/** One entry of `additionalPrinterColumns`. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** A path that cannot be read ends the list, as it does in a real API server. */
export function customColumns(definitions: readonly ColumnDefinition[]): readonly PrinterColumn[] {
  const columns: PrinterColumn[] = [NAME];
  for (const definition of definitions.length === 0 ? [AGE_DEFINITION] : definitions) {
    const path = compiled(definition.jsonPath);
    if (path === undefined) break;
    columns.push(customColumn(definition, path));
  }
  return columns;
}

// ---------------------------------------------------------------------------------------------------

const AGE_DEFINITION: ColumnDefinition = {
  name: 'Age',
  type: 'date',
  description: 'How long ago the object was created.',
  jsonPath: '.metadata.creationTimestamp',
};

function compiled(path: string): JsonPath | undefined {
  try {
    return compileJsonPath(path);
  } catch (error) {
    if (error instanceof PathError) return undefined;
    throw error;
  }
}

function customColumn(definition: ColumnDefinition, path: JsonPath): PrinterColumn {
  const shown = `Custom resource definition column (in JSONPath format): ${definition.jsonPath}`;
  const convert = rowOf(CELLS, definition.type) ?? (() => null);
  return {
    name: definition.name,
    type: definition.type as PrinterColumn['type'],
    ...(definition.format === undefined ? {} : { format: definition.format }),
    description: definition.description || shown,
    priority: definition.priority ?? 0,
    cell: (object, nowMs) => {
      const found = firstMatch(path, object);
      return found === undefined ? null : convert(found, nowMs);
    },
  };
}

/** Undefined where the path leads nowhere or does not fit the object: the cell is then empty. */
function firstMatch(path: JsonPath, object: unknown): unknown {
  try {
    return path(object)[0];
  } catch (error) {
    if (error instanceof PathError) return undefined;
    throw error;
  }
}

/** A value that is not of the column's type gives an empty cell, except that anything can be text. */
const CELLS: Readonly<Record<string, (value: unknown, nowMs: number) => Cell>> = {
  string: asText,
  integer: (value) => (typeof value === 'number' ? Math.trunc(value) : null),
  number: (value) => (typeof value === 'number' ? value : null),
  boolean: (value) => (typeof value === 'boolean' ? value : null),
  date: asAge,
};

function asText(value: unknown): string {
  if (value === null) return '<no value>';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function asAge(value: unknown, nowMs: number): Cell {
  if (typeof value !== 'string') return null;
  if (value === '') return '<unknown>';
  return RFC_3339.test(value) ? ageOf(value, nowMs) : '<invalid>';
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;
