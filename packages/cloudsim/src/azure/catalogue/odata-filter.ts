/**
 * The part of the OData filter language that the lists of Azure accept: comparisons of a field with a text, `contains`,
 * `startswith`, `endswith`, joined by `and`, `or`, `not` and brackets. The caller decides which fields exist.
 */

/** Undefined: no such field. */
export type FieldOf = (name: string) => string | undefined;
export type Predicate = (fieldOf: FieldOf) => boolean;

export class FilterError extends Error {
  override readonly name = 'FilterError';
}

export interface FilterOptions {
  /** `eq` ignores case. Default false. */
  readonly ignoreCase?: boolean;
  /** If set, any other field is rejected. */
  readonly fields?: ReadonlySet<string>;
}

/** Throws FilterError when the text is not a valid filter. */
export function parseFilter(text: string, options: FilterOptions = {}): Predicate {
  const reader = new Reader(tokensOf(text), options);
  const predicate = reader.either();
  reader.end();
  return predicate;
}

// ---------------------------------------------------------------------------------------------------

type Token =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'mark'; readonly text: string };

const MAX_FILTER_LENGTH = 4000;
const MAX_DEPTH = 20;
const TOKEN = /\s*(?:'((?:[^']|'')*)'|([A-Za-z_][\w./]*)|([(),]))/y;

function tokensOf(text: string): Token[] {
  if (text.length > MAX_FILTER_LENGTH) throw new FilterError('the filter is too long');
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (found === null) throw new FilterError(`syntax error at position ${at}`);
    if (found[1] !== undefined) tokens.push({ kind: 'text', text: found[1].replaceAll("''", "'") });
    else if (found[2] !== undefined) tokens.push({ kind: 'word', text: found[2] });
    else tokens.push({ kind: 'mark', text: found[3]! });
  }
  return tokens;
}

const FUNCTIONS: Readonly<Record<string, (value: string, part: string) => boolean>> = {
  contains: (value, part) => value.includes(part),
  startswith: (value, part) => value.startsWith(part),
  endswith: (value, part) => value.endsWith(part),
};

class Reader {
  readonly #tokens: readonly Token[];
  readonly #options: FilterOptions;
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[], options: FilterOptions) {
    this.#tokens = tokens;
    this.#options = options;
  }

  end(): void {
    if (this.#at < this.#tokens.length)
      throw new FilterError(`'${this.#tokens[this.#at]!.text}' was not expected`);
  }

  either(): Predicate {
    const parts = [this.#both()];
    while (this.#takeWord('or')) parts.push(this.#both());
    return (fieldOf) => parts.some((part) => part(fieldOf));
  }

  #both(): Predicate {
    const parts = [this.#single()];
    while (this.#takeWord('and')) parts.push(this.#single());
    return (fieldOf) => parts.every((part) => part(fieldOf));
  }

  #single(): Predicate {
    if (this.#takeWord('not')) {
      const inner = this.#single();
      return (fieldOf) => !inner(fieldOf);
    }
    if (this.#takeMark('(')) {
      if (++this.#depth > MAX_DEPTH) throw new FilterError('too many brackets');
      const inner = this.either();
      this.#expectMark(')');
      this.#depth--;
      return inner;
    }
    const word = this.#expect('word');
    const test = FUNCTIONS[word.toLowerCase()];
    return test !== undefined && this.#takeMark('(') ? this.#function(test) : this.#comparison(word);
  }

  #function(test: (value: string, part: string) => boolean): Predicate {
    const field = this.#field(this.#expect('word'));
    this.#expectMark(',');
    const part = this.#fold(this.#expect('text'));
    this.#expectMark(')');
    return (fieldOf) => test(this.#fold(fieldOf(field) ?? ''), part);
  }

  #comparison(name: string): Predicate {
    const field = this.#field(name);
    const operator = this.#expect('word').toLowerCase();
    if (operator !== 'eq' && operator !== 'ne')
      throw new FilterError(`the operator '${operator}' is not supported`);
    const next = this.#tokens[this.#at];
    const wanted = this.#fold(next?.kind === 'word' ? this.#expect('word') : this.#expect('text'));
    return (fieldOf) => (this.#fold(fieldOf(field) ?? '') === wanted) === (operator === 'eq');
  }

  #field(name: string): string {
    if (this.#options.fields && !this.#options.fields.has(name))
      throw new FilterError(`there is no field '${name}'`);
    return name;
  }

  #fold(text: string): string {
    return this.#options.ignoreCase === true ? text.toLowerCase() : text;
  }

  #takeWord(text: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'word' || token.text.toLowerCase() !== text) return false;
    this.#at++;
    return true;
  }

  #takeMark(text: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'mark' || token.text !== text) return false;
    this.#at++;
    return true;
  }

  #expectMark(text: string): void {
    if (!this.#takeMark(text)) throw new FilterError(`'${text}' was expected`);
  }

  #expect(kind: 'word' | 'text'): string {
    const token = this.#tokens[this.#at++];
    if (token?.kind !== kind)
      throw new FilterError(kind === 'text' ? 'a quoted text was expected' : 'a name was expected');
    return token.text;
  }
}
