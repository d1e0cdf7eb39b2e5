/**
 * A shell script as words and operators, read the way bash reads one: quotes, escapes, comments, expansions. What the
 * words mean is decided in shell-script.ts; nothing is executed.
 */

/** A part of a word: literal text, the value of a variable, or something that only a shell can evaluate. */
export type Piece =
  | { readonly text: string }
  | { readonly variable: string; readonly fallback: string }
  | { readonly command: string };

export type Token =
  | { readonly word: readonly Piece[]; readonly line: number; readonly bare: string | undefined }
  | { readonly operator: string; readonly line: number };

export interface Lexed {
  readonly tokens: readonly Token[];
  /** Where bash would report a syntax error, with its message; everything before is in the tokens. */
  readonly problem: { readonly line: number; readonly message: string } | undefined;
}

export function lexShell(script: string): Lexed {
  const lexer = new Lexer(script);
  try {
    lexer.readAll();
  } catch (error) {
    if (!(error instanceof Unterminated)) throw error;
    return { tokens: lexer.tokens, problem: { line: error.line, message: error.message } };
  }
  return { tokens: lexer.tokens, problem: undefined };
}

// ---------------------------------------------------------------------------------------------------

class Unterminated extends Error {
  readonly line: number;
  constructor(quote: string, line: number) {
    super(`unexpected EOF while looking for matching \`${quote}'`);
    this.line = line;
  }
}

const BLANK = /[ \t\r]/;
const OPERATORS = [
  '&&',
  '||',
  ';;',
  '<<<',
  '<<-',
  '<<',
  '>>',
  '>&',
  '<&',
  '&>',
  ';',
  '&',
  '|',
  '<',
  '>',
  '(',
  ')',
];
const ENDS_WORD = /[\s;&|<>()]/;

class Lexer {
  readonly tokens: Token[] = [];
  readonly #text: string;
  #at = 0;
  #line = 1;
  /** Heredocs whose bodies start at the next line. */
  #heredocs: { readonly end: string; readonly indented: boolean }[] = [];
  #heredocComing: 'plain' | 'indented' | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  readAll(): void {
    while (this.#at < this.#text.length) this.#next();
  }

  #next(): void {
    const char = this.#text[this.#at]!;
    if (BLANK.test(char)) this.#at += 1;
    else if (char === '\n') this.#newline();
    else if (char === '#') this.#at = this.#endOfLine();
    else if (this.#text.startsWith('\\\n', this.#at)) {
      this.#at += 2;
      this.#line += 1;
    } else if (!this.#operator()) this.#word();
  }

