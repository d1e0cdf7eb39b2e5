/**
 * Which names stand for secrets: of fields, and in texts. One table for both. In a text the name must end with a word of
 * the table, because options and prose mention secrets (`--authentication-token-webhook`); a field with the word anywhere
 * counts, unless it holds the name or the place of a secret.
 */

const WORDS: readonly string[] = [
  'token',
  'secret',
  // Of AWS.
  'secret[_-]?(?:string|binary)',
  'passw(?:or)?d',
  'passphrase',
  // Not `pwd-like`.
  'pwd(?![a-z-])',
  // Not `bypass`.
  '(?<=[._-]|\\b(?:db|pg))pass(?![a-z])',
  '(?<=[._-])pw(?![a-z])',
  // Of Azure DevOps. Not `CONFIG_PATH`.
  '(?<=[._-])pat(?![a-z])',
  // Of Redis, of LDAP, of Rails.
  'requirepass',
  'masterauth',
  'bindpw',
  'secret[_-]?key[_-]?base',
  'credentials?',
  '(?:private|client|api|auth|account|shared|access|secret|signing|encryption|master|subscription|functions)[_-]?key',
  '(?:fernet|jwt|hmac|sas|admin|service[_-]?bus)[_-]?key',
  '(?:storage|cosmos(?:db)?|openai|search|event[_-]?hub|workspace|primary|secondary|license)[_-]?key',
  // Of Hadoop, the last with the host of the account. Not `client.key`, a file.
  '(?:access|api|secret)\\.key(?![a-z])',
  'account\\.key(?:\\.[\\w.-]{1,64})?',
  'connection[_-]?string',
  '(?:custom|user)[_-]?data',
  'protected[_-]?settings',
  'dockerconfigjson',
  'client_content',
  'file_content',
];

/** `client-key-data`, `PASSWORD_2`. */
const SUFFIX = '(?:[_-]?(?:data|value|hash|\\d{1,3}))?';

/** How a name in a text ends: the source of a regular expression that ignores case. */
export const SECRET_NAME_END = `(?:${WORDS.join('|')})${SUFFIX}`;

export function isSecretName(name: string): boolean {
  return (FIELD.test(name) || ENDS_IN_PASS.test(name)) && !NAMING.test(name) && !HARMLESS.test(name);
}

/** Of a field with the name of a place: other values of it are secrets. */
export function isAddress(name: string, value: string): boolean {
  return ADDRESS_NAME.test(name) && ADDRESS.test(value);
}

/** Of `name=value`, `name: value` and `--name value`. */
export function isSecretNameInText(name: string): boolean {
  return IN_TEXT.test(name) || ENDS_IN_PASS.test(name);
}

/** False for most texts, in which no name needs to be searched for. */
export function mayNameSecret(text: string): boolean {
  return MENTIONED.test(text);
}

/** Of a string below a field with such a name: it names something, or tells how to get it. */
export function isReferenceName(name: string): boolean {
  return NAMING.test(name) || REFERENCE.test(name);
}

/** Before the name of a field that is none of a secret: searches that ignore case cannot tell it. In no text. */
export const NO_SECRET = '\uE000';

/** Fields that name a Secret are marked: `existingSecret: db-secret`. What is no name of an object may be a password. */
export function withMarks(text: string): string {
  return text.replaceAll(NO_SECRET, '\uFFFD').replace(OBJECT_FIELD, `${NO_SECRET}$&`);
}

export function withoutMarks(text: string): string {
  return text.replaceAll(NO_SECRET, '');
}

