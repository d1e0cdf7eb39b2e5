/**
 * Where a value ends in a text that is no document of its own: behind the bracket that closes it, at the quote that does, or
 * at the next blank. A value may have brackets and quotes of its own that close nothing, and the text may be inside of a
 * string, of which the quote ends the value as well. Takes time proportional to what it reads.
 */
import { isAt, isClosing, isClosingAround, type OpenQuote } from './open-quotes.ts';
import { readJson, type ValuePlace } from './read-json.ts';

export interface QuotedEnd {
  readonly end: number;
  /** The quote itself is at the end, and nothing else is. */
  readonly isClosed: boolean;
}

/**
 * Where the quote of the same depth closes it, or that of the string around it, else the end of the line. Each string around a
 * quote doubles the backslashes before it and adds one: a quote of the value itself has `2 * escapes + 1`, and a backslash of
 * the value `2 * escapes + 2`. @param isDocument nobody has put a value there without escaping its quotes.
 */
export function endOfQuoted(
  text: string,
  start: number,
  open: OpenQuote,
  around: OpenQuote | undefined,
  isDocument: boolean,
): QuotedEnd {
  // An apostrophe is no sure sign, and a quote inside of a string is deeper.
  const outer = around?.quote === '"' && (open.quote !== '"' || open.escapes > around.escapes);
  let backslashes = 0;
  for (let at = start; at < text.length; at++) {
    const character = text[at];
    if (character === '\n') return { end: at, isClosed: true };
    if (character === open.quote && isClosing(backslashes, open)) {
      const further = open.escapes === 0 ? continuation(text, at) : 0;
      if (further === 0) {
        const isClosed = isDocument ? isAt(DOCUMENT_END, text, at + 1) : isEnd(text, at + 1, around);
        return { end: at - open.escapes, isClosed };
      }
      at += further;
    } else if (outer && character === '"' && isClosingAround(backslashes, around))
      return { end: at - Math.min(backslashes, around.escapes), isClosed: false };
    backslashes = character === '\\' ? backslashes + 1 : 0;
  }
  return { end: text.length, isClosed: true };
}

export interface OpenedEnd {
  readonly end: number;
  /** It is one value of JSON. */
  readonly isWhole: boolean;
  /** A string of it is not behind a name that tells of something else than a secret. */
  readonly hasText: boolean;
}

/** Of a value that begins with a brace or a bracket: behind all of its JSON, and of the word that is glued to that. */
export function endOfOpened(text: string, start: number, place: ValuePlace): OpenedEnd {
  const { around, isDocument } = place;
  const { end, isWhole: isRead, isGlued, isCut, hasText } = readJson(text, start, place);
  const isWhole = isRead && (isDocument || isEnd(text, end, around));
  const isAll = isWhole || (!isRead && (!isGlued || isCut));
  return { end: isAll ? end : endOfWord(text, end, start, around), isWhole, hasText };
}

/** Of a word without blanks, without what ends a command there. @param at the place to go on from. */
export function endOfWord(
  text: string,
  at: number,
  start: number,
  around: OpenQuote | undefined,
  next: RegExp = NEXT_PARAMETER,
): number {
  let backslashes = 0;
  let end = at;
  for (; end < text.length; end++) {
    const character = text[end]!;
    if (BLANK.test(character)) break;
    if (character === around?.quote && isClosingAround(backslashes, around)) {
      end -= Math.min(backslashes, around.escapes);
      break;
    }
    if (end > start && isAt(next, text, end)) break;
    if (character === '\\' && backslashes === 0 && isAt(ESCAPED_END, text, end)) break;
    backslashes = character === '\\' ? backslashes + 1 : 0;
  }
  while (end > start + 1 && TRAILING.has(text[end - 1]!)) end--;
  return Math.max(end, at);
}

/** Of a name in the same list, behind a semicolon. */
const NEXT_PARAMETER = /;\s?[A-Za-z_][\w .-]{1,63}=/y;

// ---------------------------------------------------------------------------------------------------

const BLANK = /\s/;
const TRAILING: ReadonlySet<string> = new Set([';', '&', '|', ',', ')']);
/** A line break that the string around the text has as an escape. */
const ESCAPED_END = /\\{1,8}[nrt](?:\W|[A-Za-z_][\w.-]{1,63}\s{0,4}[=:])/y;
/** What follows a value that was closed: a quote only if it closes what is around it. */
const END =
  /[)\]}]{0,8}[,;&]{1,2}["']?[A-Za-z_][\w.-]{0,63}["']?[=:]|[,;&|)\]}]{0,8}(?:$|[\s`<>]|\/>|[.:?!](?:$|\s)|\\{1,32}[nrt]|(\\{0,32})(["']))/y;
const DOCUMENT_END = /[\s,;:)\]}&|<>/\\."'`]|$/y;

function isEnd(text: string, at: number, around: OpenQuote | undefined): boolean {
  END.lastIndex = at;
  const found = END.exec(text);
  if (found === null) return false;
  const [, escapes = '', quote] = found;
  return quote === undefined || (quote === around?.quote && isClosingAround(escapes.length, around));
}

/** A quote that goes on: doubled, as YAML and SQL have it, or as a shell has one in a string. */
function continuation(text: string, at: number): number {
  if (text[at] !== "'") return 0;
  return ["''", `'\\''`, `'"'"'`].find((each) => text.startsWith(each, at))?.length ?? 0;
}
