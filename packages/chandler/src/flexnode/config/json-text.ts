/**
 * A JSON parser with line numbers: it accepts the same texts as `JSON.parse`, except that a duplicate key is an error.
 * Common mistakes (comments, trailing commas, single quotes) have specific messages.
 */

export type JsonNode = { readonly line: number } & (
  | { readonly kind: 'object'; readonly members: readonly JsonMember[] }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' }
);

export interface JsonMember {
  readonly key: string;
  readonly line: number;
  readonly value: JsonNode;
}

export type JsonObject = Extract<JsonNode, { kind: 'object' }>;

export type JsonReading =
  | { readonly ok: true; readonly root: JsonNode; readonly repeated: readonly RepeatedName[] }
  | {
      readonly ok: false;
      readonly line: number;
      readonly column: number;
      readonly message: string;
      readonly suggestion?: string;
    };

export interface RepeatedName {
  readonly path: string;
  readonly line: number;
  readonly firstLine: number;
}

export function parseJson(text: string): JsonReading {
  const reader = new Reader(text.startsWith('\uFEFF') ? text.slice(1) : text);
  try {
    return { ok: true, root: reader.document(), repeated: reader.repeated };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return { ok: false, ...reader.place(error.at), message: error.message, ...suggested(error.suggestion) };
  }
}

/** The value without its places. */
export function plainValue(node: JsonNode): unknown {
  if (node.kind === 'null') return null;
  if (node.kind === 'array') return node.items.map(plainValue);
  if (node.kind !== 'object') return node.value;
  // Names such as __proto__ stay names.
  return Object.fromEntries(node.members.map((member) => [member.key, plainValue(member.value)]));
}

// ---------------------------------------------------------------------------------------------------

