/**
 * Says what is wrong with a malformed JSON text in the wording of Go's decoder, because clients and people know those.
 * Only called after JSON.parse has rejected the text, so it may be slow; it decides nothing else.
 */

export function jsonSyntaxError(text: string): string {
  try {
    const scanner = new Scanner(text);
    scanner.document();
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message;
    if (error instanceof RangeError) return tooDeep(text);
    throw error;
  }
  return 'unexpected end of JSON input';
}

/** Deeper than the real server reads. Only long texts can be, so short ones cost nothing. */
export function nestsTooDeep(text: string): boolean {
  if (text.length < 2 * MAX_DEPTH) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (inString) {
      if (char === BACKSLASH) at++;
      else if (char === QUOTE) inString = false;
    } else if (char === QUOTE) inString = true;
    else if (char === OPEN_OBJECT || char === OPEN_LIST) {
      if (++depth > MAX_DEPTH) return true;
    } else if (char === CLOSE_OBJECT || char === CLOSE_LIST) depth--;
  }
  return false;
}

// ---------------------------------------------------------------------------------------------------

/** The reader's own stack was too short to find the place: the sign that opened last will do. */
function tooDeep(text: string): string {
  return `invalid character '${/[[{]/.exec(text)?.[0]}' exceeded max depth`;
}

class JsonSyntaxError extends Error {}

const MAX_DEPTH = 10_000;
const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;

class Scanner {
  readonly #chars: string[];
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#chars = [...text];
  }

  document(): void {
    this.#value();
    this.#space();
    if (this.#at < this.#chars.length) this.#refuse('after top-level value');
  }

  #value(): void {
    this.#space();
    const char = this.#peek();
    if (char === '{') this.#nested(() => this.#object());
    else if (char === '[') this.#nested(() => this.#array());
    else if (char === '"') this.#string();
    else if (char === '-' || isDigit(char)) this.#number();
    else if (char === 't') this.#literal('true');
    else if (char === 'f') this.#literal('false');
    else if (char === 'n') this.#literal('null');
    else this.#refuse('looking for beginning of value');
  }

  #nested(read: () => void): void {
    if (++this.#depth > MAX_DEPTH) this.#refuse('exceeded max depth');
    this.#at++;
    read();
    this.#depth--;
  }

  #object(): void {
    this.#space();
    if (this.#peek() === '}') {
      this.#at++;
      return;
    }
    for (;;) {
      this.#space();
      if (this.#peek() !== '"') this.#refuse('looking for beginning of object key string');
      this.#string();
      this.#space();
      if (this.#peek() !== ':') this.#refuse('after object key');
      this.#at++;
      this.#value();
      this.#space();
      const char = this.#peek();
      if (char !== ',' && char !== '}') this.#refuse('after object key:value pair');
      this.#at++;
      if (char === '}') return;
    }
  }

  #array(): void {
    this.#space();
    if (this.#peek() === ']') {
      this.#at++;
      return;
    }
    for (;;) {
      this.#value();
      this.#space();
      const char = this.#peek();
      if (char !== ',' && char !== ']') this.#refuse('after array element');
      this.#at++;
      if (char === ']') return;
    }
  }

  #string(): void {
    this.#at++;
    for (;;) {
      const char = this.#peek();
      this.#at++;
      if (char === '"') return;
      if (char === '\\') this.#escape();
      else if (char < ' ') {
        this.#at--;
        this.#refuse('in string literal');
      }
    }
  }

  #escape(): void {
    const char = this.#peek();
    if (!'bfnrt\\/"u'.includes(char)) this.#refuse('in string escape code');
    this.#at++;
    if (char !== 'u') return;
    for (let digits = 0; digits < 4; digits++) {
      if (!/[0-9a-fA-F]/.test(this.#peek())) this.#refuse('in \\u hexadecimal character escape');
      this.#at++;
    }
  }

  #number(): void {
    if (this.#peek() === '-') this.#at++;
    if (!isDigit(this.#peek())) this.#refuse('in numeric literal');
    if (this.#chars[this.#at] === '0') this.#at++;
    else this.#digits();
    if (this.#chars[this.#at] === '.') {
      this.#at++;
      if (!isDigit(this.#peek())) this.#refuse('after decimal point in numeric literal');
      this.#digits();
    }
    if (this.#chars[this.#at] === 'e' || this.#chars[this.#at] === 'E') {
      this.#at++;
      if (this.#peek() === '+' || this.#peek() === '-') this.#at++;
      if (!isDigit(this.#peek())) this.#refuse('in exponent of numeric literal');
      this.#digits();
    }
  }

  #digits(): void {
    while (isDigit(this.#chars[this.#at])) this.#at++;
  }

  #literal(word: string): void {
    for (const expected of word) {
      // Go closes a text with a blank, and finds that inside the word.
      if (this.#at >= this.#chars.length)
        throw new JsonSyntaxError(`invalid character ' ' in literal ${word} (expecting '${expected}')`);
      if (this.#peek() !== expected) this.#refuse(`in literal ${word} (expecting '${expected}')`);
      this.#at++;
    }
  }

  #space(): void {
    while (' \n\r\t'.includes(this.#chars[this.#at] ?? 'x')) this.#at++;
  }

  #peek(): string {
    const char = this.#chars[this.#at];
    if (char === undefined) throw new JsonSyntaxError('unexpected end of JSON input');
    return char;
  }

  #refuse(where: string): never {
    throw new JsonSyntaxError(`invalid character ${quoted(this.#peek())} ${where}`);
  }
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= '0' && char <= '9';
}

function quoted(char: string): string {
  if (char === "'") return "'\\''";
  if (char === '"') return "'\"'";
  const code = char.codePointAt(0) ?? 0;
  if (code < 32 && !'\b\f\n\r\t'.includes(char)) return `'\\x${code.toString(16).padStart(2, '0')}'`;
  return `'${JSON.stringify(char).slice(1, -1)}'`;
}
