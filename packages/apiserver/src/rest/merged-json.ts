/**
 * JSON in which a key comes twice, as Go reads it into a typed object: the second value is worked into the first
 * where both are objects, and takes its place otherwise. JSON.parse would only keep the second.
 */

/** Expects text that JSON.parse has accepted. */
export function parseMerging(text: string): unknown {
  return new MergingReader(text).value(undefined);
}

// ---------------------------------------------------------------------------------------------------

const BLANK = /[ \t\r\n]*/y;
/** A whole string, or a number, or a word. */
const SCALAR = /"(?:[^"\\]|\\.)*"|[-+.\w]+/y;

class MergingReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** `before` is what the same key held already. */
  value(before: unknown): unknown {
    const next = this.#peek();
    if (next === '{') return this.#object(isObject(before) ? before : {});
    return next === '[' ? this.#list() : JSON.parse(this.#scalar());
  }

  #object(object: Record<string, unknown>): Record<string, unknown> {
    this.#at++;
    while (this.#peek() !== '}') {
      const key = JSON.parse(this.#scalar()) as string;
      this.#skip(':');
      const value = this.value(Object.hasOwn(object, key) ? object[key] : undefined);
      Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
      this.#skip(',');
    }
    this.#at++;
    return object;
  }

  #list(): unknown[] {
    const items: unknown[] = [];
    this.#at++;
    while (this.#peek() !== ']') {
      items.push(this.value(undefined));
      this.#skip(',');
    }
    this.#at++;
    return items;
  }

  #peek(): string {
    BLANK.lastIndex = this.#at;
    BLANK.exec(this.#text);
    this.#at = BLANK.lastIndex;
    return this.#text[this.#at] ?? '';
  }

  #skip(mark: string): void {
    if (this.#peek() === mark) this.#at++;
  }

  #scalar(): string {
    this.#peek();
    SCALAR.lastIndex = this.#at;
    const found = SCALAR.exec(this.#text)?.[0] ?? '';
    this.#at += found.length;
    return found;
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
