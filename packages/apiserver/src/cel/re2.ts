/**
 * Regular expressions as Go's RE2 reads them, translated to JavaScript's. What RE2 refuses (look-around,
 * back-references, nested repetition) is refused here too, with Go's words; what only looks the same is rewritten
 * (`.`, `\s`, `\z`, `(?i)` in the middle, POSIX classes, stray braces).
 */

export class RegexError extends Error {
  constructor(what: string, part?: string) {
    super(`error parsing regexp: ${what}${part === undefined ? '' : `: \`${part}\``}`);
  }
}

/** The same pattern for JavaScript, with the flag `u`. Throws a RegexError. */
export function translated(pattern: string): string {
  return new Translation(pattern).run();
}

// ---------------------------------------------------------------------------------------------------

interface Flags {
  readonly i: boolean;
  readonly m: boolean;
  readonly s: boolean;
  readonly U: boolean;
}

const SPACE = '\\t\\n\\f\\r ';

const POSIX: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7F',
  blank: '\\t ',
  cntrl: '\\x00-\\x1F\\x7F',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\t\\n\\v\\f\\r ',
  upper: 'A-Z',
  word: '0-9A-Za-z_',
  xdigit: '0-9A-Fa-f',
};

const CONTROL: Readonly<Record<string, string>> = {
  a: '\\x07',
  f: '\\f',
  n: '\\n',
  r: '\\r',
  t: '\\t',
  v: '\\v',
};

const MAX_REPEAT = 1000;
const MAX_DEPTH = 1000;

class Translation {
  readonly #text: string;
  #at = 0;
  #out = '';
  #flags: Flags = { i: false, m: false, s: false, U: false };
  /** Per open group: the flags to go back to, and how many inline flag groups must be closed with it. */
  readonly #groups: { flags: Flags; extra: number }[] = [];
  #extra = 0;
  /** What the last piece was, for repetition operators. */
  #last: 'nothing' | 'atom' | 'repeat' = 'nothing';

  constructor(text: string) {
    this.#text = text;
  }

  run(): string {
    while (this.#at < this.#text.length) this.#step();
    if (this.#groups.length > 0) throw new RegexError('missing closing )', this.#text);
    return this.#out + ')'.repeat(this.#extra);
  }

  #step(): void {
    const char = String.fromCodePoint(this.#text.codePointAt(this.#at)!);
    switch (char) {
      case '\\':
        this.#escape();
        return;
      case '[':
        this.#class();
        return;
      case '(':
        this.#open();
        return;
      case ')':
        this.#close();
        return;
      case '|':
        this.#alternative();
        return;
      case '*':
      case '+':
      case '?':
        this.#repeat(char, 1);
        return;
      case '{':
        this.#brace();
        return;
      case '.':
        this.#atom(this.#flags.s ? '[\\s\\S]' : '[^\\n]', 1);
        return;
      case '^':
        this.#assertion(this.#flags.m ? '(?:^|(?<=\\n))' : '^');
        return;
      case '$':
        this.#assertion(this.#flags.m ? '(?=\\n|$)' : '$');
        return;
      case '}':
      case ']':
        this.#atom(`\\${char}`, 1);
        return;
      default:
        this.#atom(char === '/' ? '\\/' : char, char.length);
        return;
    }
  }

  #atom(source: string, length: number): void {
    this.#out += source;
    this.#at += length;
    this.#last = 'atom';
  }

  /** JavaScript does not let an assertion be repeated; in a group it does. */
  #assertion(source: string, length = 1): void {
    const repeated = '*+?{'.includes(this.#text[this.#at + length] ?? ' ');
    this.#atom(repeated ? `(?:${source})` : source, length);
  }

  #alternative(): void {
    this.#out += ')'.repeat(this.#extra);
    this.#out += '|';
    this.#out += flagGroup(this.#flags).repeat(this.#extra > 0 ? 1 : 0);
    this.#extra = this.#extra > 0 ? 1 : 0;
    this.#at += 1;
    this.#last = 'nothing';
  }

  #repeat(operator: string, length: number): void {
    if (this.#last === 'nothing') throw new RegexError('missing argument to repetition operator', operator);
    if (this.#last === 'repeat')
      throw new RegexError('invalid nested repetition operator', `${this.#previousOperator()}${operator}`);
    this.#at += length;
    const lazy = this.#text[this.#at] === '?';
    if (lazy) this.#at += 1;
    this.#out += operator + (lazy === this.#flags.U ? '' : '?');
    this.#last = 'repeat';
  }

  #previousOperator(): string {
    return /(?:[*+?]|\{[^}]*\})\??$/.exec(this.#text.slice(0, this.#at))?.[0] ?? '';
  }

