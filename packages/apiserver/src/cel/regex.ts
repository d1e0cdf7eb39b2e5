/**
 * Regular expressions with the meaning and the promise of RE2: no pattern takes for ever on any text. JavaScript's own
 * engine runs where it cannot go wrong, which is nearly always; the rest is walked in linear time.
 */
import { type LinearPattern, linearPattern } from './linear-match.ts';
import { RegexError, translated } from './re2.ts';

export { RegexError } from './re2.ts';

export interface Regex {
  test(text: string): boolean;
  /** The leftmost match. */
  find(text: string): string | undefined;
  /** All matches that do not overlap, at most so many. */
  findAll(text: string, limit?: number): string[];
}

/** Compiled once per pattern. Throws a RegexError. */
export function re2(pattern: string): Regex {
  let compiled = cache.get(pattern);
  if (compiled === undefined) {
    compiled = new CompiledRegex(pattern);
    if (cache.size >= CACHE_LIMIT) cache.clear();
    cache.set(pattern, compiled);
  }
  return compiled;
}

// ---------------------------------------------------------------------------------------------------

const CACHE_LIMIT = 2000;
const cache = new Map<string, Regex>();

/** Tries that JavaScript's engine is trusted with, as a power of two. */
const MAX_EFFORT = 18;

class CompiledRegex implements Regex {
  readonly #native: RegExp;
  readonly #linear: LinearPattern;

  constructor(pattern: string) {
    const source = translated(pattern);
    const linear = linearPattern(source);
    if (linear === undefined) throw new RegexError('expression too large', pattern);
    this.#linear = linear;
    try {
      this.#native = new RegExp(source, 'gu');
    } catch {
      throw new RegexError('invalid pattern', pattern);
    }
  }

  test(text: string): boolean {
    return this.#next(text, 0) !== undefined;
  }

  find(text: string): string | undefined {
    const match = this.#next(text, 0);
    return match === undefined ? undefined : text.slice(match.start, match.end);
  }

  findAll(text: string, limit = Number.POSITIVE_INFINITY): string[] {
    const found: string[] = [];
    let lastEnd = -1;
    for (let at = 0; found.length < limit && at <= text.length; ) {
      const match = this.#next(text, at);
      if (match === undefined) break;
      const { start, end } = match;
      // Go leaves out an empty match right behind another one.
      if (end > start || start !== lastEnd) found.push(text.slice(start, end));
      lastEnd = end;
      at = end > start ? end : end + ((text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1);
    }
    return found;
  }

  #next(text: string, from: number): { start: number; end: number } | undefined {
    if (this.#linear.effort(text.length) > MAX_EFFORT) return this.#linear.find(text, from);
    this.#native.lastIndex = from;
    const match = this.#native.exec(text);
    return match === null ? undefined : { start: match.index, end: match.index + match[0].length };
  }
}
