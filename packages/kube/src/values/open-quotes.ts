/**
 * Which quotes are open at a place of a line. Each string around a quote doubles the backslashes before it and adds one.
 */

/** A quote that is not closed yet, and how many backslashes are before it. */
export interface OpenQuote {
  readonly quote: string;
  readonly escapes: number;
}

/** Gives the quotes around a place of this text, the innermost. Places must be asked for in their order. */
export function quotesIn(text: string): (at: number) => OpenQuote | undefined {
  let open: readonly OpenQuote[] = [];
  let from = 0;
  return (at) => {
    for (; from < at; from++) {
      const character = text[from]!;
      if (character === '\n') open = [];
      else if (QUOTES.has(character)) open = withQuote(open, text, from);
    }
    return open.at(-1);
  };
}

export function isClosingAround(backslashes: number, around: OpenQuote): boolean {
  return backslashes < around.escapes || isClosing(backslashes, around);
}

export function isClosing(backslashes: number, { escapes }: OpenQuote): boolean {
  return backslashes % (2 * escapes + 2) === escapes;
}

/** @param pattern is sticky. */
export function isAt(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

// ---------------------------------------------------------------------------------------------------

const QUOTES: ReadonlySet<string> = new Set(['"', "'"]);

function backslashesBefore(text: string, at: number): number {
  let from = at;
  while (text[from - 1] === '\\') from--;
  return at - from;
}

function withQuote(open: readonly OpenQuote[], text: string, at: number): readonly OpenQuote[] {
  const quote = text[at]!;
  const escapes = backslashesBefore(text, at);
  const index = open.findIndex((each) => each.quote === quote && isClosing(escapes, each));
  // An apostrophe is in the middle of a word.
  if (quote === "'" && isApostrophe(text, at - escapes, index >= 0 ? at : undefined)) return open;
  if (index >= 0) return open.slice(0, index);
  const outer = open.filter((each) => each.quote !== quote || each.escapes < escapes);
  return outer.length < open.length ? outer : [...open, { quote, escapes }];
}

function isApostrophe(text: string, before: number, closing: number | undefined): boolean {
  if (closing !== undefined) return /\w/.test(text[closing + 1] ?? '');
  return before > 0 && !/[\s=:,([{"'`]/.test(text[before - 1]!);
}
