/**
 * Redacts the values of secrets that begin with a quote, a brace or a bracket, and words with quotes in them: where such a
 * value ends cannot be said by a pattern. A password may begin like JSON and be none; JSON is hidden whole, because the names
 * in it are those of somebody else. The rest of a text is searched by `without-secrets.ts`.
 */

import { withoutFound } from './found-values.ts';
import type { OpenQuote } from './open-quotes.ts';
import {
  BLANKS,
  CAMEL_PASS,
  FLAG,
  isAddress,
  isReferenceName,
  isSecretName,
  isSecretNameInText,
  mayNameSecret,
  NAME,
  NAME_NOT_NOUN,
  NAME_OR_KEY,
  NO_SECRET,
  PASS_FIELD,
} from './secret-names.ts';
import { endOfOpened, endOfQuoted, endOfWord } from './value-ends.ts';

export const HIDDEN = '[redacted]';

/**
 * Not secret: what is hidden already, the code of an error of Entra ID (people search for it), the path of a file, the name
 * of a variable or of a command that has the value.
 */
export const OPEN =
  '(?![[<]redacted|AADSTS\\d|/(?:etc|var|opt|run|usr|home|root|tmp|mnt|srv|registry)/|\\$(?:\\{\\w{1,64}\\}|\\(\\w{1,64}\\))(?:[\\s"\'\\\\,;&)\\]}]|$)|\\$\\(\\w{1,64}\\s)';

/** Values that begin with a brace or a bracket, and words with a quote in them. */
export function withoutOpened(text: string): string {
  return mayNameSecret(text) ? HEADS.reduce(hideOpened, text) : text;
}

/** Values in quotes. */
export function withoutQuoted(text: string): string {
  return mayNameSecret(text) ? OPENINGS.reduce(hideQuoted, text) : text;
}

// ---------------------------------------------------------------------------------------------------

/** All up to the value. */
interface Head {
  readonly pattern: RegExp;
  /**
   * `variable`: whatever it is, it is the value. `field`: not if it is prose, a placeholder or a reference. `json`: of a name
   * in quotes, where a reference is an object, too.
   */
  readonly of: 'variable' | 'field' | 'json';
}

const OPENED = '(?=[{[])(?!\\[redacted)';
/** With a quote behind the first character. */
const MIXED = `${OPEN}(?=[^\\s"'\\\\{[-][^\\s"']{0,512}["'])`;
/** More of it follows the quote. */
const MIXED_WORD = `${OPEN}(?=[^\\s"'\\\\{[(-][^\\s"'([]{0,512}"[A-Za-z0-9]|[A-Za-z0-9]{1,64}'[A-Za-z0-9]{0,64}\\d)`;

const HEADS: readonly Head[] = [
  { pattern: new RegExp(`${NAME}\\\\*["']?=(?!>\\s?[{["'])(?:${OPENED}|${MIXED})`, 'gi'), of: 'variable' },
  { pattern: new RegExp(`${FLAG}[^\\S\\n]{1,4}(?:${OPENED}|${MIXED})`, 'gi'), of: 'variable' },
  {
    pattern: new RegExp(`\\b${NAME_OR_KEY}:${NAME}[^\\S\\n]{1,4}Value:(?:${OPENED}|${MIXED})`, 'gi'),
    of: 'variable',
  },
  {
    pattern: new RegExp(`${NAME}(?:[^\\S\\n]{1,64}=[^\\S\\n]{0,64}|=[^\\S\\n]{1,64})${OPENED}`, 'gi'),
    of: 'field',
  },
  {
    pattern: new RegExp(
      `${NAME_NOT_NOUN}:(?:[^\\S\\n]{1,64}(?:${OPENED}|${MIXED_WORD})|${OPENED}(?=[{[]{1,4}\\\\*["']))`,
      'gi',
    ),
    of: 'field',
  },
  {
    pattern: new RegExp(
      `(?<before>(?<!\\\\)\\\\{0,32}["'])(?<field>[\\w.-]{1,128})\\k<before>\\s{0,8}(?::|=>)\\s{0,8}${OPENED}`,
      'g',
    ),
    of: 'json',
  },
];

function hideOpened(text: string, { pattern, of }: Head): string {
  return withoutFound(text, pattern, (found, start, around) => {
    const { before = '', field } = found.groups ?? {};
    if (field !== undefined && !isSecretList(field, text, start)) return undefined;
    const { end, isHidden } = openedAt(text, start, of, around(start), field);
    // A name in quotes has a value in quotes.
    const by = isHidden ? before + HIDDEN + before : text.slice(start, end);
    return { from: start, to: end, by, next: end };
  });
}

interface OpenedValue {
  readonly end: number;
  readonly isHidden: boolean;
}

