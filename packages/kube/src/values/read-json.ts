/**
 * Reads JSON at a place of a text, and what programs print in its place: names without quotes, single quotes, `=>`. Stops at
 * what is none: a value may only begin like JSON, or be cut.
 */
import { isAt, isClosing, isClosingAround, type OpenQuote } from './open-quotes.ts';

export interface JsonEnd {
  /** Behind the last part that was read. */
  readonly end: number;
  readonly isWhole: boolean;
  /** What is no JSON follows without a blank. */
  readonly isGlued: boolean;
  /** The line ends in one of its strings, or the text. */
  readonly isCut: boolean;
  /** A string of it is not behind a name that tells of something else than a secret. */
  readonly hasText: boolean;
}

export interface ValuePlace {
  readonly around: OpenQuote | undefined;
  /** Of the value, if it may be a harmless one. */
  readonly name: string;
  /** Strings below such a name tell of something else than a secret. */
  readonly isHarmless: (name: string) => boolean;
  /** It is part of a document: what follows JSON is not part of it. */
  readonly isDocument: boolean;
}

export function readJson(text: string, start: number, place: ValuePlace): JsonEnd {
  return new Reader(text, start, place).read();
}

// ---------------------------------------------------------------------------------------------------

interface Frame {
  readonly closer: string;
  /** The last name in it, or the one that it is behind. */
  name: string;
}

interface Word {
  readonly text: string;
  readonly end: number;
  readonly isCut: boolean;
}

const SPACE = /(?:\s|\\{1,8}[nrt](?!\w))*/y;
const COLON = /:|=>/y;
const OPENING = /\\*["']/y;
const BARE_NAME = /[\w.$-]+/y;
const BARE_VALUE = /[^\s"'{}[\],:;\\]+/y;
const LITERAL = /^(?:-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null|True|False|None|undefined)?$/i;

class Reader {
  readonly #text: string;
  readonly #place: ValuePlace;
  readonly #frames: Frame[] = [];
  #expected: 'name' | 'colon' | 'value' | 'next' = 'value';
  #end: number;
  #hasText = false;

  constructor(text: string, start: number, place: ValuePlace) {
    this.#text = text;
    this.#place = place;
    this.#end = start;
  }

  read(): JsonEnd {
    for (;;) {
      SPACE.lastIndex = this.#end;
      SPACE.test(this.#text);
      const at = SPACE.lastIndex;
      const step = this.#step(at);
      if (step === 'whole') return this.#said({ isWhole: true });
      if (step === 'cut') return this.#said({ isCut: true });
      if (step === 'stopped') return this.#stopped(at);
    }
  }

  #step(at: number): 'read' | 'whole' | 'cut' | 'stopped' {
    const character = this.#text[at] ?? '';
    if (this.#expected !== 'colon' && character !== '' && this.#frames.at(-1)?.closer === character)
      return this.#close(at);
    switch (this.#expected) {
      case 'next':
        if (character !== ',') return 'stopped';
        this.#expected = this.#frames.at(-1)?.closer === '}' ? 'name' : 'value';
        this.#end = at + 1;
        return 'read';
      case 'colon':
        if (!isAt(COLON, this.#text, at)) return 'stopped';
        this.#expected = 'value';
        this.#end = COLON.lastIndex;
        return 'read';
      case 'value':
        if (character === '{' || character === '[') return this.#open(at, character);
        return this.#word(at, BARE_VALUE);
      case 'name':
        return this.#word(at, BARE_NAME);
    }
  }

  #open(at: number, character: '{' | '['): 'read' {
    const name = this.#frames.at(-1)?.name ?? this.#place.name;
    this.#frames.push({ closer: character === '{' ? '}' : ']', name });
    this.#expected = character === '{' ? 'name' : 'value';
    this.#end = at + 1;
    return 'read';
  }

  #close(at: number): 'read' | 'whole' {
    this.#frames.pop();
    this.#end = at + 1;
    this.#expected = 'next';
    return this.#frames.length === 0 ? 'whole' : 'read';
  }

  #word(at: number, bare: RegExp): 'read' | 'cut' | 'stopped' {
    const word = this.#readWord(at, bare);
    const frame = this.#frames.at(-1);
    if (word === undefined || frame === undefined) return 'stopped';
    this.#end = word.end;
    if (this.#expected === 'name') frame.name = word.text;
    else if (!LITERAL.test(word.text)) this.#hasText ||= !this.#place.isHarmless(frame.name);
    this.#hasText ||= word.isCut;
    this.#expected = this.#expected === 'name' ? 'colon' : 'next';
    return word.isCut ? 'cut' : 'read';
  }

  #readWord(at: number, bare: RegExp): Word | undefined {
    const text = this.#text;
    const { around } = this.#place;
    if (!isAt(OPENING, text, at)) {
      if (!isAt(bare, text, at)) return undefined;
      return { text: text.slice(at, bare.lastIndex), end: bare.lastIndex, isCut: false };
    }
    const start = OPENING.lastIndex;
    const open = { quote: text[start - 1]!, escapes: start - 1 - at };
    if (open.quote === around?.quote && open.escapes <= around.escapes) return undefined;
    return endOfString(text, start, open, around?.quote === '"' ? around : undefined);
  }

  #stopped(at: number): JsonEnd {
    // What should be a name is none.
    const { name = '' } = this.#frames.at(-1) ?? {};
    if (this.#expected === 'colon' && /\w/.test(name)) this.#hasText ||= !this.#place.isHarmless(name);
    const isCut = at >= this.#text.length;
    return this.#said({ isGlued: at === this.#end && !isCut, isCut });
  }

  #said(how: Partial<JsonEnd>): JsonEnd {
    const hasText = this.#hasText;
    return { isWhole: false, isGlued: false, isCut: false, ...how, end: this.#end, hasText };
  }
}

/** An apostrophe is no sure sign that what is around it ends: of that, only other quotes count. */
function endOfString(text: string, start: number, open: OpenQuote, around: OpenQuote | undefined): Word {
  let backslashes = 0;
  for (let end = start; end < text.length; end++) {
    const character = text[end];
    const isOuter =
      around !== undefined && character === around.quote && isClosingAround(backslashes, around);
    if (character === '\n' || isOuter) {
      const cut = isOuter ? end - Math.min(backslashes, around.escapes) : end;
      return { text: text.slice(start, cut), end: cut, isCut: true };
    }
    if (character === open.quote && isClosing(backslashes, open))
      return { text: text.slice(start, end - open.escapes), end: end + 1, isCut: false };
    backslashes = character === '\\' ? backslashes + 1 : 0;
  }
  return { text: text.slice(start), end: text.length, isCut: true };
}
