/**
 * One step of a field path, as text: `f:name` a field, `k:{"name":"x"}` the item of a keyed list, `v:"x"` the item of
 * a list of distinct scalars, `i:0` a position. Decides the canonical text and order of steps, and how they read in messages.
 */
import { ownField } from '../storage/json.ts';
import type { ListType } from './field-type.ts';

/** A list item that cannot be distinguished from the others: the name that a real server uses for it. */
export class UnkeyedItem extends Error {}

/** The step to an item of a list that merges by item. */
export function itemElement(list: ListType, item: unknown): string {
  return list.keys === undefined ? scalarElement(item) : keyedElement(list.keys, item);
}

/** Canonical text of a step that a client wrote; undefined for one of unknown kind. Throws when it cannot be read. */
export function canonicalElement(text: string): string | undefined {
  if (text.length < 2) throw new Error('key must be 2 characters long:');
  if (text[1] !== ':') throw new Error(`missing colon: ${text}`);
  switch (text[0]) {
    case 'f':
      return text;
    case 'v':
      return `v:${goJson(JSON.parse(text.slice(2)))}`;
    case 'k': {
      const fields = Object.entries(JSON.parse(text.slice(2)) as Record<string, unknown>);
      fields.sort(([a], [b]) => (a < b ? -1 : 1));
      return `k:{${fields.map(([name, value]) => `${goJson(name)}:${goJson(value)}`).join(',')}}`;
    }
    case 'i':
      if (!/^i:[+-]?\d+$/.test(text))
        throw new Error(`strconv.Atoi: parsing ${goJson(text.slice(2))}: invalid syntax`);
      return `i:${Number.parseInt(text.slice(2), 10)}`;
    default:
      return undefined;
  }
}

/** Fields by name, then keyed items, then scalars, then positions. */
export function compareElements(a: string, b: string): number {
  if (a === b) return 0;
  const kind = a.charCodeAt(0);
  if (kind !== b.charCodeAt(0)) return RANK.indexOf(a.charAt(0)) - RANK.indexOf(b.charAt(0));
  if (kind === FIELD) return a < b ? -1 : 1;
  return compareParts(partsOf(a), partsOf(b));
}

/** As in a message: `.name`, `[name="x"]`, `[="x"]`, `[0]`. */
export function printElement(text: string): string {
  const body = text.slice(2);
  switch (text[0]) {
    case 'f':
      return `.${body}`;
    case 'k': {
      const fields = Object.entries(JSON.parse(body) as Record<string, unknown>);
      return `[${fields.map(([name, value]) => `${name}=${printValue(value)}`).join(',')}]`;
    }
    case 'v':
      return `[=${printValue(JSON.parse(body))}]`;
    default:
      return `[${body}]`;
  }
}

/** JSON as Go writes it: the characters that matter to HTML, and two line separators, are escaped. */
export function goJson(value: unknown): string {
  const text = JSON.stringify(value);
  return NEEDS_ESCAPE.test(text) ? text.replace(ESCAPED, (char) => ESCAPES[char] as string) : text;
}

// ---------------------------------------------------------------------------------------------------

const RANK = '.fkvi';
const FIELD = 'f'.charCodeAt(0);

const NEEDS_ESCAPE = /[<>&\u2028\u2029]/;
const ESCAPED = /[<>&\u2028\u2029]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  '<': '\\u003c',
  '>': '\\u003e',
  '&': '\\u0026',
  '\u2028': '\\u2028',
  '\u2029': '\\u2029',
};

function scalarElement(item: unknown): string {
  if (typeof item === 'string' || typeof item === 'number' || typeof item === 'boolean')
    return `v:${goJson(item)}`;
  if (item === null)
    throw new UnkeyedItem("associative list without keys has an element that's an explicit null");
  if (Array.isArray(item)) throw new UnkeyedItem('not supported: associative list with lists as elements');
  throw new UnkeyedItem("associative list without keys has an element that's a map type");
}

function keyedElement(keys: NonNullable<ListType['keys']>, item: unknown): string {
  if (item === null || item === undefined) {
    throw new UnkeyedItem('associative list with keys may not have a null element');
  }
  if (typeof item !== 'object' || Array.isArray(item)) {
    throw new UnkeyedItem('associative list with keys may not have non-map elements');
  }
  let text = '';
  for (const key of keys) {
    const value = ownField(item as Record<string, unknown>, key.name) ?? key.default;
    // A key that is absent and has no default is left out: with it, it would be another item.
    if (value === undefined) continue;
    text += `${text === '' ? '' : ','}"${key.name}":${goJson(value)}`;
  }
  if (text === '' && keys.length > 0) {
    const names = keys.map((key) => goJson(key.name)).join(' ');
    throw new UnkeyedItem(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    );
  }
  return `k:{${text}}`;
}

/** The same few elements are compared over and over: container names, ports, condition types. */
const MAX_REMEMBERED = 4096;
const remembered = new Map<string, unknown[]>();

/** What an element is made of, flat: values of a scalar or position, names and values of a keyed item. */
function partsOf(text: string): unknown[] {
  let parts = remembered.get(text);
  if (parts === undefined) {
    const body: unknown = JSON.parse(text.slice(2));
    parts = text[0] === 'k' ? Object.entries(body as Record<string, unknown>).flat() : [body];
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(text, parts);
  }
  return parts;
}

function compareParts(a: unknown[], b: unknown[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const order = compareValues(a[i], b[i]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

const KINDS = ['number', 'string', 'boolean'];

function compareValues(a: unknown, b: unknown): number {
  const kinds = kindRank(a) - kindRank(b);
  if (kinds !== 0) return kinds;
  if (kindRank(a) < KINDS.length) return a === b ? 0 : (a as string) < (b as string) ? -1 : 1;
  const [left, right] = [JSON.stringify(a), JSON.stringify(b)];
  return left === right ? 0 : left < right ? -1 : 1;
}

function kindRank(value: unknown): number {
  const rank = KINDS.indexOf(typeof value);
  return rank < 0 ? KINDS.length : rank;
}

function printValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(printValue).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .map(([name, inner]) => `${name}=${printValue(inner)}`)
      .join('');
  }
  return value === null ? 'null' : JSON.stringify(value);
}