  #brace(): void {
    const match = /^\{(\d+)(?:(,)(\d*))?\}/.exec(this.#text.slice(this.#at));
    if (match === null) {
      this.#atom('\\{', 1);
      return;
    }
    const min = Number(match[1]);
    const max = match[3] ? Number(match[3]) : min;
    if (min > MAX_REPEAT || max > MAX_REPEAT || max < min)
      throw new RegexError('invalid repeat count', match[0]);
    this.#repeat(match[0], match[0].length);
  }

  #open(): void {
    const rest = this.#text.slice(this.#at);
    const named = /^\(\?P?<([A-Za-z_]\w*)>/.exec(rest);
    const inline = /^\(\?([imsU]*)(?:-([imsU]+))?([:)])/.exec(rest);
    if (rest.startsWith('(?') && named === null && inline === null) {
      throw new RegexError(
        'invalid or unsupported Perl syntax',
        /^\(\?(?:<?[=!]|P?[^)]?)/.exec(rest)?.[0] ?? '(?',
      );
    }
    if (inline !== null && inline[3] === ')') {
      this.#setFlags(inline);
      return;
    }
    if (this.#groups.length >= MAX_DEPTH) throw new RegexError('expression nests too deeply', this.#text);
    this.#groups.push({ flags: this.#flags, extra: this.#extra });
    this.#extra = 0;
    if (inline !== null) {
      this.#flags = changed(this.#flags, inline[1]!, inline[2] ?? '');
      this.#out += flagGroup(this.#flags);
    } else {
      this.#out += named === null ? '(' : `(?<${named[1]}>`;
    }
    this.#at += inline?.[0].length ?? named?.[0].length ?? 1;
    this.#last = 'nothing';
  }

  /** `(?i)` holds until the end of the group it stands in: a group of its own is opened for the rest. */
  #setFlags(match: RegExpExecArray): void {
    this.#flags = changed(this.#flags, match[1]!, match[2] ?? '');
    this.#out += flagGroup(this.#flags);
    this.#extra += 1;
    this.#at += match[0].length;
    this.#last = 'nothing';
  }

  #close(): void {
    const group = this.#groups.pop();
    if (group === undefined) throw new RegexError('unexpected )', this.#text);
    this.#out += `${')'.repeat(this.#extra)})`;
    this.#flags = group.flags;
    this.#extra = group.extra;
    this.#at += 1;
    this.#last = 'atom';
  }

  #escape(): void {
    const rest = this.#text.slice(this.#at);
    const quoted = /^\\Q([\s\S]*?)(?:\\E|$)/.exec(rest);
    if (quoted !== null) {
      this.#out += quoted[1]!.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
      this.#at += quoted[0].length;
      this.#last = 'atom';
      return;
    }
    switch (rest[1]) {
      case 'A':
        this.#assertion('^', 2);
        return;
      case 'z':
        this.#assertion('$', 2);
        return;
      case 'b':
      case 'B':
        this.#assertion(`\\${rest[1]}`, 2);
        return;
      default: {
        const { source, length } = escaped(rest, false);
        this.#atom(source, length);
        return;
      }
    }
  }

  #class(): void {
    const { source, length } = characterClass(this.#text.slice(this.#at));
    this.#atom(source, length);
  }
}

