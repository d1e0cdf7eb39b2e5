/**
 * Redacts secrets in texts: what VMs, containers and clouds print, log lines, events. Bootstrap tokens, bearer tokens,
 * signed addresses, protected settings, passwords of commands (`command-secrets.ts`), and values behind the name of a secret
 * (`secret-names.ts`). Applied to whatever is
 * shown or kept as evidence, after the facts were read out of it. It never throws and takes time proportional to the text.
 */
import { withoutArguments } from './argument-secrets.ts';
import { withoutClientPasswords } from './client-secrets.ts';
import { withoutCommandPasswords, withoutPasswordLists } from './command-secrets.ts';
import { withoutFields } from './field-secrets.ts';
import { HIDDEN, OPEN, withoutOpened, withoutQuoted } from './quoted-secrets.ts';
import { type Replacements, replaced } from './replacements.ts';
import {
  BLANKS,
  FLAG,
  isSecretNameInText,
  NAME,
  NAME_OR_KEY,
  NAME_START,
  NO_SECRET,
  SECRET_NAME_END,
  withMarks,
  withoutMarks,
} from './secret-names.ts';
import { mayHoldSecret } from './secret-signs.ts';
import { TOKENS } from './secret-tokens.ts';
import {
  ERROR_OF_CALL,
  FIELD_VALUE,
  NAME_OF_SECRET,
  NOT_SET,
  PARAMETER,
  SAID_OF_VARIABLE,
  WORD,
  WORD_WITH_DIGIT,
} from './secret-words.ts';
import { IN_YAML } from './yaml-secrets.ts';

export { HIDDEN };

export function withoutSecrets(text: string): string {
  const plain = unescaped(text);
  return mayHoldSecret(plain) ? searched(plain, text) : text;
}

/** With each pattern, whatever it has in it. */
export function searched(plain: string, text = plain): string {
  // What is known by its form may begin behind a name, and end behind the next blank.
  let safe = replaced(withoutPasswordLists(withMarks(plain)), LONG_FORMS);
  safe = withoutVariables(withoutOpened(withoutArguments(safe)));
  safe = withoutClientPasswords(withoutCommandPasswords(safe));
  safe = replaced(withoutFields(replaced(safe, BEHIND_NAMES)), IN_YAML);
  // A value may begin like a token, and go on.
  safe = withoutMarks(replaced(withoutQuoted(safe), TOKENS));
  return safe === plain ? text : safe;
}

// ---------------------------------------------------------------------------------------------------

/** Quotes and signs as .NET and Java write them in JSON: `\u0022` is `\"`, `\u002B` is `+`. Also in a string inside of a string. */
function unescaped(text: string): string {
  return text.replace(ESCAPED, withCharacter).replace(ESCAPED_APOSTROPHE, withCharacter);
}

function withCharacter(_: string, backslashes: string, code: string): string {
  const character = String.fromCharCode(Number.parseInt(code, 16));
  return '\\'.repeat(backslashesBefore(character, backslashes.length)) + character;
}

/** Each string around it doubles the backslashes, and adds one before a quote. */
function backslashesBefore(character: string, count: number): number {
  if (count % 2 === 1) return character === '"' ? count : count - 1;
  const doubled = 2 * backslashesBefore(character, count / 2);
  return character === '"' ? doubled + 1 : doubled;
}

