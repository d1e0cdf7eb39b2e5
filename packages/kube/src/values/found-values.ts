/** Replaces values that begin where a pattern ends. Where they end is for the caller to say, who knows the quotes around them. */
import { type OpenQuote, quotesIn } from './open-quotes.ts';

/** A part of the text, and what is put in its place. */
export interface FoundValue {
  readonly from: number;
  readonly to: number;
  readonly by: string;
  /** Where the search goes on. Default: behind what the pattern found. */
  readonly next?: number;
}

/**
 * @param pattern is global.
 * @param valueAt gives the value that begins at `start`, or undefined if it stays and is searched. It may ask for the quotes
 * around each place once, in their order.
 */
export function withoutFound(
  text: string,
  pattern: RegExp,
  valueAt: (
    found: RegExpExecArray,
    start: number,
    around: (at: number) => OpenQuote | undefined,
  ) => FoundValue | undefined,
): string {
  const around = quotesIn(text);
  let safe = '';
  let done = 0;
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const start = pattern.lastIndex;
    if (start < done) continue;
    const value = valueAt(found, start, around);
    if (value === undefined) continue;
    safe += text.slice(done, value.from) + value.by;
    done = value.to;
    pattern.lastIndex = value.next ?? start;
  }
  return safe + text.slice(done);
}
