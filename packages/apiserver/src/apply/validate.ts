/**
 * Whether a value fits its type closely enough to be merged: the first check of an applied configuration, with the
 * words of a real server. Everything finer (formats, ranges, required fields) is the strategy's.
 */
import { goPlain, goSyntax, goType } from '../patch/go-format.ts';
import type { FieldType, ListType, MapType, ScalarType } from './field-type.ts';
import { itemElement, printElement, UnkeyedItem } from './path-element.ts';
import { formOf, type JsonMap } from './typed-value.ts';

/** One line per mistake, `.spec.foo: field not declared in schema`; empty when the value fits. */
export function misfits(value: unknown, type: FieldType, allowDuplicates = false): string[] {
  const found: string[] = [];
  visit(value, type, { path: '', found, allowDuplicates });
  return found;
}

/** As one message. */
export function describeMisfits(found: readonly string[]): string {
  return found.length === 1
    ? (found[0] as string)
    : ['errors:', ...found.map((line) => `  ${line}`)].join('\n');
}

// ---------------------------------------------------------------------------------------------------

interface Walk {
  readonly path: string;
  readonly found: string[];
  readonly allowDuplicates: boolean;
}

function report(walk: Walk, message: string): void {
  walk.found.push(walk.path === '' ? message : `${walk.path}: ${message}`);
}

function visit(value: unknown, type: FieldType, walk: Walk): void {
  const form = formOf(type, value);
  if (form === undefined) report(walk, 'schema error: invalid atom: inlined');
  else if (value === null || value === undefined) return;
  else if (form === 'map' && type.map !== undefined) visitMap(value, type.map, walk);
  else if (form === 'list' && type.list !== undefined) visitList(value, type.list, walk);
  else if (type.scalar !== undefined) visitScalar(value, type.scalar, walk);
}

const SCALAR_MISFITS: Readonly<Record<ScalarType, (value: unknown) => string | undefined>> = {
  string: (value) =>
    typeof value === 'string'
      ? undefined
      : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`,
  numeric: (value) =>
    typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goType(value)}`,
  boolean: (value) => (typeof value === 'boolean' ? undefined : `expected boolean, got &{${goPlain(value)}}`),
  untyped: (value) =>
    typeof value === 'object' ? `expected any scalar, got &{${goPlain(value)}}` : undefined,
};

function visitScalar(value: unknown, type: ScalarType, walk: Walk): void {
  const message = SCALAR_MISFITS[type](value);
  if (message !== undefined) report(walk, message);
}

function visitMap(value: unknown, type: MapType, walk: Walk): void {
  if (typeof value !== 'object' || Array.isArray(value)) {
    report(walk, `expected map, got &{${goPlain(value)}}`);
    return;
  }
  for (const name of Object.keys(value as JsonMap).sort()) {
    const inner = (value as JsonMap)[name];
    const within = { ...walk, path: `${walk.path}.${name}` };
    const fieldType = type.fields?.get(name)?.type ?? type.element;
    if (fieldType === undefined) {
      report(within, 'field not declared in schema');
      return;
    }
    visit(inner, fieldType, within);
  }
}

function visitList(value: unknown, type: ListType, walk: Walk): void {
  if (!Array.isArray(value)) {
    report(walk, `expected list, got &{${goPlain(value)}}`);
    return;
  }
  const seen = new Set<string>();
  for (const [index, item] of value.entries()) {
    let element = `i:${index}`;
    if (!type.atomic) {
      const found = elementOrMisfit(type, item);
      if (found instanceof UnkeyedItem) {
        report(walk, `element ${index}: ${found.message}`);
        return;
      }
      element = found;
      if (seen.has(element) && !walk.allowDuplicates)
        report(walk, `duplicate entries for key ${printElement(element)}`);
      seen.add(element);
    }
    visit(item, type.items, { ...walk, path: walk.path + printElement(element) });
  }
}

function elementOrMisfit(type: ListType, item: unknown): string | UnkeyedItem {
  try {
    return itemElement(type, item);
  } catch (error) {
    if (error instanceof UnkeyedItem) return error;
    throw error;
  }
}
