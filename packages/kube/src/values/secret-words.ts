/**
 * How the value of a secret is written in one word: behind a name, as a parameter, as a field. What is said of a value, or that
 * there is none, is not one.
 */
import { OPEN } from './quoted-secrets.ts';

const NOTHING =
  '(?:<(?:nil|null|none|undefined|unset)>|\\((?:nil|null|none)\\)|undefined|nil|[Nn]ull|NULL|[Nn]one|[Rr]equired|[Mm]issing|[Uu]nset)';
/** `DB_PASSWORD: undefined`, `Config(password=null)`, `db_password=None`: that there is none, and nothing else is in the word. */
export const NOT_SET = `(?!${NOTHING}(?:[&,;}\\])]{0,8}(?:[\\s"'\`]|\\\\{1,8}[nrt"']|$)|[.:](?:\\s|$)|[,;&]\\s?[A-Za-z_][\\w.-]{0,63}["']?[=:]))`;
export const isNotSet = (value: string) => NOTHING_ELSE.test(value);
const NOTHING_ELSE = new RegExp(`^${NOTHING}$`);

/** An ampersand as it is, and as Go's JSON and XML write it. */
const AMPERSAND = '(?:&(?:amp;)?|\\\\{1,3}u0026)';
/** No more than brackets follow before the text ends, or a blank or a quote comes. */
const ENDS = `(?:[&,}\\])]{0,8}(?:[\\s"';]|:\\s|\\\\+(?:u0(?!03[ceCE]|02[67])|[nrt"'])|$))`;
/** Behind a semicolon. */
const NEXT_PARAMETER = '[A-Za-z_][\\w .-]{1,63}';
const NEXT_NAME = `[A-Za-z_][\\w.-]{1,63}["']?`;
/**
 * Of a word. A backslash belongs to it unless it escapes a quote or a line break; `}` and a comma, of which passwords are
 * made, too, unless the word ends there, and a semicolon that is not before the next name.
 */
const PLAIN = `(?:[^\\s"'\\\\&,;}]|}(?!${ENDS})|,(?!${ENDS}|${NEXT_NAME}[=:])|;(?!;|${ENDS}|\\s?${NEXT_PARAMETER}=)|&[lg]t;|\\\\{1,3}u00(?:3[ceCE]|27)|\\\\{1,2}(?!u0|[nrt])[^\\s"'\\\\&,;}])`;
const CHARACTER = `(?:${PLAIN}|${AMPERSAND}(?!${ENDS}))`;
export const WORD = `${OPEN}${NOT_SET}${CHARACTER}{4,}`;
/** Of `name=value`: `&name=` begins the next parameter, except so near to the beginning that the value would be none. */
const OF_PARAMETER = `(?:${PLAIN}|${AMPERSAND}(?!${ENDS}|${NEXT_NAME}=))`;
export const PARAMETER = `${OPEN}${NOT_SET}${OF_PARAMETER}${CHARACTER}{3}${OF_PARAMETER}*`;
/** A shell says that a variable is not set, kubectl where its value is, or the API server that it is not valid. */
export const SAID_OF_VARIABLE =
  '(?!unbound variable\\b|command not found\\b|<set to the key |parameter (?:null or )?not set\\b|(?:must|cannot) be\\b|(?:Required|Invalid) value\\b)';
/**
 * Of `Name:value`. Not a struct, a map or a pointer; what is not set, or masked; a word of a sentence; the port of a host or
 * the tag of an image, of which the name has hyphens.
 */
export const FIELD_VALUE = `(?!&?[\\w.]{0,64}\\{(?:[A-Za-z]\\w{0,63}:|\\})|map\\[|\\[\\]|\\(\\*|0x[\\da-f]{6,16}\\b|\\*+(?:[\\s,}\\])]|$)|(?:<?nil>?|null|none|true|false|must|should|can(?:not)?|required|invalid|missing|wrong|incorrect|expected|expired|unknown|undefined|unset|empty|string|value)(?:[\\s.,:;)\\]}"']|$)|(?<=-\\w{1,64}:)(?:\\d{1,5}|v?\\d{1,5}(?:\\.\\d{1,5}){1,3}|latest)(?!\\w))${WORD}`;
/** Behind many blanks: `Secret:        shop-db-secret-v2`, as programs list the Secrets that they use. */
export const NAME_OF_SECRET =
  '(?<=(?<![\\w.-])(?:Secret|\\w{0,64}(?:PASSWORD|TOKEN|CREDENTIALS?)_SECRET):[^\\S\\n]{2,64})[a-z]{2,20}(?:-(?:[a-z]{1,20}|v?\\d{1,3})){1,16}(?!\\S)';
/** What a call failed with, and the address that was called: `get credentials: http://…: refused`. */
export const ERROR_OF_CALL =
  '(?:\\d{1,3}(?:\\.\\d{1,3}){3}(?::\\d{1,5})?:?(?:\\s|$)|HTTP/\\d(?:\\.\\d)?(?:[\\s"\'\\\\,]|$)|StatusCode=\\d{3}(?!\\w)|(?<=[a-z] (?:token|credentials?): {1,4})https?://[^\\s"\'@?]{1,256}:\\s)';
/** Prose is not a secret, nor the address of somebody, nor a role. */
export const WORD_WITH_DIGIT = `${OPEN}(?!arn:aws[\\w-]{0,16}:|${NAME_OF_SECRET}|${ERROR_OF_CALL})(?=(?:[^\\s"'\\\\]|\\\\{1,3}u00[\\da-fA-F]{2}|\\\\(?!\\\\{0,2}u00)){0,64}?(?:\\d|(?<=\\w)(?:[!^~+][A-Za-z]|@(?![\\w-]{1,64}\\.[a-z])\\w|={1,2}(?:\\s|$))))${CHARACTER}{8,}`;
