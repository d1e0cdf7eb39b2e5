/**
 * Reads Terraform files: blocks, attributes, and expressions as far as checks need them, each with its line. Operators,
 * conditions and loops are passed over and kept as text; `evaluate.ts` calls their values unknown.
 */
import { HclScanner, HEREDOC } from './hcl-scanner.ts';
import {
  type HclAttribute,
  type HclBlock,
  type HclBody,
  type HclEntry,
  HclError,
  type HclExpression,
} from './hcl-syntax.ts';

/** @throws {HclError} with the line. */
export function parseHcl(text: string): HclBody {
  try {
    return new Parser(new HclScanner(text)).file();
  } catch (error) {
    // Nested thousands of levels deep.
    if (error instanceof RangeError) throw new HclError('invalid HCL: nested too deeply', 1);
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------------------

const NAME = /[\p{ID_Start}_][\p{ID_Continue}-]*/uy;
const FUNCTION = /[\p{ID_Start}_][\p{ID_Continue}-]*(?:::[\p{ID_Start}_][\p{ID_Continue}-]*)*(?=\()/uy;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const FOR = /for[\s(]/y;
const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|.)/y;
const DIGITS = /\d+/y;
const ENDS: ReadonlySet<string> = new Set([',', ')', ']', '}', '']);
const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };

class Parser {
  readonly #scan: HclScanner;

  constructor(scanner: HclScanner) {
    this.#scan = scanner;
  }

  file(): HclBody {
    const body = this.#body();
    if (!this.#scan.isEnd) this.#scan.fail('unexpected }');
    return body;
  }

  /** Up to the end of the text or to a closing brace. */
  #body(): HclBody {
    const scan = this.#scan;
    const attributes = new Map<string, HclAttribute>();
    const blocks: HclBlock[] = [];
    for (;;) {
      scan.skipBlanks(true);
      if (scan.isEnd || scan.next === '}') return { attributes, blocks };
      const line = scan.line();
      const name = scan.match(NAME)?.[0] ?? scan.fail(`unexpected ${JSON.stringify(scan.next)}`);
      scan.skipBlanks(false);
      if (scan.next === '=' && !scan.startsWith('==')) {
        scan.at++;
        attributes.set(name, { line, value: this.#expression(false) });
        this.#endOfLine(name);
      } else blocks.push(this.#block(name, line));
    }
  }

  #endOfLine(name: string): void {
    this.#scan.skipBlanks(false);
    if (this.#scan.isEnd || this.#scan.next === '\n' || this.#scan.next === '}') return;
    this.#scan.fail(`unexpected ${JSON.stringify(this.#scan.next)} after ${name}`);
  }

  #block(type: string, line: number): HclBlock {
    const scan = this.#scan;
    const labels: string[] = [];
    for (scan.skipBlanks(false); scan.next !== '{'; scan.skipBlanks(false)) {
      const start = scan.at + 1;
      if (scan.next === '"') {
        scan.skipText();
        labels.push(scan.text.slice(start, scan.at - 1));
      } else
        labels.push(
          scan.match(NAME)?.[0] ?? scan.fail(`expected = or { after ${[type, ...labels].join(' ')}`),
        );
    }
    scan.at++;
    const body = this.#body();
    scan.expect('}', `at the end of the block ${[type, ...labels].join(' ')} of line ${line}`);
    return { type, labels, body, line };
  }

  /** @param lineEnds whether the expression goes on behind the end of a line: inside of brackets. */
  #expression(lineEnds: boolean): HclExpression {
    const scan = this.#scan;
    scan.skipBlanks(lineEnds);
    const start = scan.at;
    const line = scan.line();
    const primary = this.#primary(line);
    const end = scan.at;
    scan.skipBlanks(lineEnds);
    if (primary !== undefined && (ENDS.has(scan.next) || scan.next === '\n' || scan.startsWith('~}')))
      return primary;
    if (primary !== undefined && (scan.next === '=' || scan.next === ':') && !scan.startsWith('=='))
      return primary;
    scan.at = Math.max(end, start);
    scan.skipExpression(lineEnds);
    if (scan.at === start) scan.fail(`expected a value, found ${JSON.stringify(scan.next)}`);
    return { kind: 'other', text: scan.text.slice(start, scan.at).trim(), line };
  }

  /** Undefined: an operator, which the caller passes over. */
  #primary(line: number): HclExpression | undefined {
    const scan = this.#scan;
    switch (scan.next) {
      case '"':
        scan.at++;
        return this.#template('"', line);
      case '<':
        return this.#heredoc(line);
      case '[':
        return this.#list(line);
      case '{':
        return this.#object(line);
      case '(': {
        scan.at++;
        const inner = this.#expression(true);
        scan.expect(')', 'behind an expression');
        return inner;
      }
    }
    const number = scan.match(NUMBER)?.[0];
    if (number !== undefined) return { kind: 'literal', value: Number(number), line };
    const call = scan.match(FUNCTION)?.[0];
    if (call !== undefined) return this.#call(call, line);
    const name = scan.match(NAME)?.[0];
    if (name === undefined) return undefined;
    if (WORDS.has(name) && scan.next !== '.') return { kind: 'literal', value: WORDS.get(name)!, line };
    return this.#reference(name, line);
  }

  #reference(name: string, line: number): HclExpression | undefined {
    const scan = this.#scan;
    const steps: (string | number | HclExpression)[] = [name];
    for (;;) {
      if (scan.startsWith('.*') || scan.startsWith('[*]') || scan.startsWith('...')) return undefined;
      if (scan.take('.')) {
        const step =
          scan.match(NAME)?.[0] ?? scan.match(DIGITS)?.[0] ?? scan.fail(`expected a name after ${name}.`);
        steps.push(step);
      } else if (scan.take('[')) {
        const index = this.#expression(true);
        scan.expect(']', 'behind an index');
        steps.push(index.kind === 'literal' && index.value !== null ? String(index.value) : index);
      } else return { kind: 'reference', steps, line };
    }
  }

  #call(name: string, line: number): HclExpression {
    this.#scan.at++;
    const args = this.#items(')', `behind the arguments of ${name}`);
    return { kind: 'call', name, args, line };
  }

  #list(line: number): HclExpression | undefined {
    this.#scan.at++;
    if (this.#isFor()) return this.#loop(']');
    return { kind: 'list', items: this.#items(']', 'at the end of a list'), line };
  }

  #items(end: string, where: string): readonly HclExpression[] {
    const scan = this.#scan;
    const items: HclExpression[] = [];
    for (scan.skipBlanks(true); !scan.take(end); scan.skipBlanks(true)) {
      items.push(this.#expression(true));
      scan.skipBlanks(true);
      if (!scan.take(',') && scan.next !== end) scan.expect(end, where);
    }
    return items;
  }

  #object(line: number): HclExpression | undefined {
    const scan = this.#scan;
    scan.at++;
    if (this.#isFor()) return this.#loop('}');
    const entries: HclEntry[] = [];
    for (scan.skipBlanks(true); !scan.take('}'); scan.skipBlanks(true)) {
      const keyLine = scan.line();
      const key = this.#key(keyLine);
      scan.skipBlanks(false);
      if (!scan.take('=') && !scan.take(':')) scan.fail('expected = or : in an object');
      entries.push({ key, value: this.#expression(false), line: keyLine });
      scan.skipBlanks(true);
      scan.take(',');
    }
    return { kind: 'object', entries, line };
  }

  /** A name is a text, unless it stands in parentheses. */
  #key(line: number): HclExpression {
    const scan = this.#scan;
    const start = scan.at;
    const name = scan.match(NAME)?.[0];
    if (name !== undefined) {
      scan.skipBlanks(false);
      if (scan.next === '=' || scan.next === ':') return { kind: 'literal', value: name, line };
      scan.at = start;
    }
    return this.#expression(false);
  }

  #isFor(): boolean {
    this.#scan.skipBlanks(true);
    const start = this.#scan.at;
    const found = this.#scan.match(FOR) !== undefined;
    this.#scan.at = start;
    return found;
  }

  /** Passes over `for …` to behind its bracket. */
  #loop(end: string): undefined {
    const scan = this.#scan;
    for (scan.skipExpression(true); !scan.take(end); scan.skipExpression(true)) {
      if (scan.isEnd) scan.fail(`expected ${end} behind for`);
      scan.at++;
    }
    return undefined;
  }

  #heredoc(line: number): HclExpression | undefined {
    const [, flush, marker] = this.#scan.match(HEREDOC) ?? [];
    if (marker === undefined) return undefined;
    const body = this.#scan.heredocBody(marker);
    const text = flush === '-' ? withoutIndent(body) : body;
    const read = new Parser(new HclScanner(text, line + 1)).#template('', line);
    return read.kind === 'literal' || read.kind === 'template' ? { ...read, heredoc: true } : read;
  }

  /** @param end the quote that closes it; empty for the lines of a heredoc, in which a backslash is a character. */
  #template(end: '"' | '', line: number): HclExpression {
    const scan = this.#scan;
    const parts: (string | HclExpression)[] = [];
    let hasDirectives = false;
    while (!scan.isEnd && !(end !== '' && scan.next === end)) {
      if (scan.take('%{')) {
        hasDirectives = true;
        scan.skipBraces();
      } else if (scan.take('${')) parts.push(this.#interpolation());
      else parts.push(this.#plainText(end));
    }
    if (end !== '') scan.expect(end, 'behind a text');
    if (hasDirectives) return { kind: 'other', text: 'a text with %{ }', line };
    if (parts.every((part) => typeof part === 'string'))
      return { kind: 'literal', value: parts.join(''), line };
    return { kind: 'template', parts, line };
  }

  /** Up to what is interpolated, or to the end. */
  #plainText(end: '"' | ''): string {
    const scan = this.#scan;
    let text = '';
    while (
      !scan.isEnd &&
      !(end !== '' && scan.next === end) &&
      !scan.startsWith('${') &&
      !scan.startsWith('%{')
    ) {
      if (end !== '' && scan.next === '\n') scan.fail('a text is not closed');
      if (scan.take('$${')) text += '${';
      else if (scan.take('%%{')) text += '%{';
      else text += end !== '' && scan.next === '\\' ? this.#escape() : this.#character();
    }
    return text;
  }

  #interpolation(): HclExpression {
    this.#scan.take('~');
    const inner = this.#expression(true);
    this.#scan.skipBlanks(true);
    this.#scan.take('~');
    this.#scan.expect('}', 'behind an interpolation');
    return inner;
  }

  #character(): string {
    return this.#scan.text[this.#scan.at++] ?? '';
  }

  #escape(): string {
    const [all, short, long] = this.#scan.match(ESCAPE) ?? this.#scan.fail('a text is not closed');
    const code = short ?? long;
    const value = code === undefined ? undefined : Number.parseInt(code, 16);
    if (value !== undefined && value <= 0x10ffff) return String.fromCodePoint(value);
    return ESCAPES[all[1]!] ?? this.#scan.fail(`invalid escape ${all}`);
  }
}

function withoutIndent(text: string): string {
  const lines = text.split('\n');
  const indents = lines.filter((each) => each.trim() !== '').map((each) => /^[ \t]*/.exec(each)![0].length);
  const indent = indents.reduce((least, each) => Math.min(least, each), Number.MAX_SAFE_INTEGER);
  return lines.map((each) => each.slice(Math.min(indent, /^[ \t]*/.exec(each)![0].length))).join('\n');
}
