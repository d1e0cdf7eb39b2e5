/**
 * Redacts users and passwords in the arguments of commands, and what commands that set passwords read. A value behind the
 * name of a secret is left to `without-secrets.ts`.
 */
import { HIDDEN } from './quoted-secrets.ts';
import { type Replacements, replaced } from './replacements.ts';
import { SECRET_NAME_END } from './secret-names.ts';

/** Lists of users and passwords, of which a line or a document of a shell has many. */
export function withoutPasswordLists(text: string): string {
  const safe = CHPASSWD_DOCUMENTS.reduce(
    (rest, pattern) => rest.replace(pattern, (document) => document.replace(USER_LINE, `$1${HIDDEN}`)),
    text,
  );
  return safe.replace(
    CHPASSWD_LIST,
    (_, head: string, _indent: string, users: string) => head + users.replace(USER_ITEM, `$1${HIDDEN}`),
  );
}

export function withoutCommandPasswords(text: string): string {
  return replaced(text, PASSWORDS);
}

// ---------------------------------------------------------------------------------------------------

/** Documents of a shell that chpasswd reads, up to the word that ends them: a line for each user. */
const DOCUMENT_LINES =
  '["\']?(\\w{1,32})["\']?[^\\S\\n]{0,4}REST\\n(?:(?![^\\S\\n]{0,16}\\1\\b)[^\\n]*(?:\\n|$)){1,200}';
const CHPASSWD_DOCUMENTS: readonly RegExp[] = [
  new RegExp(`\\bchpasswd\\b[^\\n<]{0,40}<<-?${DOCUMENT_LINES.replace('REST', '')}`, 'g'),
  new RegExp(`<<-?${DOCUMENT_LINES.replace('REST', '\\|[^\\n]{0,80}\\bchpasswd\\b[^\\n]{0,40}')}`, 'g'),
];
const USER_LINE = /^(\s{0,16}[^\s:]{1,64}:)[^\n]+/gm;

/** The same list in cloud-config: lines or items, indented more than its name. */
const CHPASSWD_LIST =
  /(\bchpasswd:[^\S\n]{0,8}\n(?:[^\S\n][^\n]{0,256}\n){0,16}?([^\S\n]{1,16})list:[^\S\n]{0,4}[|>]?[-+\d]{0,2}[^\S\n]{0,4}\n)((?:(?:\2(?:[^\S\n]|-[^\S\n])[^\n]{0,512})?(?:\n|$)){1,200})/g;