const MAX_DEPTH = 64;
const BLANK = /[ \t\r\n]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
/** Everything that a string may hold up to its end, or up to what it may not hold. */
const STRING_BODY = /(?:[^"\\\r\n]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;

class JsonSyntaxError extends Error {
  readonly at: number;
  readonly suggestion: string | undefined;

  constructor(at: number, message: string, suggestion?: string) {
    super(message);
    this.at = at;
    this.suggestion = suggestion;
  }
}

class Reader {
  readonly repeated: RepeatedName[] = [];
  readonly #text: string;
  readonly #lineStarts: readonly number[];
  readonly #path: string[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.#lineStarts = [0, ...[...text.matchAll(/\n/g)].map((match) => match.index + 1)];
  }

  document(): JsonNode {
    this.#skip();
    if (this.#at >= this.#text.length)
      throw new JsonSyntaxError(this.#at, 'the file is empty', 'an object: { … }');
    const root = this.#value();
    this.#skip();
    if (this.#at < this.#text.length)
      throw new JsonSyntaxError(this.#at, 'unexpected content after the end of the value');
    return root;
  }

  place(at: number): { readonly line: number; readonly column: number } {
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#lineStarts[middle]! <= at) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: at - this.#lineStarts[low]! + 1 };
  }

  #value(): JsonNode {
    const line = this.place(this.#at).line;
    const next = this.#text[this.#at];
    if (next === '{') return { kind: 'object', line, members: this.#object() };
    if (next === '[') return { kind: 'array', line, items: this.#array() };
    if (next === '"') return { kind: 'string', line, value: this.#string() };
    const number = this.#match(NUMBER);
    if (number !== undefined) return { kind: 'number', line, value: this.#number(number) };
    const start = this.#at;
    const word = this.#match(WORD);
    if (word === 'true' || word === 'false') return { kind: 'boolean', line, value: word === 'true' };
    if (word === 'null') return { kind: 'null', line };
    if (word !== undefined) throw this.#unexpectedWord(start, word);
    throw this.#unexpected('a value');
  }

  #object(): JsonMember[] {
    const members: JsonMember[] = [];
    this.#open('{', '}', () => {
      if (this.#text[this.#at] !== '"') {
        throw this.#unexpected('a name in double quotes');
      }
      const line = this.place(this.#at).line;
      const key = this.#string();
      this.#skip();
      if (this.#text[this.#at] !== ':') throw this.#unexpected(`a colon after "${key}"`);
      this.#at++;
      this.#skip();
      this.#path.push(key);
      const first = members.find((member) => member.key === key);
      if (first !== undefined)
        this.repeated.push({ path: this.#path.join('.'), line, firstLine: first.line });
      members.push({ key, line, value: this.#value() });
      this.#path.pop();
    });
    return members;
  }

  #array(): JsonNode[] {
    const items: JsonNode[] = [];
    this.#open('[', ']', () => {
      this.#path.push(String(items.length));
      items.push(this.#value());
      this.#path.pop();
    });
    return items;
  }

  #open(open: '{' | '[', close: '}' | ']', item: () => void): void {
    if (this.#path.length >= MAX_DEPTH)
      throw new JsonSyntaxError(this.#at, `more than ${MAX_DEPTH} levels of nesting`);
    const opened = this.place(this.#at).line;
    this.#at++;
    this.#skip();
    if (this.#text[this.#at] === close) {
      this.#at++;
      return;
    }
    for (;;) {
      item();
      this.#skip();
      const next = this.#text[this.#at];
      if (next === close) break;
      if (next === undefined) {
        throw new JsonSyntaxError(
          this.#at,
          `the file ends before the ${open} of line ${opened} is closed`,
          `a ${close} is missing`,
        );
      }
      if (next !== ',') throw this.#unexpected(`a comma or ${close}`);
      const comma = this.#at++;
      this.#skip();
      if (this.#text[this.#at] === close)
        throw new JsonSyntaxError(comma, `a trailing comma before ${close}`, 'remove the comma');
    }
    this.#at++;
  }

  #string(): string {
    const start = this.#at++;
    const body = this.#match(STRING_BODY) ?? '';
    const next = this.#text[this.#at];
    if (next === '"') {
      this.#at++;
      return this.#unescaped(body, start);
    }
    if (next === '\\')
      throw new JsonSyntaxError(this.#at, 'an invalid escape sequence', 'write a backslash as \\\\');
    throw new JsonSyntaxError(start, 'an unterminated string', 'a closing double quote is missing');
  }

  #unescaped(body: string, start: number): string {
    try {
      return JSON.parse(`"${body}"`) as string;
    } catch {
      throw new JsonSyntaxError(start, 'a control character in a string', 'write a tab as \\t');
    }
  }

  #number(text: string): number {
    const after = this.#text[this.#at] ?? '';
    if (/[0-9A-Za-z_.]/.test(after)) {
      throw new JsonSyntaxError(
        this.#at,
        `an invalid character "${after}" in a number`,
        'put it in double quotes if it is a string',
      );
    }
    return Number(text);
  }

  #unexpectedWord(at: number, word: string): JsonSyntaxError {
    const lower = word.toLowerCase();
    if (['true', 'false', 'null'].includes(lower))
      return new JsonSyntaxError(at, `${word} is not a JSON value`, `${lower}`);
    return new JsonSyntaxError(at, `${word} is not a JSON value`, `"${word}" if it is a string`);
  }

  #unexpected(wanted: string): JsonSyntaxError {
    const next = this.#text[this.#at];
    if (next === undefined) return new JsonSyntaxError(this.#at, `the file ends where ${wanted} is expected`);
    if (this.#text.startsWith('//', this.#at) || this.#text.startsWith('/*', this.#at) || next === '#')
      return new JsonSyntaxError(this.#at, 'a comment; JSON has no comments', 'remove the comment');
    if (next === "'") return new JsonSyntaxError(this.#at, 'a single quote', 'use double quotes');
    if (next === '“' || next === '”')
      return new JsonSyntaxError(this.#at, 'a typographic quote', 'use plain double quotes');
    // Escapes control characters for the terminal.
    const shown = next < ' ' ? JSON.stringify(next) : `"${next}"`;
    return new JsonSyntaxError(this.#at, `${shown} where ${wanted} is expected`);
  }

  #skip(): void {
    this.#match(BLANK);
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }
}

function suggested(suggestion: string | undefined): { suggestion?: string } {
  return suggestion === undefined ? {} : { suggestion };
}
