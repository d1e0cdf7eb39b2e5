/** Moves through the text of a Terraform file: blanks, comments, names, lines, and passing over what is not evaluated. */
import { HclError } from './hcl-syntax.ts';

export const HEREDOC = /<<(-?)([A-Za-z_][\w-]*)[ \t]*\n/y;

export class HclScanner {
  readonly text: string;
  at = 0;
  readonly #firstLine: number;
  readonly #lineStarts: number[] = [0];

  constructor(text: string, firstLine = 1) {
    this.text = text;
    this.#firstLine = firstLine;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', end + 1))
      this.#lineStarts.push(end + 1);
  }

  /** The line of a position. */
  line(at = this.at): number {
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.#lineStarts[middle]! <= at) low = middle;
      else high = middle - 1;
    }
    return this.#firstLine + low;
  }

  get isEnd(): boolean {
    return this.at >= this.text.length;
  }

  get next(): string {
    return this.text[this.at] ?? '';
  }

  startsWith(word: string): boolean {
    return this.text.startsWith(word, this.at);
  }

  /** Passes a word if it is next. */
  take(word: string): boolean {
    if (!this.startsWith(word)) return false;
    this.at += word.length;
    return true;
  }

  /** Passes what a sticky expression matches. */
  match(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text);
    if (found === null) return undefined;
    this.at += found[0].length;
    return found;
  }

  /** @throws {HclError} */
  fail(message: string): never {
    throw new HclError(`invalid HCL: ${message}`, this.line());
  }

  expect(word: string, inWhat: string): void {
    if (this.take(word)) return;
    this.fail(
      `expected ${word} ${inWhat}, found ${this.isEnd ? 'the end of the file' : JSON.stringify(this.next)}`,
    );
  }

  /** Blanks and comments, and line ends where they mean nothing. */
  skipBlanks(lineEnds: boolean): void {
    while (this.match(lineEnds ? BLANKS_AND_LINES : BLANKS) !== undefined);
  }

  /** Passes the rest of an expression, to the character that ends it. */
  skipExpression(lineEnds: boolean): void {
    let depth = 0;
    while (!this.isEnd) {
      const next = this.next;
      if (depth === 0 && (ENDS.has(next) || (next === '\n' && !lineEnds))) return;
      if (next === '"') this.skipText();
      else if (this.startsWith('<<') && this.skipHeredoc()) continue;
      else if (this.match(COMMENT) === undefined) {
        if (OPENING.has(next)) depth++;
        else if (CLOSING.has(next)) depth--;
        this.at++;
      }
    }
    if (depth > 0) this.fail('an expression is not closed');
  }

  /** A text in quotes, with what it interpolates. */
  skipText(): void {
    this.expect('"', 'before a text');
    while (!this.isEnd) {
      if (this.take('"')) return;
      if (this.next === '\n') break;
      if (this.take('$${') || this.take('%%{')) continue;
      if (this.take('${') || this.take('%{')) this.skipBraces();
      else this.at += this.next === '\\' ? 2 : 1;
    }
    this.fail('a text is not closed');
  }

  /** To behind the brace that closes an interpolation. */
  skipBraces(): void {
    for (;;) {
      this.skipExpression(true);
      if (this.take('}')) return;
      if (this.isEnd) this.fail('an interpolation is not closed');
      this.at++;
    }
  }

  skipHeredoc(): boolean {
    const found = this.match(HEREDOC);
    if (found === undefined) return false;
    this.heredocBody(found[2]!);
    return true;
  }

  /** The lines up to the marker; the position is behind the marker. */
  heredocBody(marker: string): string {
    const start = this.at;
    const end = new RegExp(`^[ \\t]*${marker}[ \\t]*$`, 'gm');
    end.lastIndex = start;
    const found = end.exec(this.text);
    if (found === null) this.fail(`the text up to ${marker} is not closed`);
    this.at = found!.index + found![0].length;
    return this.text.slice(start, found!.index);
  }
}

// ---------------------------------------------------------------------------------------------------------------

const BLANKS = /[ \t]+|(?:#|\/\/)[^\n]*|\/\*[\s\S]*?\*\//y;
const BLANKS_AND_LINES = /[ \t\n]+|(?:#|\/\/)[^\n]*|\/\*[\s\S]*?\*\//y;
const COMMENT = /(?:#|\/\/)[^\n]*|\/\*[\s\S]*?\*\//y;
const OPENING: ReadonlySet<string> = new Set(['(', '[', '{']);
const CLOSING: ReadonlySet<string> = new Set([')', ']', '}']);
const ENDS: ReadonlySet<string> = new Set([',', ')', ']', '}']);