const USER_ITEM = /^([^\S\n]{1,32}(?:-[^\S\n]{1,8})?["']?[^\s:"']{1,64}:)[^\n]+/gm;

/** In a container it is a user and a group: `app:app`, `nobody:nogroup`, `1000:app`. */
const USER_AND_GROUP =
  '(?:(?<user>[a-z_][\\w-]{0,31}):(?:\\k<user>|root|nogroup|nobody)|\\d{1,5}:[a-z_-]{1,32})(?<=\\b(?:docker|podman|nerdctl|crictl|exec|run)\\b[^\\n]{0,256})';
/** `1000:1000`, users of Kubernetes, roles of AWS; except for curl. */
const IDS = `(?:\\d{1,5}:\\d{1,5}|\\$\\(id -u\\):\\$\\(id -g\\)|system:(?:node|serviceaccount|bootstrap):[^\\s"'\\\\]+|system:(?:anonymous|masters|admin|kube-[a-z-]+)|arn:aws[\\w-]{0,16}:[^\\s"'\\\\]+|${USER_AND_GROUP})(?![^\\s"'\\\\])`;
const NO_IDS = `(?:(?!${IDS})|(?<=\\bcurl\\b(?:[^\\n;&|(]|&(?=\\w{1,64}=)|\\\\\\n){0,256}))`;
/** `-u`, `-fsSu`, `--user`, `--src-creds`, also in a list in JSON. Not `-Uri:`, `-cpu`, `$(id -u)`. */
const NEXT_ARGUMENT = `(?:\\s{1,4}|\\\\{0,8}["']\\s{0,4},\\s{0,4}(?=\\\\{0,8}["']))`;
const USER_FLAG = `[\\s"'](?:-[uU](?:${NEXT_ARGUMENT}|=|(?!\\)|(?:ri|nit|buntu|se[A-Z]\\w{0,32}):))|-(?![cg]pu\\b)[A-Za-z]{1,8}u${NEXT_ARGUMENT}|--(?:(?:proxy-)?user|(?:\\w{1,16}-)?creds)(?:${NEXT_ARGUMENT}|=))`;

/** Of an argument, also in quotes inside of a string. The path of a file is none. */
const ARGUMENT = `(?![-\`]|(?:\\\\{1,8}["'])?[[<]redacted|/(?:etc|var|opt|run|usr|home|root|tmp|mnt|srv)/)(?:'(?:[^'\\n]|'\\\\'')*'?|"[^"\\n]*"?|(?<escaped>\\\\{1,8}["'])(?![\\s,:}\\])]|$)(?:(?!(?<!\\\\)\\k<escaped>)[^\\n])+(?:\\k<escaped>)?|(?:[^\\s"'\\\\]|\\\\{1,8}(?=[^\\s"'\\\\nrt]))+)`;

/** Before the name of a command, with its folder. A container, a unit or an object may be called like one. */
const COMMAND =
  '(?:(?<![\\w/.-])|(?<=\\\\[nrt]))(?<!\\s(?:--(?:name|unit|hostname)[\\s=]{1,4}|-u\\s{1,4})|\\b(?:status|restart|reload|enable|disable|is-active|kubectl run|deploy|deployment|sts|statefulset|pod)\\s{1,4})(?!(?:deploy|deployment|sts|statefulset|pod)/)(?:[\\w/.-]{0,128}/)?';
/** Between a command and its option: not another command, except in quotes, nor the password. */
const PLAIN = '(?:[^\\n|;&[]|(?<!\\s-[apPw][\\s=]{0,4})\\[redacted\\]|\\[[\\da-fA-F:.]{2,64}\\])';
const BETWEEN = `(?:${PLAIN}{0,512}?\\s|(?:(?!["'])${PLAIN}){0,256}(?:"[^"\\n]{0,256}"|'[^'\\n]{0,256}')(?:(?:(?!["'])${PLAIN}){0,256}(?:"[^"\\n]{0,256}"|'[^'\\n]{0,256}')){0,3}?(?:(?!["'])${PLAIN}){0,512}?\\s)??`;
/** Items of a list in JSON. */
const ITEMS =
  '(?:\\s{0,8},\\s{0,8}\\2(?!(?:-[ap])?\\[redacted)(?:[^"\'\\n\\\\]|\\\\{1,8}(?=[^"\'\\n\\\\])){0,128}\\2){0,16}?';
const WORD_WITH_P = '(?:id|orts?|ath|rofile|roject|refix|rint|rotocol|rovider|ull|ush)(?![\\w-])';
const PORTS = '(?:[\\d.]{1,15}:)?\\d{1,5}:\\d{1,5}(?![^\\s"\'\\\\/])';

/** Programs of which `-p` is a password. */
const WITH_P = '(?:login|sshpass|mysql\\w{0,32}|mariadb[\\w-]{0,32})';
/** Others, of which the name is also that of a container, or of what failed. */
const RUN_WITH_P = '(?:mongo(?:sh|dump|restore|export|import)?|cqlsh|user(?:add|mod))';
/** Where a command begins: in a line, in a string, behind another one. Or it has the folder of programs. */
const RUN =
  '(?:(?:(?:^|[\\n;&|("\'`]|(?<!\\S)(?:\\+{1,8}|--)\\s|\\\\[nrt])[^\\S\\n]{0,16}(?:\\+{1,8}\\s{1,4})?(?:(?:sudo|exec)\\s{1,4}(?:-\\w{1,8}\\s{1,4}){0,4})?|(?<!\\S)(?:sudo|exec)\\s{1,4})(?:[\\w/.-]{0,128}/)?|(?<![\\w/.-])/(?:[\\w.-]{1,64}/){0,8}s?bin/)';
/** Behind it: a value at most, and options with theirs. No other command. */
const SPACE = '(?:[^\\S\\n]|\\\\\\n){1,64}';
const ITEM = '(?:[^\\s"\'|;&\\\\]|\\\\[^\\n]|"[^"\\n]{0,256}"|\'[^\'\\n]{0,256}\'){1,256}';
const RUN_OPTIONS = `(?:${SPACE}-${ITEM}(?:${SPACE}(?!-)${ITEM})?){0,16}?${SPACE}`;
/** What a message says of a command, in place of its arguments. */
const NOT_FAILED =
  '(?!(?:fail(?:ed|ure|s)|exit(?:ed|s)?|error|returned|timed|was|is|has|could|did|cannot|mismatch|policy|change|command)\\b)';
/** Between a command and its option, also in the next lines of it. */
const OPTIONS = '(?:[^\\n|;&\\\\]|\\\\(?:\\n|[^\\n])){0,512}?\\s';
/** Of an option and its value in the same quotes, the quote of the option is the second group: what is before the quote that ends it. */
const TO_QUOTE = `(?!\\2|[[<]redacted|${PORTS}|/(?:etc|var|opt|run|usr|home|root|tmp|mnt|srv)/)(?:'\\\\''|(?!\\2)(?:[^\\n\\\\]|\\\\[^\\n']?))+`;
const OPENING_QUOTE = '(\\\\{0,8}["\'])';
/** Between an option and its value. */
const IS = '(?:\\s{1,4}|=)';
/** Not the name of a variable or of a command that has it. */
const WRITTEN = `(?!\\\\{0,8}"?\\$[A-Za-z_{(])${ARGUMENT}`;

const PASSWORDS: Replacements = [
  // `user:password`, as chpasswd reads it.
  [
    /((?<![^\s"'|])[^\s:"'|]{1,64}:)[^\s|]{1,256}?(?=["']?\s{0,4}\|\s{0,4}(?:sudo\s{1,4})?chpasswd\b)/g,
    `$1${HIDDEN}`,
  ],
  [
    /((["'])[^\s:"'|]{1,64}:)(?!\s|[[<]redacted)(?:(?!\2)[^\n]){1,256}(?=\2[^\n"']{0,80}\|[^\n|"']{0,40}\bchpasswd\b)/g,
    `$1${HIDDEN}`,
  ],
  [/(\bchpasswd\s{0,4}<<<\s{0,4}(["'])[^\s:"']{1,64}:)(?!\2)(?:(?!\2)[^\n]){1,256}/g, `$1${HIDDEN}`],
  [
    /(\bchpasswd\s{0,4}<\s{0,4}<\(\s{0,4}(?:echo|printf)\s{1,4}["']?[^\s:"']{1,64}:)[^\n"')]+/g,
    `$1${HIDDEN}`,
  ],
  [/(\bchpasswd\s{0,4}<<<\s{0,4}["']?[^\s:"']{1,64}:)[^\s"']+/g, `$1${HIDDEN}`],
  // A password that passwd reads.
  [
    /(\b(?:echo|printf)\s{1,4}(?:-\w{1,4}\s{1,4})?)(?![[<]redacted)[^\s|][^\n|]{0,256}?(?=\s{0,4}\|\s{0,4}(?:sudo\s{1,4})?passwd\s[^\n|]{0,40}--stdin\b)/g,
    `$1${HIDDEN}`,
  ],
  // For a login.
  [
    /(\b(?:echo|printf)\s{1,4}(?:-\w{1,4}\s{1,4})?)(?!"?\$[\w{(]|[[<]redacted)[^\s|][^\n|]{0,256}?(?=\s{0,4}\|[^\n|;&]{0,256}\s--password-stdin\b)/g,
    `$1${HIDDEN}`,
  ],
  [
    /(^\+{1,8}\s{1,4}(?:echo|printf)\s{1,4}(?:-\w{1,4}\s{1,4})?)(?![[<]redacted)\S{1,256}(?=\n\+{1,8}\s[^\n|;&]{0,256}\s--password-stdin\b)/gm,
    `$1${HIDDEN}`,
  ],
  // What openssl encrypts for a user.
  [
    new RegExp(
      `((?:\\bopenssl\\s{1,4}passwd\\s{1,4}(?:-salt\\s{1,4}\\S{1,64}\\s{1,4}|-(?!salt|stdin|in\\b)\\w{1,16}\\s{1,4}){1,6}|(?:\\$\\(|\`)openssl\\s{1,4}passwd\\s{1,4}))(?![-$<|;&)\`]|"\\$|[[<]redacted)${NOT_FAILED}(?:'[^'\\n]*'?|"[^"\\n]*"?|[^\\s"'\\\\)\`]+)`,
      'g',
    ),
    `$1${HIDDEN}`,
  ],
  // What a command sets in a vault, or for a user.
  [
    new RegExp(`(\\bkeyvault\\s{1,4}secret\\s{1,4}set\\b${OPTIONS}--value${IS})${WRITTEN}`, 'g'),
    `$1${HIDDEN}`,
  ],
  [
    new RegExp(
      `(\\bssm\\s{1,4}put-parameter\\b(?=${OPTIONS}(?:--type${IS})["']?SecureString)${OPTIONS}--value${IS})${WRITTEN}`,
      'g',
    ),
    `$1${HIDDEN}`,
  ],
  [
    new RegExp(`(${COMMAND}mysqladmin${RUN_OPTIONS}password\\s{1,4})(?![|;&<>])${NOT_FAILED}${WRITTEN}`, 'g'),
    `$1${HIDDEN}`,
  ],
  [
    new RegExp(
      `(\\brabbitmqctl\\s(?:[^\\n|;&]{0,128}\\s)??(?:add_user|change_password|authenticate_user)\\s{1,4}(?![-|;&<>])${NOT_FAILED}\\S{1,128}\\s{1,4})(?![|;&<>])${NOT_FAILED}${WRITTEN}`,
      'g',
    ),
    `$1${HIDDEN}`,
  ],
  // `-p` of a few commands. For others it is a path, a port or a property. Redis, LDAP and SQL Server have letters of their
  // own: `-W` and `-p` are no passwords there.
  [
    new RegExp(
      `(${COMMAND}${WITH_P}\\s${BETWEEN}-p(?!${WORD_WITH_P})(?:\\s{1,4}|=|(?![\\s=])))(?!${PORTS})${ARGUMENT}`,
      'g',
    ),
    `$1${HIDDEN}`,
  ],
  [
    new RegExp(
      `(${COMMAND}(?:redis-cli\\s${BETWEEN}-a|ldap\\w{3,12}\\s${BETWEEN}-w|(?:sqlcmd|bcp)\\s${BETWEEN}-P)\\s{0,4})${ARGUMENT}`,
      'g',
    ),
    `$1${HIDDEN}`,
  ],
  [
    new RegExp(
      `(${RUN}${RUN_WITH_P}(?:${SPACE}(?!-)(?!\\S{0,64}:\\s)${ITEM})?${RUN_OPTIONS}(?:(?<!\\bmongo[^\\n]{0,512})-[A-Za-z]{1,6}p(?=\\s)|-p(?!${WORD_WITH_P}))(?:\\s{1,4}|=|(?![\\s=])))(?!\\\\{0,8}["']?/|${PORTS}|\\\\{0,8}"?\\$\\(openssl\\s)${ARGUMENT}`,
      'gm',
    ),
    `$1${HIDDEN}`,
  ],
  // The whole argument in quotes, as the trace of bash prints it: `+ mysql -uroot '-pHunter$2' -e x`.
  [
    new RegExp(
      `(${COMMAND}(?:${WITH_P}\\s${BETWEEN}(?=\\W{1,9}p(?!${WORD_WITH_P}))|redis-cli\\s${BETWEEN}(?=\\W{1,9}a)|ldap\\w{3,12}\\s${BETWEEN}(?=\\W{1,9}w)|(?:sqlcmd|bcp)\\s${BETWEEN}(?=\\W{1,9}P))${OPENING_QUOTE}-[apwP])${TO_QUOTE}`,
      'g',
    ),
    `$1${HIDDEN}`,
  ],
  [
    new RegExp(
      `(${RUN}${RUN_WITH_P}(?:${SPACE}(?!-)(?!\\S{0,64}:\\s)${ITEM})?${RUN_OPTIONS}${OPENING_QUOTE}-p(?!${WORD_WITH_P}))(?!/)${TO_QUOTE}`,
      'gm',
    ),
    `$1${HIDDEN}`,
  ],
  // The same in a list in JSON.
  [
    new RegExp(
      `((\\\\{0,8}["'])(?:[\\w/.-]{0,128}/)?(?:${WITH_P}\\2${ITEMS}\\s{0,8},\\s{0,8}\\2-p|redis-cli\\2${ITEMS}\\s{0,8},\\s{0,8}\\2-a)(?:\\2\\s{0,8},\\s{0,8}\\2)?)(?!\\2|[[<]redacted|${PORTS})(?:(?!\\2)[^\\n]){1,256}(?=\\2)`,
      'g',
    ),
    `$1${HIDDEN}`,
  ],
  [
    new RegExp(
      `(\\[\\s{0,8}(\\\\{0,8}["'])(?:[\\w/.-]{0,128}/)?${RUN_WITH_P}\\2${ITEMS}\\s{0,8},\\s{0,8}\\2-p(?:\\2\\s{0,8},\\s{0,8}\\2)?)(?!\\2|/|[[<]redacted|${PORTS})(?:(?!\\2)[^\\n]){1,256}(?=\\2)`,
      'g',
    ),
    `$1${HIDDEN}`,
  ],
  [
    new RegExp(
      `((\\\\{0,8}["'])(?:secret\\2\\s{0,8},\\s{0,8}\\2set|put-parameter(?=\\2[^\\n]{0,512}SecureString))\\2${ITEMS}\\s{0,8},\\s{0,8}\\2--value\\2\\s{0,8},\\s{0,8}\\2)(?!\\2|[[<]redacted)(?:(?!\\2)[^\\n]){1,1024}(?=\\2)`,
      'g',
    ),
    `$1${HIDDEN}`,
  ],
  // `-u user:password`, as curl takes it; not a format of a date, not an address.
  [
    new RegExp(
      `(${USER_FLAG}(?![/+-])${NO_IDS}[^\\s:"'/]{0,256}:)(?!//|[[<]redacted)(?:[^\\s"'\\\\]|\\\\(?!\\\\{0,8}["']))+`,
      'g',
    ),
    `$1${HIDDEN}`,
  ],
  [
    new RegExp(
      `(${USER_FLAG}(\\\\{0,8}["'])(?![/+-])${NO_IDS}[^\\n:"'/]{0,256}:)(?!//|\\s|\\2|[[<]redacted)(?:(?!\\2)[^\\n])+`,
      'g',
    ),
    `$1${HIDDEN}`,
  ],
  // Of a file of settings: `aws configure set`, `npm config set`; of netrc.
  [
    new RegExp(
      `(\\bconfig(?:ure)?\\s{1,4}set\\s{1,4}["']?[^\\s"']{0,128}${SECRET_NAME_END}["']?\\s{1,4})${ARGUMENT}`,
      'gi',
    ),
    `$1${HIDDEN}`,
  ],
  [
    /(\bmachine\s{1,16}\S{1,256}\s{1,16}login\s{1,16}\S{1,256}\s{1,16}password\s{1,16})(?![[<]redacted)[^\s"'\\]+/g,
    `$1${HIDDEN}`,
  ],
  // Of Windows.
  [/(\s\/pass(?:word)?:)(?!\*(?:\s|$)|[[<]redacted)(?:"[^"\n]*"?|[^\s"']+)/gi, `$1${HIDDEN}`],
  [
    /(\bnet1?(?:\.exe)?\s{1,4}use\s{1,4}(?:\S{1,8}\s{1,4})?\\{2,8}[^\s"']{1,256}\s{1,4})(?![/*]|[[<]redacted)(?:"[^"\n]*"?|[^\s"']+)/gi,
    `$1${HIDDEN}`,
  ],
  [
    /(\bnet1?(?:\.exe)?\s{1,4}user\s{1,4}(?:"[^"\n]{1,64}"|[^\s"/]{1,64})\s{1,4})(?![/*]|[[<]redacted)(?=[^\s"]{0,64}[\d!#$%&@]|"|[^\s"]{1,256}\s{1,4}\/\w)(?:"[^"\n]*"?|[^\s"']+)/gi,
    `$1${HIDDEN}`,
  ],
  [
    /(\bConvertTo-SecureString\s{1,4}(?:-\w{1,16}\s{1,4}){0,4}(\\{0,8}["']))(?!\2|\$|[[<]redacted)(?:(?!\2)[^\n])+/gi,
    `$1${HIDDEN}`,
  ],
];
