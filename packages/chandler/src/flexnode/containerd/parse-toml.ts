/**
 * Reads TOML, as far as a configuration of containerd uses it: tables, lists of tables, dotted and quoted keys, strings of
 * all four kinds, numbers, booleans, lists and inline tables. Dates are not read. A mistake is told with its line.
 */

export type TomlValue = string | number | boolean | readonly TomlValue[] | TomlTable;
export interface TomlTable {
  readonly [key: string]: TomlValue;
}

export class TomlError extends Error {
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.name = 'TomlError';
    this.line = line;
  }
}

export function parseToml(text: string): TomlTable {
  const reader = new Reader(text);
  const root: Building = {};
  const declared = new Set<string>();
  let into = root;
  for (reader.skipBlank(); !reader.atEnd; reader.skipBlank()) {
    if (reader.peek() === '[') into = openTable(reader, root, declared);
    else assign(reader, into);
    reader.endOfLine();
  }
  return root;
}

export function isTable(value: TomlValue | undefined): value is TomlTable {
  return typeof value === 'object' && !Array.isArray(value);
}

// ---------------------------------------------------------------------------------------------------

interface Building {
  [key: string]: TomlValue;
}

function openTable(reader: Reader, root: Building, declared: Set<string>): Building {
  const isList = reader.ahead('[[');
  reader.expect(isList ? '[[' : '[');
  const path = readKey(reader);
  reader.skipSpaces();
  reader.expect(isList ? ']]' : ']');
  const name = JSON.stringify(path);
  if (!isList && declared.has(name)) throw reader.error(`the table ${path.join('.')} is there twice`);
  declared.add(name);
  const last = path.at(-1)!;
  const parent = descend(reader, root, path.slice(0, -1));
  const there = Object.hasOwn(parent, last) ? parent[last] : undefined;
  if (!isList) return descend(reader, parent, [last]);
  if (there !== undefined && !Array.isArray(there))
    throw reader.error(`${path.join('.')} is not a list of tables`);
  const entry: Building = {};
  parent[last] = [...((there as readonly TomlValue[] | undefined) ?? []), entry];
  return entry;
}

function assign(reader: Reader, into: Building): void {
  const path = readKey(reader);
  reader.skipSpaces();
  reader.expect('=');
  reader.skipSpaces();
  const value = readValue(reader);
  const last = path.at(-1)!;
  const parent = descend(reader, into, path.slice(0, -1));
  if (Object.hasOwn(parent, last)) throw reader.error(`${path.join('.')} is there twice`);
  parent[last] = value;
}

/** The table at that path, made where it is missing; of a list of tables, its last. */
function descend(reader: Reader, from: Building, path: readonly string[]): Building {
  let at = from;
  for (const key of path) {
    if (key === '__proto__') throw reader.error('that key is not used');
    const there = Object.hasOwn(at, key) ? at[key]! : {};
    at[key] = there;
    const next = Array.isArray(there) ? there.at(-1) : there;
    if (!isTable(next)) throw reader.error(`${key} is a value, not a table`);
    at = next as Building;
  }
  return at;
}

function readKey(reader: Reader): string[] {
  const parts: string[] = [];
  do {
    reader.skipSpaces();
    const quote = reader.peek();
    if (quote === '"' || quote === "'") parts.push(readString(reader));
    else parts.push(reader.match(/[A-Za-z0-9_-]+/y) ?? reader.fail('here a key is expected'));
    reader.skipSpaces();
  } while (reader.take('.'));
  return parts;
}

function readValue(reader: Reader): TomlValue {
  const first = reader.peek();
  if (first === '"' || first === "'") return readString(reader);
  if (first === '[') return readList(reader);
  if (first === '{') return readInline(reader);
  const word = reader.match(/[A-Za-z0-9_+\-.:]+/y) ?? reader.fail('here a value is expected');
  if (word === 'true' || word === 'false') return word === 'true';
  const digits = word.replace(/(?<=[0-9a-fA-F])_(?=[0-9a-fA-F])/g, '');
  if (/^[+-]?\d+$/.test(digits) || /^0x[0-9a-f]+$/i.test(digits) || /^0o[0-7]+$|^0b[01]+$/.test(digits)) {
    return Number(digits);
  }
  if (/^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(digits)) return Number(digits);
  throw reader.error(`${word} is not a value (a text needs quotes; dates are not read)`);
}

function readList(reader: Reader): readonly TomlValue[] {
  const values: TomlValue[] = [];
  reader.expect('[');
  for (;;) {
    reader.skipBlank();
    if (reader.take(']')) return values;
    values.push(readValue(reader));
    reader.skipBlank();
    if (!reader.take(',') && reader.peek() !== ']') throw reader.error('the list does not end');
  }
}

function readInline(reader: Reader): TomlTable {
  const table: Building = {};
  reader.expect('{');
  reader.skipSpaces();
  if (reader.take('}')) return table;
  do {
    assign(reader, table);
    reader.skipSpaces();
  } while (reader.take(','));
  reader.expect('}');
  return table;
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  '"': '"',
  '\\': '\\',
};

function readString(reader: Reader): string {
  const long = reader.ahead('"""') ? '"""' : reader.ahead("'''") ? "'''" : undefined;
  const quote = long ?? reader.peek();
  reader.expect(quote);
  if (long !== undefined) reader.match(/\r?\n/y);
  let text = '';
  for (;;) {
    if (reader.take(quote)) return text;
    const next = reader.next();
    if (next === '' || (next === '\n' && long === undefined)) throw reader.error('the text does not end');
    text += next === '\\' && quote.startsWith('"') ? readEscape(reader) : next;
  }
}

function readEscape(reader: Reader): string {
  if (reader.match(/[ \t]*\r?\n\s*/y) !== undefined) return '';
  const kind = reader.next();
  const digits =
    kind === 'u' ? reader.match(/[0-9a-f]{4}/iy) : kind === 'U' ? reader.match(/[0-9a-f]{8}/iy) : undefined;
  if (digits !== undefined) return String.fromCodePoint(Number.parseInt(digits, 16));
  return ESCAPES[kind] ?? reader.fail(`\\${kind} means nothing`);
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  peek(): string {
    return this.#text[this.#at] ?? '';
  }

  next(): string {
    return this.#text[this.#at++] ?? '';
  }

  ahead(word: string): boolean {
    return this.#text.startsWith(word, this.#at);
  }

  take(word: string): boolean {
    const there = this.ahead(word);
    if (there) this.#at += word.length;
    return there;
  }

  expect(word: string): void {
    if (!this.take(word)) throw this.error(`here ${word} is expected`);
  }

  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  skipSpaces(): void {
    this.match(/[ \t]*/y);
  }

  skipBlank(): void {
    this.match(/(?:[ \t\r\n]|#[^\n]*)*/y);
  }

  endOfLine(): void {
    this.match(/[ \t]*(?:#[^\n]*)?/y);
    if (!this.atEnd && this.match(/\r?\n/y) === undefined)
      throw this.error('something follows on the same line');
  }

  error(message: string): TomlError {
    return new TomlError(message, this.#text.slice(0, this.#at).split('\n').length);
  }

  fail(message: string): never {
    throw this.error(message);
  }
}