  #newline(): void {
    this.tokens.push({ operator: '\n', line: this.#line });
    this.#at += 1;
    this.#line += 1;
    for (const { end, indented } of this.#heredocs.splice(0)) this.#skipHeredoc(end, indented);
  }

  #skipHeredoc(end: string, indented: boolean): void {
    while (this.#at < this.#text.length) {
      const stop = this.#endOfLine();
      const line = this.#text.slice(this.#at, stop);
      this.#at = Math.min(stop + 1, this.#text.length);
      this.#line += 1;
      if ((indented ? line.replace(/^\t+/, '') : line) === end) return;
    }
  }

  #operator(): boolean {
    const found = OPERATORS.find((operator) => this.#text.startsWith(operator, this.#at));
    if (found === undefined) return false;
    this.tokens.push({ operator: found, line: this.#line });
    this.#at += found.length;
    if (found === '<<' || found === '<<-') this.#heredocComing = found === '<<' ? 'plain' : 'indented';
    return true;
  }

  #word(): void {
    const line = this.#line;
    const pieces: Piece[] = [];
    let quoted = false;
    while (this.#at < this.#text.length && !ENDS_WORD.test(this.#text[this.#at]!)) {
      const char = this.#text[this.#at]!;
      if (char === '"' || char === "'" || this.#text.startsWith("$'", this.#at)) quoted = true;
      this.#piece(char, pieces);
    }
    const word = joined(pieces);
    const bare = quoted || word.length !== 1 || !('text' in word[0]!) ? undefined : word[0].text;
    this.tokens.push({ word, line, bare });
    if (this.#heredocComing !== undefined) {
      this.#heredocs.push({ end: plainText(word), indented: this.#heredocComing === 'indented' });
      this.#heredocComing = undefined;
    }
  }

  #piece(char: string, pieces: Piece[]): void {
    if (char === "'") pieces.push({ text: this.#until("'", 1) });
    else if (this.#text.startsWith("$'", this.#at)) pieces.push({ text: this.#ansi() });
    else if (char === '"') this.#doubleQuoted(pieces);
    else if (char === '\\') pieces.push({ text: this.#escape() });
    else if (char === '$' || char === '`') pieces.push(this.#expansion(char));
    else {
      pieces.push({ text: char });
      this.#at += 1;
    }
  }

  /** A backslash outside of quotes: the next character as it is; a line break disappears. */
  #escape(): string {
    const next = this.#text[this.#at + 1];
    this.#at += 2;
    if (next === '\n') this.#line += 1;
    return next === undefined || next === '\n' ? '' : next;
  }

  #doubleQuoted(pieces: Piece[]): void {
    const line = this.#line;
    this.#at += 1;
    pieces.push({ text: '' });
    for (;;) {
      const char = this.#text[this.#at];
      if (char === undefined) throw new Unterminated('"', line);
      if (char === '"') {
        this.#at += 1;
        return;
      }
      pieces.push(this.#inDoubleQuotes(char));
    }
  }

  #inDoubleQuotes(char: string): Piece {
    if (char === '$' || char === '`') return this.#expansion(char);
    const next = this.#text[this.#at + 1];
    if (char === '\\' && next !== undefined && '"$`\\\n'.includes(next)) return { text: this.#escape() };
    if (char === '\n') this.#line += 1;
    this.#at += 1;
    return { text: char };
  }

  /** `$'…'`. */
  #ansi(): string {
    const line = this.#line;
    let text = '';
    for (this.#at += 2; ; this.#at += 1) {
      const char = this.#text[this.#at];
      if (char === undefined) throw new Unterminated("'", line);
      if (char === "'") break;
      if (char === '\n') this.#line += 1;
      if (char !== '\\') text += char;
      else {
        this.#at += 1;
        const escaped = this.#text[this.#at] ?? '';
        text += ANSI[escaped] ?? `\\${escaped}`;
      }
    }
    this.#at += 1;
    return text;
  }

  #expansion(char: string): Piece {
    if (char === '`') return { command: this.#until('`', 1) };
    const rest = this.#text.slice(this.#at, this.#at + 200);
    const name = /^\$([A-Za-z_]\w*|[0-9?$#@*!-])/.exec(rest)?.[1];
    if (name !== undefined) {
      this.#at += name.length + 1;
      return { variable: name, fallback: '' };
    }
    if (rest.startsWith('${')) return variablePiece(this.#until('}', 2));
    if (rest.startsWith('$(')) return { command: this.#parenthesised() };
    this.#at += 1;
    return { text: '$' };
  }

  /** Up to the end marker, which is consumed; nothing inside is interpreted. */
  #until(end: string, skip: number): string {
    const line = this.#line;
    const start = this.#at + skip;
    const stop = this.#text.indexOf(end, start);
    if (stop < 0) throw new Unterminated(end, line);
    const text = this.#text.slice(start, stop);
    this.#line += text.split('\n').length - 1;
    this.#at = stop + 1;
    return text;
  }

  #parenthesised(): string {
    const line = this.#line;
    const start = this.#at + 2;
    let depth = 1;
    for (this.#at = start; this.#at < this.#text.length; this.#at += 1) {
      const char = this.#text[this.#at]!;
      if (char === '\n') this.#line += 1;
      if (char === '(') depth += 1;
      if (char === ')') depth -= 1;
      if (depth === 0) {
        this.#at += 1;
        return this.#text.slice(start, this.#at - 1);
      }
      this.#at += quotedLength(this.#text, this.#at);
    }
    throw new Unterminated(')', line);
  }

  #endOfLine(): number {
    const stop = this.#text.indexOf('\n', this.#at);
    return stop < 0 ? this.#text.length : stop;
  }
}

const ANSI: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  '\\': '\\',
  "'": "'",
  '"': '"',
};

/** How many more characters belong to the quoted stretch or the escape that starts here; 0 for anything else. */
function quotedLength(text: string, at: number): number {
  if (text[at] === '\\') return 1;
  const quoted = /^(?:'[^']*'|"(?:[^"\\]|\\[\s\S])*")/.exec(text.slice(at, at + QUOTED_LIMIT))?.[0] ?? '';
  return Math.max(0, quoted.length - 1);
}

const QUOTED_LIMIT = 4096;

/** `${NAME}` and `${NAME:-text}`; other forms need a shell. */
function variablePiece(body: string): Piece {
  const match = /^([A-Za-z_]\w*)(?::?[-=](.*))?$/s.exec(body);
  return match === null ? { command: `\${${body}}` } : { variable: match[1]!, fallback: match[2] ?? '' };
}

function plainText(word: readonly Piece[]): string {
  return word.map((piece) => ('text' in piece ? piece.text : '')).join('');
}

/** Joins adjacent texts. */
function joined(pieces: readonly Piece[]): Piece[] {
  const result: Piece[] = [];
  let texts: string[] = [];
  const flush = () => {
    if (texts.length > 0) result.push({ text: texts.join('') });
    texts = [];
  };
  for (const piece of pieces) {
    if ('text' in piece) texts.push(piece.text);
    else {
      flush();
      result.push(piece);
    }
  }
  flush();
  return result;
}
