/**
 * Writes TOML with the indentation of `containerd config default`, and lays one table over another. The writer of
 * smol-toml is not used for tables: different bytes in `config.toml` restart containerd on every existing node.
 */
import { stringify, type TomlTable, type TomlValue } from 'smol-toml';

/** Values of a table come before its sub-tables, each in the order in which they were put in. */
export function renderToml(table: TomlTable): string {
  return `${renderTable(table, []).join('\n')}\n`;
}

/** Tables are merged; everything else, lists too, is replaced. */
export function layOver(base: TomlTable, over: TomlTable): TomlTable {
  const merged = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const there = merged.get(key);
    merged.set(key, isTable(there) && isTable(value) ? layOver(there, value) : value);
  }
  return Object.fromEntries(merged);
}

// ---------------------------------------------------------------------------------------------------

function isTable(value: TomlValue | undefined): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value) && !(value instanceof Date);
}

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
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : renderValue(key);
}

function renderValue(value: TomlValue): string {
  if (Array.isArray(value)) return `[${value.map(renderValue).join(', ')}]`;
  if (!isTable(value)) return stringify({ value }).slice('value = '.length).trimEnd();
  const pairs = Object.entries(value).map(([key, inner]) => `${renderKey(key)} = ${renderValue(inner)}`);
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}