const ESCAPED = /(?<!\\)(\\{1,16})u00(22|2b|3d|60)/gi;
/** Where it may be a quote. Inside of a word it belongs to the word. */
const ESCAPED_APOSTROPHE =
  /(?<!\\)(\\{1,16})u00(27)(?:(?<=(?:^|[\s=:,;([{])\\{1,16}u0027)|(?=$|[\s:,;)\]}\\"]))/gi;

/** Variables in capitals, as `env` prints them. */
function withoutVariables(text: string): string {
  const hidden = (all: string, head: string, name: string) =>
    isSecretNameInText(name) ? head + HIDDEN : all;
  return text
    .replace(VARIABLE_LINE, hidden)
    .replace(QUOTED_VARIABLE, (all: string, head: string, _quote: string, name: string) =>
      hidden(all, head, name),
    );
}

/** Of a variable: all up to the next blank, except what ends a command there, and where the next name follows. */
const VARIABLE_ENDS =
  '(?:;[A-Za-z_][\\w .-]{1,63}|,[A-Za-z_][\\w.-]{1,63})[=:]|\\\\{1,8}[nrt](?:\\W|[A-Za-z_][\\w.-]{1,63}\\s{0,4}[=:])';
/** What a quote begins ends with one. */
const NOT_QUOTED = '(?!\\\\*["\'])';
const VARIABLE_VALUE = `${NOT_QUOTED}${OPEN}${NOT_SET}(?:(?![;&|),}\\]"']{0,8}(?:\\s|$)|${VARIABLE_ENDS})\\S){4,}`;
const VARIABLE_LINE = new RegExp(
  `^([^\\S\\n]{0,16}(?:\\+{1,8}[^\\S\\n]{1,4})?(?:(?:export|declare -x|ENV|-e)[^\\S\\n]{1,4})?${NAME_START}([A-Z][A-Z0-9_]{1,127})=)${VARIABLE_VALUE}`,
  'gm',
);
const QUOTED_VARIABLE = new RegExp(
  `((?<=(\\\\{0,8}["']))${NAME_START}([A-Z][A-Z0-9_]{1,127})=)${NOT_QUOTED}${OPEN}${NOT_SET}(?:(?!\\2|${VARIABLE_ENDS})\\S){4,}`,
  'g',
);
/** Not of JSON, whose strings are searched one by one. */
const IN_BRACES = `\\{(?![[<]redacted|\\s{0,8}\\\\{0,8}["'][\\w.-]{1,64}\\\\{0,8}["']\\s{0,8}:)(?:[^}\\n]|\\}\\}){1,256}\\}`;

const KEY_BEGIN = '-----BEGIN [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----';
const KEY_END = '-----END [A-Z ]{0,40}PRIVATE KEY(?: BLOCK)?-----';
/** In a string, as syslog writes it, and in an address. */
const LINE_BREAK = '(?:\\\\{1,8}(?:[nr]|u000[aAdD])|#01[25]|%0[aAdD])';
const BASE64 = '(?:[A-Za-z0-9+/=]|%2[BFbf]|%3[Dd])';
const CUT = '(?:…|\\.{3})?';
/**
 * Of a key of which the end is missing: headers, base64, lines of a log with base64, and what Docker writes behind each. A
 * mention of a key has none.
 */
const KEY_PART = `(?:(?:Proc-Type|DEK-Info|Version|Comment): [^\\n\\\\"]{0,128}|[A-Za-z0-9+/=]+(?=[^\\S\\n]{0,8}(?:\\n|${LINE_BREAK}|$|["'\`,}]))|${BASE64}{40,}${CUT}|[^\\n]{0,160}?[A-Za-z0-9+/=]{40,}${CUT}(?=[^\\S\\n]{0,8}(?:\\n|$)|\\\\{1,8}n["'])|["'],["'](?:stream|time|attrs)["']:[^\\n]{0,256}(?=\\n|$))`;
const PRIVATE_KEY = new RegExp(
  `${KEY_BEGIN}(?:(?:(?!-----BEGIN )[\\s\\S]){0,16384}?${KEY_END}|(?:(?:\\s|\\\\{1,8}t|${LINE_BREAK})*${KEY_PART})*)`,
  'g',
);

/** `Basic networking`, `the basic Standard_D4s_v5 size`: words behind what may also be a scheme. */
const PROSE =
  '(?:auth(?:entication|orization)\\b|(?:challenge|(?<=basic(?:\\s+|%20))(?:constraints|networking|Standard_[A-Z]{1,3}\\d{1,3}\\w{0,24})|(?<=bearer(?:\\s+|%20))credentials)\\.?(?![\\w.~+/=-]))';

/** Of one word, in a string as well. */
const PRINTED = `(?![[<]redacted)(?:[^\\s"'\\\\]|\\\\(?![nrt"'\\\\]))+`;
const ELASTIC_USER = '(?:elastic|kibana(?:_system)?|(?:logstash|beats|apm)_system|remote_monitoring_user)';
const FIELD_ENDS = ',(?:\\}|\\s?ValueFrom:)';
const LINE_ENDS = '[^\\S\\n]{0,8}(?:\\n|\\\\{1,8}[nr])(?:\\s|\\\\{1,8}[nrt]){0,16}';

const LONG_FORMS: Replacements = [
  [PRIVATE_KEY, HIDDEN],
  // What servers print when they start first, or when a password is reset: MySQL and MariaDB, Elasticsearch.
  [
    new RegExp(
      `((?:\\btemporary password is generated for \\S{1,128}:|\\bGENERATED (?:[A-Z]{1,16} ){0,2}PASSWORD:|\\bPASSWORD \\w{1,64} =)[^\\S\\n]{1,4})${PRINTED}`,
      'g',
    ),
    `$1${HIDDEN}`,
  ],
  [
    new RegExp(
      `(\\bPassword for the (?:\\[?${ELASTIC_USER}\\]? user \\(reset with [^\\n)]{1,128}\\):(?:${LINE_ENDS}|[^\\S\\n]{2})|\\S{1,64} user\\b[^\\n]{0,32}\\breset\\.${LINE_ENDS}New value:[^\\S\\n]{1,4}))${PRINTED}`,
      'gi',
    ),
    `$1${HIDDEN}`,
  ],
  // A variable of a container, as runtimes and the kubelet print it. It may have none, or that of another.
  [
    new RegExp(
      `(\\b(?:Name|(?<=\\bKeyValue\\{)Key):${NAME},\\s?Value:)(?!(?:\\$\\(\\w{1,64}\\))?${FIELD_ENDS}|\\\\{0,8}"|[[<]redacted)(?:(?:(?!${FIELD_ENDS})[^\\n]){1,1024}(?=${FIELD_ENDS})|(?:(?!${FIELD_ENDS})[^\\s"'])+)`,
      'gi',
    ),
    `$1${HIDDEN}`,
  ],
  // What Azure encrypts because it is secret: the object with all it holds, and the command in it.
  [
    /("protectedSettings\\*"\s{0,8}:\s{0,8})\{[^}]*(?:\}(?!\s{0,8}(?:[,}\]"\\]|$))[^}]*){0,256}\}?/gi,
    `$1${HIDDEN}`,
  ],
  [
    /(\bcommandToExecute\\*"\s{0,8}:\s{0,8}\\*")[^}\n]*(?:\}(?!\s{0,8}(?:[,}\]"\\]|$))[^}\n]*){0,256}/gi,
    `$1${HIDDEN}`,
  ],
  [new RegExp(`\\b(bearer|basic)(\\s+|%20)(?!${PROSE})[A-Za-z0-9._~+/=-]{8,}`, 'gi'), `$1$2${HIDDEN}`],
  [
    /(\bauthorization\\*["']?:\s{0,4}(?:\[\s{0,4})?\\*["']?(?:(?:token|api-?key)\s{1,4}|(?:negotiate|ntlm)\s{1,4}(?=[^\s"'\\]{0,64}[\d=+/])))(?![[<]redacted|(?:auth(?:entication|orization)|expired|required|invalid|missing)\b)[^\s"'\\\]]{8,}/gi,
    `$1${HIDDEN}`,
  ],
  // Without a scheme. Not the group of an API.
  [
    new RegExp(
      `(\\bauthorization\\\\*["']?:\\s{0,4}(?:\\[\\s{0,4})?\\\\*["']?)(?!\\S{0,128}(?:\\.io/|://)|AWS4-|[[<]redacted|/|${ERROR_OF_CALL})(?=[^\\s"'\\\\\\],]{0,64}\\d)[^\\s"'\\\\\\],]{8,}`,
      'gi',
    ),
    `$1${HIDDEN}`,
  ],
  // A session of a browser.
  [
    /(\b(?:set-)?cookie\\*["']?:\s{0,4}(?:\[\s{0,4})?\\*["']?)(?![[<]redacted)[^\s=;"']{1,128}=[^\n"']+/gi,
    `$1${HIDDEN}`,
  ],
  // Braces around a value of a connection string, as ODBC has them: in it there may be blanks.
  [new RegExp(`(;\\s?${NAME}=)${IN_BRACES}(?=[;"'\\s\\\\]|$)`, 'gi'), `$1${HIDDEN}`],
  [new RegExp(`(${NAME}=)${IN_BRACES}(?=;\\s?[A-Za-z_][\\w .-]{1,63}=)`, 'gi'), `$1${HIDDEN}`],
  // The file of a registry's credentials: user and password, encoded.
  [
    /("(?:auth|identitytoken|registrytoken)\\*"\s{0,8}:\s{0,8}\\*")(?![[<]redacted)[^"\\\s]{8,}/gi,
    `$1${HIDDEN}`,
  ],
  // The same of containerd and of JavaScript.
  [
    /(\bauth\s{0,8}[=:]\s{0,8}(\\{0,8}["']))(?=[^"'\\\s]{0,128}[A-Z\d=])[A-Za-z0-9+/]{8,}={0,2}(?=\2)/g,
    `$1${HIDDEN}`,
  ],
];

const BEHIND_NAMES: Replacements = [
  // As the file of Redis has it, which it quotes, and as its commands do.
  [
    /((?:^[^\S\n]{0,16}|["'])(?:requirepass|masterauth)\s{1,4}\\*["']?)(?!\\*["']|[[<]redacted)[^\n"'\\]+/gim,
    `$1${HIDDEN}`,
  ],
  [
    /(\b(?:set\s{1,4}(?:requirepass|masterauth)|sentinel\s{1,4}auth-pass\s{1,4}[^\s"']{1,128})\s{1,4}["']?)(?!["']|[[<]redacted)[^\s"'\\]+/gi,
    `$1${HIDDEN}`,
  ],
  // SQL, in which two quotes are one of the value.
  [
    /(\b(?:PASSWORD(?:\s{1,4}(?:FOR\s{1,4}\S{1,128}\s{0,4}=\s{0,4}(?:PASSWORD\s{0,4}\(\s{0,4})?)?|\s{0,4}\(\s{0,4})|IDENTIFIED\s{1,4}(?:WITH\s{1,4}\S{1,64}\s{1,4})?BY\s{1,4}(?:PASSWORD\s{1,4})?)(\\{0,8}["']))(?!\2|[[<]redacted)(?:(?!\2)[^\n]|\2\2){1,256}/g,
    `$1${HIDDEN}`,
  ],
  [
    /(\b(?:password|identified\s{1,4}(?:with\s{1,4}\S{1,64}\s{1,4})?by)\s{1,4}(\\{0,8}["'])(?<=\b(?:create|alter|set|grant|options)\b[^\n]{0,256}))(?!\2|[[<]redacted)(?:(?!\2)[^\n]|\2\2){1,256}/gi,
    `$1${HIDDEN}`,
  ],
  [/(\bPASSWORD\s{1,4}(\$\w{0,16}\$))(?![[<]redacted)(?:(?!\2)[^\n]){1,256}(?=\2)/gi, `$1${HIDDEN}`],
  // Passwords of keytool, of openssl, of Oracle; in XML.
  [
    /(\s-(?:(?:src|dest)?(?:store|key)pass\s{1,4}|pass(?:in|out)\s{1,4}pass:)["']?)(?![-"']|[[<]redacted)[^\s"']+/g,
    `$1${HIDDEN}`,
  ],
  [/(\bjdbc:oracle:\w{1,8}:[\w.-]{1,64}\/)(?![[<]redacted)[^\s@"']{1,256}(?=@)/gi, `$1${HIDDEN}`],
  [
    new RegExp(
      `(<[\\w:.-]{0,64}${SECRET_NAME_END}>(?:\\s{0,64}<(?:\\w{1,32}:)?Value>)?)(?!\\s|[[<]redacted)[^<\\n]{1,256}(?=</)`,
      'gi',
    ),
    `$1${HIDDEN}`,
  ],
  // A bootstrap token: six characters, a dot, sixteen characters.
  [/\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g, HIDDEN],
  // The signature of a signed address, as it is and where the ampersand was escaped; other secrets in a query.
  [/((?:[?&]|\\u0026|&amp;|%26)(?:[\w.-]{0,40}[._-])?sig(?:nature)?(?:=|%3D))[^&\s"'\\<>]+/gi, `$1${HIDDEN}`],
  [new RegExp(`([?&][\\w.-]*${SECRET_NAME_END}=)(?![[<]redacted)[^&\\s"'\\\\<>]+`, 'gi'), `$1${HIDDEN}`],
  // User and password in an address; the password also with a slash. A port is none.
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/"']{1,256}@/gi, `$1${HIDDEN}@`],
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@:"'[\]]{0,128}:(?!\d{1,5}\/)[^\s@"'<>]{1,256}@/gi, `$1${HIDDEN}@`],
  // The address of a database, as Go programs have it: `user:password@tcp(host:3306)/name`.
  [/((?<![\w.-])[\w.-]{1,64}:)(?![[<]redacted)[^\s"'<>]{1,256}?(?=@(?:tcp|udp|unix)[46]?\()/g, `$1${HIDDEN}`],
  // A connection string has semicolons between its parameters, and any other character in a value.
  [new RegExp(`(;\\s?${NAME}=)${WORD}`, 'gi'), `$1${HIDDEN}`],
  // NAME=value, also behind backslashes.
  [new RegExp(`(${NAME}\\\\*["']?=\\\\*(?!\\\\))${PARAMETER}`, 'gi'), `$1${HIDDEN}`],
  [new RegExp(`(${NAME_START}PASS=)${PARAMETER}`, 'g'), `$1${HIDDEN}`],
  // name = value, name: value, name: 'value': one word with a digit in it.
  [
    new RegExp(
      `(${NAME}(?:${BLANKS}=${BLANKS}?|=${BLANKS}|:${BLANKS}(?:\\\\*["'])?))${WORD_WITH_DIGIT}`,
      'gi',
    ),
    `$1${HIDDEN}`,
  ],
  // A variable in capitals is no prose, whatever its value.
  [
    new RegExp(
      `(${NAME_START}[A-Z][A-Z0-9_]*_(?:SECRET|PASSWORD|TOKEN):${BLANKS})(?!${NAME_OF_SECRET})${SAID_OF_VARIABLE}${WORD}`,
      'g',
    ),
    `$1${HIDDEN}`,
  ],
  // {Host:db Password:value} and map[password:value], as Go prints them. A noun alone only where it must be a field.
  [
    new RegExp(
      `((?<![\\w./${NO_SECRET}-])(?!(?:secrets?|tokens?|credentials?|pass):|(?:old)?pwd:/)[\\w-]{0,128}${SECRET_NAME_END}:)${FIELD_VALUE}`,
      'gi',
    ),
    `$1${HIDDEN}`,
  ],
  [
    /((?<![\w./-])(?:Token:\\*["']?|token:\\*["']|Secret:(?![a-z0-9.]{0,64}[/-])\\*["']?))(?=[\w.~-]{0,64}\d)(?![[<]redacted)[^\s"'{}\],;\\]{8,}/g,
    `$1${HIDDEN}`,
  ],
  [new RegExp(`(\\b${NAME_OR_KEY}:${NAME}\\s{1,4}Value:)${WORD}`, 'gi'), `$1${HIDDEN}`],
  [
    new RegExp(
      `(${FLAG} ["']?)(?!-|(?<=secret-(?:string|binary) ["']?)fileb?://|<[\\w-]{1,64}>|(?:string|strings|value)\\s{0,4}(?:\\n|$))${WORD}`,
      'gi',
    ),
    `$1${HIDDEN}`,
  ],
];