function changed(flags: Flags, on: string, off: string): Flags {
  const next = { ...flags };
  for (const flag of on) next[flag as keyof Flags] = true;
  for (const flag of off) next[flag as keyof Flags] = false;
  return next;
}

/** Only case matters to JavaScript; `m` and `s` are written out where they count. */
function flagGroup(flags: Flags): string {
  return flags.i ? '(?i:' : '(?-i:';
}

function characterClass(text: string): { source: string; length: number } {
  let at = 1;
  let source = '[';
  if (text[at] === '^') {
    source += '^';
    at += 1;
  }
  for (let first = true; ; first = false) {
    const char = text[at];
    if (char === undefined) throw new RegexError('missing closing ]', text);
    if (char === ']' && !first) return { source: `${source}]`, length: at + 1 };
    const item = classItem(text.slice(at));
    source += item.source;
    at += item.length;
  }
}

function classItem(text: string): { source: string; length: number } {
  const posix = /^\[:(\^?)(\w+):\]/.exec(text);
  if (posix !== null) {
    const set = POSIX[posix[2]!];
    if (set === undefined) throw new RegexError('invalid character class range', posix[0]);
    return { source: posix[1] === '' ? set : outside(set), length: posix[0].length };
  }
  if (text[0] === '\\') return escaped(text, true);
  if (text[0] === '[' || text[0] === ']' || text[0] === '^') return { source: `\\${text[0]}`, length: 1 };
  const char = String.fromCodePoint(text.codePointAt(0)!);
  return { source: char, length: char.length };
}

/** The complement of a set of ASCII ranges, as ranges. */
function outside(set: string): string {
  const inside = new RegExp(`[${set}]`);
  let source = '';
  for (let code = 0; code < 128; code++) {
    if (!inside.test(String.fromCharCode(code))) source += `\\x${code.toString(16).padStart(2, '0')}`;
  }
  return `${source}\\u{80}-\\u{10FFFF}`;
}

function escaped(text: string, inClass: boolean): { source: string; length: number } {
  const char = text[1];
  if (char === undefined) throw new RegexError('trailing backslash at end of expression', '');
  if (char === 's') return { source: inClass ? SPACE : `[${SPACE}]`, length: 2 };
  if (char === 'S') return { source: inClass ? outside(SPACE) : `[^${SPACE}]`, length: 2 };
  if ('dDwW'.includes(char)) return { source: `\\${char}`, length: 2 };
  const control = CONTROL[char];
  if (control !== undefined) return { source: control, length: 2 };
  const hex = /^\\x(?:\{([0-9A-Fa-f]+)\}|([0-9A-Fa-f]{2}))/.exec(text);
  if (hex !== null) return { source: `\\u{${hex[1] ?? hex[2]}}`, length: hex[0].length };
  const octal = /^\\(0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(text);
  if (octal !== null)
    return { source: `\\u{${Number.parseInt(octal[1]!, 8).toString(16)}}`, length: octal[0].length };
  if (char === 'p' || char === 'P') return unicodeClass(text);
  if (/[A-Za-z0-9]/.test(char)) throw new RegexError('invalid escape sequence', `\\${char}`);
  const literal = String.fromCodePoint(text.codePointAt(1)!);
  const special = /[\\^$.*+?()[\]{}|/]/.test(literal) || (inClass && literal === '-');
  return { source: special ? `\\${literal}` : literal, length: 1 + literal.length };
}

function unicodeClass(text: string): { source: string; length: number } {
  const match = /^\\([pP])(?:\{(\^?)(\w+)\}|(\w))/.exec(text);
  if (match === null) throw new RegexError('invalid character class range', text.slice(0, 3));
  const name = match[3] ?? match[4]!;
  const negated = (match[1] === 'P') !== (match[2] === '^');
  const property = name.length <= 2 ? name : `Script=${name}`;
  try {
    new RegExp(`\\p{${property}}`, 'u');
  } catch {
    throw new RegexError('invalid character class range', match[0]);
  }
  return { source: `\\${negated ? 'P' : 'p'}{${property}}`, length: match[0].length };
}
