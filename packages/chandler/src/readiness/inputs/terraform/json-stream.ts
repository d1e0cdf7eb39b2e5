/**
 * Reads JSON in pieces and builds trees of the parts that are wanted, so that a state of any size needs the memory of one
 * resource. Lines are counted; texts that are not wanted are skipped without a copy.
 */
import type { Scalar, Tree } from '../../model/tree.ts';

/** What to do with the value at a path: build a tree of it, look inside, or pass over it. */
export type Want = 'build' | 'descend' | 'skip';

export interface JsonStreamOptions {
  readonly file: string;
  /** Asked about every value whose parent is descended into. The path is only valid during the call. */
  want(path: readonly (string | number)[]): Want;
  emit(path: readonly (string | number)[], tree: Tree): void;
}

/** The text is not JSON. */
export class JsonStreamError extends Error {
  override readonly name = 'JsonStreamError';
  readonly line: number;

  constructor(message: string, line: number) {
    super(message);
    this.line = line;
  }
}

/** @throws {JsonStreamError} */
export class JsonStream {
  readonly #options: JsonStreamOptions;
  readonly #frames: Frame[] = [];
  readonly #path: (string | number)[] = [];
  #line = 1;
  #expect: Expect = 'value';
  /** The value that begins next, by what its parent is. */
  #mode: Want = 'descend';
  /** A string, number or word that the end of a piece cut. */
  #rest = '';
  /** More pieces of a text whose end has not come yet: they are joined once. */
  #held: string[] = [];
  #heldLength = 0;
  /** How many backslashes end the text that was cut. */
  #backslashes = 0;

  constructor(options: JsonStreamOptions) {
    this.#options = options;
  }

  push(piece: string): void {
    if (this.#rest.startsWith('"') && this.#holds(piece)) return;
    const text = this.#taken() + piece;
    let at = 0;
    while (at < text.length) {
      const next = this.#step(text, at, false);
      if (next < 0) {
        this.#rest = text.slice(at);
        this.#backslashes = backslashesBefore(this.#rest, this.#rest.length);
        return;
      }
      at = next;
    }
  }

  end(): void {
    const rest = this.#taken();
    // A number at the end of the text has no character after it.
    if (rest !== '' && this.#step(rest, 0, true) < 0) this.#fail('the text ends too early');
    if (this.#expect !== 'nothing') this.#fail('the text ends too early');
  }

  /** Keeps a piece that does not end the text that was cut. */
  #holds(piece: string): boolean {
    for (let quote = piece.indexOf('"'); quote >= 0; quote = piece.indexOf('"', quote + 1)) {
      const own = backslashesBefore(piece, quote);
      const all = own === quote ? own + this.#backslashes : own;
      if (all % 2 === 0) return false;
    }
    this.#held.push(piece);
    const ending = backslashesBefore(piece, piece.length);
    this.#backslashes = ending === piece.length ? ending + this.#backslashes : ending;
    this.#heldLength += piece.length;
    if (this.#heldLength > MAX_TOKEN) this.#fail('a text of more than 64 MiB');
    return true;
  }

  /** What was cut, with all that was kept of it. */
  #taken(): string {
    const text = this.#held.length === 0 ? this.#rest : this.#rest + this.#held.join('');
    this.#rest = '';
    this.#held = [];
    this.#heldLength = 0;
    return text;
  }

  /** Handles one token. @returns where the next one begins, or -1 when the token is not complete. */
  #step(text: string, at: number, last: boolean): number {
    const code = text.charCodeAt(at);
    switch (code) {
      case 0x0a:
        this.#line++;
        return at + 1;
      case 0x20:
      case 0x09:
      case 0x0d:
      case 0xfeff:
        return at + 1;
      case 0x22:
        return this.#string(text, at);
      case 0x7b:
      case 0x5b:
        this.#open(code === 0x7b ? new Map() : []);
        return at + 1;
      case 0x7d:
      case 0x5d:
        this.#close(code === 0x7d);
        return at + 1;
      case 0x2c:
        this.#need('comma', ',');
        this.#expect = Array.isArray(this.#frames.at(-1)!.into) ? 'value' : 'key';
        if (this.#expect === 'value') this.#begin();
        return at + 1;
      case 0x3a:
        this.#need('colon', ':');
        this.#expect = 'value';
        this.#begin();
        return at + 1;
      default:
        return this.#word(text, at, last);
    }
  }

  #string(text: string, at: number): number {
    let end = text.indexOf('"', at + 1);
    while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
    if (end < 0) return -1;
    if (this.#expect === 'key' || this.#expect === 'key or end') {
      this.#path[this.#path.length - 1] = this.#unquoted(text, at, end);
      this.#expect = 'colon';
      return end + 1;
    }
    this.#scalar(() => this.#unquoted(text, at, end));
    return end + 1;
  }

  #unquoted(text: string, at: number, end: number): string {
    const inside = text.slice(at + 1, end);
    if (!inside.includes('\\')) return inside;
    try {
      return JSON.parse(`"${inside}"`) as string;
    } catch {
      return this.#fail('an invalid text');
    }
  }

