/**
 * Redacts passwords in commands of Redis, as its clients print them in errors and in traces: the user and the password are
 * items of a list, with no name of a secret before them.
 */
import { HIDDEN } from './quoted-secrets.ts';

export function withoutClientPasswords(text: string): string {
  return PASSWORDS.reduce(
    (safe, pattern) =>
      safe.replace(
        pattern,
        (_, head: string, items: string) => head + items.replace(ITEM, `$<open>${HIDDEN}$<open>`),
      ),
    text,
  );
}

// ---------------------------------------------------------------------------------------------------

const QUOTE = '\\\\{0,8}["\'`]';
/** A string, with brackets and quotes of its own. One that is cut ends with its line. */
const STRING = `(?<open>${QUOTE})(?:(?!(?<!\\\\)\\k<open>)[^\\n]){0,1024}(?:\\k<open>|(?=\\n|$))`;
const ITEM = new RegExp(STRING, 'g');

const SPACE = '(?:\\s|\\\\{1,8}n){0,64}';
const NEXT = `(?:${SPACE},)?${SPACE}`;
const ITEMS = `(?:${NEXT}${STRING}){1,16}`;

const ARGUMENTS = `\\bargs(?:${QUOTE})?\\s{0,8}:\\s{0,8}\\[`;
const NAME = `\\b(?:name|command)(?:${QUOTE})?\\s{0,8}:\\s{0,8}${QUOTE}`;
const BETWEEN = `${QUOTE},${SPACE}(?:${QUOTE})?`;
/** The arguments of a container with such a name are options. */
const NO_OPTION = `(?!${SPACE}${QUOTE}--?[a-z])`;
/** `hello` and `acl` have a user and a password only behind such a word. */
const WITH_USER = `(?:${NEXT}${QUOTE}[\\w.-]{0,64}${QUOTE}){0,4}?${NEXT}${QUOTE}(?:AUTH|auth|SETUSER|setuser)${QUOTE}`;

/** All before the items that are hidden, and these. */
const PASSWORDS: readonly RegExp[] = [
  // ioredis: `command: { name: 'auth', args: [ 'default', 'password' ] }`; node-redis: `command: 'AUTH', args: [ 'password' ]`.
  new RegExp(`(${NAME}(?:auth|AUTH)${BETWEEN}${ARGUMENTS}${NO_OPTION})(${ITEMS})`, 'g'),
  new RegExp(
    `(\\b${ARGUMENTS}${NO_OPTION})(${ITEMS})(?=${SPACE}\\],${SPACE}(?:${QUOTE})?name(?:${QUOTE})?\\s{0,8}:\\s{0,8}${QUOTE}auth${QUOTE})`,
    'g',
  ),
  // The same of other commands: `name: 'hello', args: [ '3', 'AUTH', 'default', 'password' ]`.
  new RegExp(`(${NAME}(?:hello|HELLO|acl|ACL)${BETWEEN}${ARGUMENTS}${WITH_USER})(${ITEMS})`, 'g'),
  // A trace of ioredis: `0 -> auth([ 'password' ])`, `0 -> hello([ '3', 'AUTH', 'default', 'password' ])`.
  new RegExp(`(-> auth\\(\\[)(${ITEMS})`, 'g'),
  new RegExp(`(-> (?:hello|acl)\\(\\[${WITH_USER})(${ITEMS})`, 'g'),
  // The protocol, of MONITOR and of node-redis: `"AUTH" "default" "password"`.
  new RegExp(`(\\\\{0,8}["']AUTH\\\\{0,8}["'])((?:[^\\S\\n]{1,4}${STRING}){1,2})`, 'g'),
];
