/**
 * Redacts values behind names that say too little alone, where the form around them tells that they are fields: `pass`, and
 * `token` and `secret` in small letters. Also values in forms of single languages. What is in quotes is found in
 * `quoted-secrets.ts`.
 */
import { HIDDEN, OPEN } from './quoted-secrets.ts';
import { type Replacements, replaced } from './replacements.ts';
import { BLANKS, CAMEL_PASS, NAME } from './secret-names.ts';
import { FIELD_VALUE, NOT_SET, PARAMETER, WORD, WORD_WITH_DIGIT } from './secret-words.ts';

export function withoutFields(text: string): string {
  return replaced(/[a-z\d]Pass/.test(text) ? replaced(text, BEHIND_CAMEL_PASS) : text, IN_FIELDS);
}

// ---------------------------------------------------------------------------------------------------

/** In a struct or a map, as Go prints it: `{url:x token:value}`, `map[user:u pass:value]`. */
const IN_STRUCT = '(?<=(?:\\bmap\\[|\\{\\w{1,64}:)[^\\n]{0,512})';
/** How many tests pass: `{pass:12 fail:0}`, `pass=12/14`, and whether one does. */
const COUNT = '(?!(?:[\\d./]{1,16}[a-z%]{0,2}|true|false|yes|no|ok|all|[Pp]assed)(?:[\\s"\',;)\\]}&\\\\]|$))';
/** A word with a digit that is no path and no name of an object: `web-tls-2024`, `shop/web2024`. */
const OPAQUE =
  '(?!/|[[<]redacted|[a-z]{2,32}\\d{0,3}-)(?=[^\\s"\']{0,64}\\d)(?:[^\\s"\'{}[\\],;\\\\/]{8,1024}|(?=[a-z\\d+/]{0,64}[A-Z])[\\w+/]{12,1024}={0,2})';

const BEHIND_CAMEL_PASS: Replacements = [
  // `smtpPass=value`, `smtpPass: value1`, `{SmtpPass:value}`, `--smtpPass value`.
  [new RegExp(`(${CAMEL_PASS}=)${PARAMETER}`, 'g'), `$1${HIDDEN}`],
  [
    new RegExp(`(${CAMEL_PASS}(?:${BLANKS}=${BLANKS}?|=${BLANKS}|:${BLANKS}))${WORD_WITH_DIGIT}`, 'g'),
    `$1${HIDDEN}`,
  ],
  [new RegExp(`(${CAMEL_PASS}:)${FIELD_VALUE}`, 'g'), `$1${HIDDEN}`],
  [new RegExp(`((?=--?[a-z])${CAMEL_PASS} ["']?)(?!-)${WORD}`, 'g'), `$1${HIDDEN}`],
];

const IN_FIELDS: Replacements = [
  // `{User:u Pass:value}`, `Config(user=u, pass=value)`, `?user=u&pass=value`, `{user: u, pass: value1}`.
  [new RegExp(`([Pp]ass:)(?<![\\w./-][Pp]ass:)${IN_STRUCT}${COUNT}${FIELD_VALUE}`, 'g'), `$1${HIDDEN}`],
  [new RegExp(`(pass=(?<=[(,;&?{]\\s{0,4}pass=))${COUNT}${PARAMETER}`, 'g'), `$1${HIDDEN}`],
  [new RegExp(`(pass:(?<=[{,]\\s{0,4}pass:)\\s{1,4})${COUNT}${WORD_WITH_DIGIT}`, 'g'), `$1${HIDDEN}`],
  // A line of YAML with nothing else: `  pass: value1`.
  [
    new RegExp(`(^[^\\S\\n]{1,64}pass:[^\\S\\n]{1,64})${COUNT}${WORD_WITH_DIGIT}(?=[^\\S\\n]{0,64}$)`, 'gm'),
    `$1${HIDDEN}`,
  ],
  // `{url:x token:value1 timeout:1s}`, `map[jwt:map[secret:value1]]`.
  [
    new RegExp(`((?:token|secret):)(?<![\\w./-](?:token|secret):)${IN_STRUCT}${OPAQUE}(?=[\\s}\\]]|$)`, 'g'),
    `$1${HIDDEN}`,
  ],
  // Of PHP: `[DB_PASSWORD] => the value`, up to the end of the line.
  [
    new RegExp(
      `(\\[${NAME}\\] =>[^\\S\\n]{1,4})${OPEN}${NOT_SET}(?!\\s|Array\\b|\\w{1,64} Object\\b)(?:(?!\\\\{1,8}n|"\\s{0,4}[,}\\]])[^\\n]){1,1024}`,
      'gi',
    ),
    `$1${HIDDEN}`,
  ],
  // Of Laravel: `APP_KEY=base64:value`.
  [/((?<![\w.-])APP_KEY=)base64:[\w+/-]{8,}={0,2}/g, `$1${HIDDEN}`],
];