  /** A number, `true`, `false` or `null`. */
  #word(text: string, at: number, last: boolean): number {
    WORD.lastIndex = at;
    const [word] = WORD.exec(text) ?? [];
    if (word === undefined) return this.#fail(`unexpected character ${JSON.stringify(text[at])}`);
    const end = at + word.length;
    if (end === text.length && !last) return -1;
    const value = WORDS.has(word) ? WORDS.get(word)! : Number(word);
    if (Number.isNaN(value)) this.#fail(`unexpected ${word}`);
    this.#scalar(() => value);
    return end;
  }

  /** Whether the value that begins now is wanted. */
  #begin(): void {
    const frame = this.#frames.at(-1)!;
    if (Array.isArray(frame.into)) this.#path[this.#path.length - 1] = frame.count++;
    this.#mode = frame.mode === 'descend' ? this.#options.want(this.#path) : frame.mode;
  }

  #scalar(value: () => Scalar): void {
    this.#needValue();
    if (this.#mode === 'build') this.#add({ kind: 'scalar', value: value(), at: this.#place() });
    this.#expect = this.#frames.length === 0 ? 'nothing' : 'comma';
  }

  #open(into: Map<string, Tree> | Tree[]): void {
    this.#needValue();
    if (this.#frames.length >= MAX_DEPTH) this.#fail(`nested more than ${MAX_DEPTH} levels deep`);
    this.#frames.push({ into, mode: this.#mode, line: this.#line, count: 0 });
    this.#path.push('');
    if (Array.isArray(into)) {
      this.#expect = 'value or end';
      this.#begin();
    } else this.#expect = 'key or end';
  }

  #close(isObject: boolean): void {
    const frame = this.#frames.at(-1);
    const wanted: Expect = isObject ? 'key or end' : 'value or end';
    const fits = frame !== undefined && Array.isArray(frame.into) !== isObject;
    if (!fits || (this.#expect !== 'comma' && this.#expect !== wanted))
      this.#fail(`unexpected ${isObject ? '}' : ']'}`);
    const { into, mode, line } = frame!;
    this.#frames.pop();
    this.#path.pop();
    const at = { file: this.#options.file, line };
    if (mode === 'build')
      this.#add(Array.isArray(into) ? { kind: 'list', items: into, at } : { kind: 'map', entries: into, at });
    this.#expect = this.#frames.length === 0 ? 'nothing' : 'comma';
  }

  #add(tree: Tree): void {
    const frame = this.#frames.at(-1);
    if (frame === undefined || frame.mode !== 'build') this.#options.emit(this.#path, tree);
    else if (Array.isArray(frame.into)) frame.into.push(tree);
    else frame.into.set(String(this.#path.at(-1)), tree);
  }

  #needValue(): void {
    if (this.#expect !== 'value' && this.#expect !== 'value or end') this.#fail('a value where none belongs');
  }

  #need(expected: Expect, character: string): void {
    if (this.#expect !== expected) this.#fail(`unexpected ${character}`);
  }

  #place() {
    return { file: this.#options.file, line: this.#line };
  }

  #fail(message: string): never {
    throw new JsonStreamError(`invalid JSON: ${message}`, this.#line);
  }
}

/** A copy to keep: a text that was cut out of a piece would keep the whole piece in memory. */
export function detached(tree: Tree): Tree {
  switch (tree.kind) {
    case 'scalar':
      return typeof tree.value === 'string' ? { ...tree, value: copied(tree.value) } : tree;
    case 'list':
      return { ...tree, items: tree.items.map(detached) };
    case 'map':
      return {
        ...tree,
        entries: new Map([...tree.entries].map(([name, each]) => [copied(name), detached(each)])),
      };
    case 'unknown':
      return tree;
  }
}

// ---------------------------------------------------------------------------------------------------------------

interface Frame {
  readonly into: Map<string, Tree> | Tree[];
  readonly mode: Want;
  readonly line: number;
  count: number;
}

type Expect = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma' | 'nothing';

const MAX_DEPTH = 500;
const MAX_TOKEN = 64 * 2 ** 20;
const WORD = /[\w.+-]+/y;
const WORDS: ReadonlyMap<string, Scalar> = new Map<string, Scalar>([
  ['true', true],
  ['false', false],
  ['null', null],
]);

function isEscaped(text: string, at: number): boolean {
  return backslashesBefore(text, at) % 2 === 1;
}

function backslashesBefore(text: string, at: number): number {
  let count = 0;
  while (text[at - 1 - count] === '\\') count++;
  return count;
}

function copied(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
