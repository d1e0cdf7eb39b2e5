/**
 * JSON values as Go prints them: a real server's messages about patches quote values this way, and clients match on
 * messages.
 */

/** `%v`: `map[a:1 b:[x y]]`, keys in order. */
export function goPlain(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goPlain).join(' ')}]`;
  if (typeof value === 'object')
    return `map[${sortedEntries(value, (name, inner) => `${name}:${goPlain(inner)}`).join(' ')}]`;
  return String(value);
}

/** `%#v`: `map[string]interface {}{"a":1}`. */
export function goSyntax(value: unknown): string {
  if (value === null || value === undefined) return 'interface {}(nil)';
  if (Array.isArray(value)) return `[]interface {}{${value.map(goSyntax).join(', ')}}`;
  if (typeof value === 'object') {
    const entries = sortedEntries(value, (name, inner) => `${JSON.stringify(name)}:${goSyntax(inner)}`);
    return `map[string]interface {}{${entries.join(', ')}}`;
  }
  return typeof value === 'string' ? JSON.stringify(value) : String(value);
}

/** `%T`: the type that Go gives to a value decoded from JSON. */
export function goType(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return typeof value === 'boolean' ? 'bool' : 'string';
}

/** What encoding/json calls a value that it did not expect. */
export function jsonKind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

// ---------------------------------------------------------------------------------------------------

function sortedEntries(value: object, print: (name: string, inner: unknown) => string): string[] {
  return Object.keys(value)
    .sort()
    .map((name) => print(name, (value as Record<string, unknown>)[name]));
}
