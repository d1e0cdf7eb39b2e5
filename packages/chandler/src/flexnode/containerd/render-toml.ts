/** Writes TOML, the same bytes for the same tables, and lays one table over another. */
import { isTable, type TomlTable, type TomlValue } from './parse-toml.ts';

/** Values of a table come before its sub-tables, each in the order in which they were put in. */
export function renderToml(table: TomlTable): string {
  return `${renderTable(table, []).join('\n')}\n`;
}

/** Tables are merged; everything else, lists too, is replaced. */
export function layOver(base: TomlTable, over: TomlTable): TomlTable {
  const merged: Record<string, TomlValue> = { ...base };
  for (const [key, value] of Object.entries(over)) {
    const there = Object.hasOwn(merged, key) ? merged[key] : undefined;
    merged[key] = isTable(there) && isTable(value) ? layOver(there, value) : value;
  }
  return merged;
}

// ---------------------------------------------------------------------------------------------------

function renderTable(table: TomlTable, path: readonly string[]): string[] {
  const entries = Object.entries(table);
  const plain = entries.filter(([, value]) => !isTable(value));
  const inner = entries.filter((entry): entry is [string, TomlTable] => isTable(entry[1]));
  const indent = '  '.repeat(Math.max(0, path.length - 1));
  const lines: string[] = [];
  // A table that only holds tables needs no line of its own.
  if (path.length > 0 && (plain.length > 0 || inner.length === 0)) {
    lines.push('', `${indent}[${path.map(renderKey).join('.')}]`);
  }
  const within = path.length > 0 ? `${indent}  ` : '';
  lines.push(...plain.map(([key, value]) => `${within}${renderKey(key)} = ${renderValue(value)}`));
  for (const [key, value] of inner) lines.push(...renderTable(value, [...path, key]));
  return lines;
}

function renderKey(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : quoted(key);
}

function renderValue(value: TomlValue): string {
  if (typeof value === 'string') return quoted(value);
  if (Array.isArray(value)) return `[${value.map(renderValue).join(', ')}]`;
  if (!isTable(value)) return String(value);
  const pairs = Object.entries(value).map(([key, inner]) => `${renderKey(key)} = ${renderValue(inner)}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

/** JSON's escapes are TOML's too, but for the slash, which JSON does not escape either. */
function quoted(text: string): string {
  return JSON.stringify(text).replaceAll('\x7f', '\\u007F');
}