/** Where a name begins in a text. `PWD=/path` is the folder of a shell. */
export const NAME_START = `(?<![\\w.${NO_SECRET}-])(?!(?:OLD)?PWD=/[\\w./-]*(?:[\\s"',]|$))`;
/** Between a name and its value, which programs align. */
export const BLANKS = '(?:[^\\S\\n]{1,64}|\\s{1,4})';
/** In a text. A name such as `token_file` is not one. */
export const NAME = `${NAME_START}[\\w.-]*${SECRET_NAME_END}`;
export const FLAG = `(?<![\\w.-])--?[\\w.-]*${SECRET_NAME_END}`;
/** `smtpPass`, which no search that ignores case can tell from `bypass`; not `firstPass`, `onPass`. */
export const CAMEL_PASS = `${NAME_START}[\\w.-]*[a-z\\d](?<![Bb]y|[Ff]irst|[Ss]econd|\\b(?:on|did))Pass`;
/** A field `pass`, by what is before it: `{ user: 'u', pass: 'x' }`; or `pass="x"`. */
export const PASS_FIELD =
  'pass(?<=(?:[{[(,;&]\\s{0,64}|\\n\\s{1,64}|\\\\n\\s{0,64})pass|(?<![\\w.-])pass(?==\\\\*["\']))';
/** `secret: "web" not found` names one; `db_password: "web"` is one. */
export const NAME_NOT_NOUN = `${NAME_START}(?!(?:secret|token|credentials?):)[\\w.-]*${SECRET_NAME_END}`;

const BETWEEN_FIELDS = '(?:\\\\{1,8}[nrt]|[^\\w{}-]){1,32}';
const EFFECT = 'effect\\W{1,16}(?:(?:Prefer)?NoSchedule|NoExecute)\\b';
/** Of a variable. Not the key of a taint, behind or before its effect. */
export const NAME_OR_KEY = `(?:name|key(?<!${EFFECT}${BETWEEN_FIELDS}key)(?!["'\\\\]{0,9}:\\s{0,4}[^\\s{},]{1,128}${BETWEEN_FIELDS}(?:value["'\\\\]{0,9}:\\s{0,4}[^\\s{},]{0,128}${BETWEEN_FIELDS})?${EFFECT}))`;

/** Words that say too little in a text: `key: value` of a label, `--authorization-mode`. */
const FIELD_WORDS: readonly string[] = ['authorization', 'cookie', '\\bsas\\b', '^(?:key|pem|pass|pw)$'];

/** Fields that hold the name of a secret, not its value. */
const NAMING = /(name|names|namespace|ref|refs|count|file|path|seconds|expires?(at|on)?|type|kind|id)$/i;

/** Fields that hold how a secret is used, also of the metadata service of EC2. */
const HARMLESS =
  /^(?:http_?tokens|authorization-?modes?|secretProviderClass|(?:serviceAccount)?tokenAudiences?)$/i;

/** Where a token is from. User and password in it are searched. */
const ADDRESS_NAME = /^token_?(?:endpoint|ur[il])$/i;
const ADDRESS = /^https?:\/\/[^\s?#]+$/;

const OBJECT = '[a-z\\d]{1,63}(?:-[a-z\\d]{1,63}){1,16}';
const OBJECT_FIELDS = '(?:imagePullSecret|existingSecret|tlsSecret)';
const OBJECT_FIELD = new RegExp(
  `(?<![\\w.-])${OBJECT_FIELDS}(?=["'\\\\]{0,9}\\s{0,4}:[^\\S\\n]{0,64}["'\\\\]{0,9}${OBJECT}(?:[\\s"',}\\]]|\\\\{1,8}["'nr]|$))`,
  'g',
);

/** A part of each of these words. */
const MENTIONED =
  /token|secret|pass|pw|masterauth|bindpw|credential|key|connection[_-]?string|(?:custom|user)[_-]?data|protected[_-]?settings|dockerconfig|_content|authorization|cookie|sas|pem|[._-]pat(?![a-z])/i;

/** Of references to Secrets, and of tokens that are requested. */
const REFERENCE = /^(?:key|optional|audience|fsType|driver|operator|effect)$|pullSecrets$/i;

const FIELD = new RegExp([...WORDS, ...FIELD_WORDS].join('|'), 'i');
const IN_TEXT = new RegExp(`${SECRET_NAME_END}$`, 'i');
const ENDS_IN_PASS = new RegExp(`${CAMEL_PASS}$`);