function openedAt(
  text: string,
  start: number,
  of: Head['of'],
  around: OpenQuote | undefined,
  name = '',
): OpenedValue {
  if (!OPENER.test(text[start]!)) return mixedAt(text, start, around);
  // Its parts are searched as all others.
  if (of !== 'variable' && isError(text.slice(start, start + MAX_ERROR_HEAD)))
    return { end: start, isHidden: false };
  const isHarmless = of === 'variable' ? () => false : isReferenceName;
  const { end, isWhole, hasText } = endOfOpened(text, start, {
    around,
    name,
    isHarmless,
    isDocument: of === 'json',
  });
  const value = text.slice(start, end);
  if (of === 'variable') return { end, isHidden: /\w/.test(value) && !PLACEHOLDER.test(value) };
  const isText = isWhole || of === 'json' ? hasText : /\w/.test(value);
  return { end, isHidden: isText && (of === 'json' || !PLACEHOLDER.test(value)) };
}

function isError(head: string): boolean {
  return ERROR_OBJECT.test(head) || ERROR_LIST.test(head);
}

/** A quote that only ends what is around the word is left to the patterns. */
function mixedAt(text: string, start: number, around: OpenQuote | undefined): OpenedValue {
  const end = endOfWord(text, start, start, around, NEXT_OF_WORD);
  const value = text.slice(start, end);
  const quote = value.search(/["']/);
  const isMixed = value.length >= MIN_MIXED && quote >= 0 && /\w/.test(value.slice(quote));
  return { end: isMixed ? end : start, isHidden: isMixed };
}

/** An object with an error as one of its first fields. */
const ERROR_OBJECT =
  /^\{\s{0,16}(?:(\\{0,8}["'])\w{1,64}\1\s{0,8}:\s{0,8}(?:\1[^"'\n]{0,128}\1|[\w.-]{1,32}|\{\s{0,8}\}|\[\s{0,8}\])\s{0,8},\s{0,16}){0,4}(\\{0,8}["'])(?:errors?|error_?(?:code|description|message)|message|__type)\2\s{0,8}:(?!\s{0,8}(?:\2\2|null\b|\[\s{0,8}\]|\{\s{0,8}\}))/i;
/** How validators begin: of zod, of pydantic, of marshmallow, of Rails, of Django. `JWT_SECRET: [ 'Required' ]`. */
const REASONS: readonly string[] = [
  "(?:is|are|must|can|cannot|can't|should|has|does|may|needs?|this|the|contains)\\s[a-z]",
  'required[.!]?\\\\{0,8}["\']',
  'field required\\b',
  'invalid (?:input|string|type|format)\\b',
  '(?:string|input|value) (?:must|should)\\b',
  'too (?:small|big|short|long)\\b',
  '(?:shorter|longer) than\\b',
  'expected [a-z]',
  'missing data\\b',
  'not a valid\\b',
];
const ERROR_LIST = new RegExp(`^\\[\\s{0,8}\\\\{0,8}["'](?:${REASONS.join('|')})`, 'i');
const MAX_ERROR_HEAD = 512;
const OPENER = /[{[]/;
const MIN_MIXED = 4;
const NEXT_OF_WORD = /;\s?[A-Za-z_][\w .-]{1,63}=|[,&][A-Za-z_][\w.-]{1,63}=/y;
/** `{password}`, `[string]`, `[y/N]`. */
export const PLACEHOLDER = /^[{[]{1,2}[\w ./|<>*:-]{0,64}[}\]]{1,2}[.,:;)]{0,4}$/;

/** The quote before a value, with the backslashes that escape it where the text is inside of a string. */
const QUOTE = '(?<escapes>\\\\*)(?<quote>["\'])';

/** Not the quote that ends `"Enter the password:"`. */
const NOT_CLOSED = `(?=\\\\*["'](?![\\s,;]|[)\\]}|&]{1,4}(?:[\\s,;"']|$)|\\\\+[nrt]|$))`;

interface Opening {
  readonly pattern: RegExp;
  /** Of JSON and the like: quotes of the value are escaped. */
  readonly isDocument?: boolean;
  /** Of a rare form: what any text with it has, so that others need not be searched for it. */
  readonly sign?: RegExp;
}

/**
 * All up to the quote before a value: name="the value", name = "the value", "name" => "the value", name: 'the value',
 * name:"the value", name: (string) (len=9) "the value", "name": "the value", {"name": "NAME", "value": "the value"},
 * --name "the value", ["--name", "the value"].
 */
const OPENINGS: readonly Opening[] = [
  {
    pattern: new RegExp(
      `${NAME}\\\\*["']?(?:=|${BLANKS}=${BLANKS}|(?<=["']|:\\w{1,64})\\s{0,4}=>\\s{0,4})${QUOTE}`,
      'gi',
    ),
  },
  {
    pattern: new RegExp(
      `${NAME_NOT_NOUN}:(?:${BLANKS}(?:\\(\\w{1,32}\\) \\(len=\\d{1,8}\\) )?|${NOT_CLOSED})${QUOTE}`,
      'gi',
    ),
  },
  {
    pattern: new RegExp(
      `(?:${CAMEL_PASS}|${PASS_FIELD})(?:=|${BLANKS}=${BLANKS}|:(?:${BLANKS}|${NOT_CLOSED}))${QUOTE}(?!(?:\\d{1,9}|true|false|green|[Pp]assed|[^\\w\\s"'])["'\\\\])`,
      'g',
    ),
    sign: /(?:^|\W)pass|[a-z\d]Pass/,
  },
  // Of Rust and Swift: `password: Some("value")`, also over several lines. Of Erlang: `{password,<<"value">>}`.
  {
    pattern: new RegExp(`${NAME}:\\s{0,4}(?:Some|Optional)\\((?:\\s|\\\\{1,8}n){0,64}${QUOTE}`, 'gi'),
    sign: /Some\(|Optional\(/i,
    isDocument: true,
  },
  {
    pattern: new RegExp(`\\{${NAME}\\s{0,4},\\s{0,4}(?:<<)?(?<escapes>\\\\*)(?<quote>")`, 'gi'),
    isDocument: true,
  },
  {
    pattern: new RegExp(
      `(?<before>["']?)(?<![\\w.${NO_SECRET}-])(?<field>[\\w.-]+)\\\\*["']\\s{0,8}:\\s{0,8}${QUOTE}`,
      'g',
    ),
    isDocument: true,
  },
  { pattern: new RegExp(`\\b${NAME_OR_KEY}:${NAME}[^\\S\\n]{1,4}Value:${QUOTE}`, 'gi') },
  {
    pattern: new RegExp(
      `\\b${NAME_OR_KEY}\\\\*["']?(?::\\s{0,4}|=)\\\\*["']?${NAME}\\\\*["']?(?:\\s|\\\\{1,8}[nrt]|,){1,40}\\\\*["']?(?:secure)?value\\\\*["']?(?::\\s{0,4}|=)${QUOTE}`,
      'gi',
    ),
    isDocument: true,
  },
  { pattern: new RegExp(`${FLAG}[^\\S\\n]{1,4}${NOT_CLOSED}${QUOTE}(?!--?\\w)`, 'gi') },
  {
    pattern: new RegExp(
      `(?<=["'])${FLAG}\\\\*["']\\s{0,8},\\s{0,8}${QUOTE}(?!--?\\w|[\\w.-]{1,64}\\\\*["']\\s{0,8}:)`,
      'gi',
    ),
    isDocument: true,
  },
];

/** Values are searched, too: that of a harmless name may be JSON that names a secret, and that of a secret may hold a quote. */
function hideQuoted(text: string, { pattern, isDocument = false, sign }: Opening): string {
  if (sign?.test(text) === false) return text;
  return withoutFound(text, pattern, (found, start, around) => {
    const { before = '', field, escapes = '', quote = '' } = found.groups ?? {};
    if (field !== undefined && !isSecretField(field, before !== '')) return undefined;
    if (ERROR_CODE.test(text.slice(start, start + 8))) return undefined;
    const from = start - escapes.length - 1;
    const outer = around(from);
    // Of `"--token="`.
    const closes = outer?.quote === quote && outer.escapes === escapes.length;
    if (closes && /^[\s,)\]}]/.test(text.slice(start, start + 1))) return undefined;
    const { end, isClosed } = endOfQuoted(text, start, { quote, escapes: escapes.length }, outer, isDocument);
    // The quote belongs to the value.
    if (!isClosed) return { from, to: endOfWord(text, end, from, outer), by: HIDDEN };
    const value = text.slice(start, end);
    const isShown = value === '' || SHOWN.test(value) || (field !== undefined && isAddress(field, value));
    return { from: start, to: end, by: isShown ? value : HIDDEN };
  });
}

/** Words that say too little, as "authorization" of a configuration, count for a list of texts. */
function isSecretList(name: string, text: string, start: number): boolean {
  if (!isSecretField(name, true)) return false;
  return (
    isSecretNameInText(name.replace(/s$/, '')) || /^\[\s{0,8}\\*["']/.test(text.slice(start, start + 64))
  );
}

/** What a quote closes that is not before the name is prose. The `key` of a requirement is the name of a label. */
function isSecretField(name: string, quoted: boolean): boolean {
  return quoted ? isSecretName(name) && name.toLowerCase() !== 'key' : isSecretNameInText(name);
}

const ERROR_CODE = /^AADSTS\d/;
const SHOWN = /^(?:[[<]redacted[\]>]|\/(?:etc|var|opt|run|usr|home|root|tmp|mnt|srv|registry)\/[\w./-]*)$/;
