/**
 * Regular expressions with the syntax and the guarantee of RE2: matching takes time linear in the text. re2js does the
 * work; what is decided here is which matches Go's FindAll returns, and that a pattern is compiled only once.
 */
import { RE2JS, RE2JSSyntaxException } from 're2js';

/** The message is the one that Go's regexp package gives. */
export class RegexError extends Error {}

export interface Regex {
  test(text: string): boolean;
  /** The leftmost match. */
  find(text: string): string | undefined;
  /** All matches that do not overlap, at most `limit`. */
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

class CompiledRegex implements Regex {
  readonly #compiled: RE2JS;

  constructor(pattern: string) {
    try {
      this.#compiled = RE2JS.compile(pattern);
    } catch (error) {
      if (error instanceof RE2JSSyntaxException) throw new RegexError(goMessage(error, pattern));
      throw error;
    }
  }

  test(text: string): boolean {
    return this.#compiled.test(text);
  }

  find(text: string): string | undefined {
    return this.findAll(text, 1)[0];
  }

  findAll(text: string, limit = Number.POSITIVE_INFINITY): string[] {
    const matcher = this.#compiled.matcher(text);
    const found: string[] = [];
    let lastEnd = -1;
    while (found.length < limit && matcher.find()) {
      const start = matcher.start();
      const end = matcher.end();
      // Go leaves out an empty match directly behind another match.
      if (end > start || start !== lastEnd) found.push(text.slice(start, end));
      lastEnd = end;
    }
    return found;
  }
}

/** Go names the offending part in every message; re2js leaves it out of two. */
function goMessage(error: RE2JSSyntaxException, pattern: string): string {
  if (error.message.endsWith('`')) return error.message;
  return `${error.message}: \`${error.message.includes('trailing backslash') ? '' : pattern}\``;
}
