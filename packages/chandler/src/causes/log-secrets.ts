/**
 * Redacts what the log of a provisioning script may hold beyond the secrets that every text is searched for
 * (`withoutSecrets`): queries of addresses, passwords of commands that it does not know, and long
 * strings that look like keys or encoded files. Colours are removed as well. A quoted line needs none of them. What is part
 * of the name of an image stays: the tag is often a commit, and spec.image shows it anyway. Takes time proportional to the text.
 */
import { HIDDEN, withoutSecrets } from '@chandler/kube';

export function withoutLogSecrets(text: string): string {
  const images = imagesIn(text);
  const hidden = (word: string) => (images.some((name) => name.includes(word)) ? word : HIDDEN);
  return withoutSecrets(text.replace(COLOR, ''))
    .replace(QUERY, `$1?${HIDDEN}`)
    .replace(SIGN_IN, (line) =>
      line.replace(PASSWORD_ARGUMENT, `$1${HIDDEN}`).replace(QUOTED_ARGUMENT, `$1${HIDDEN}`),
    )
    .replace(LOGIN_VARIABLE, `$1${HIDDEN}`)
    .replace(HEX, hidden)
    .replace(WORD, (word) => (isEncoded(word) ? hidden(word) : word));
}

// ---------------------------------------------------------------------------------------------------

/** Consoles and programs write colours, also within words: no pattern would match these. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a colour begins with one.
const COLOR = /\u001b\[[0-9;?]{0,32}[A-Za-z]/g;
/** Of an address, up to where it ends. */
const QUERY = /(\b[a-z][a-z0-9+.-]{0,20}:\/\/[^\s?"'<>\\]{1,2048})\?[^\s"'<>\\]*/gi;
/** A line with a command that takes a user as `-u` and may take a password as `-p`. For others that is a path or a port. */
const SIGN_IN = /^(?!.*\b(?:journalctl|systemctl|sudo)\s).*\s-u\s.*$/gm;
const PASSWORD_ARGUMENT =
  /(\s-p(?:\s{1,4}|=|(?![\s=])))(?!-|(?:\\{1,8}["'])?[[<]redacted|\/(?:etc|var|opt|run|usr|home|root|tmp|mnt|srv)\/|(?:[\d.]{1,15}:)?\d{1,5}:\d{1,5}(?![^\s"'\\/]))(?:'[^'\n]*'?|"[^"\n]*"?|(\\{1,8}["'])(?![\s,:}\])]|$)(?:(?!(?<!\\)\2)[^\n])+(?:\2)?|[^\s"']+)/g;
/** With its option in the same quotes, as the trace of bash prints it: `+ fetch -u joe '-pHunter$2' x.io`. */
const QUOTED_ARGUMENT =
  /(\s(\\{0,8}["'])-p)(?!\2|(?:orts?|ath|rofile|roject|refix|rint|rotocol|rovider|ull|ush)(?![\w-])|[[<]redacted|\/(?:etc|var|opt|run|usr|home|root|tmp|mnt|srv)\/|(?:[\d.]{1,15}:)?\d{1,5}:\d{1,5}(?![^\s"'\\/]))(?:'\\''|(?!\2)[^\n])+/g;
/** `REDISCLI_AUTH=password`, `NEO4J_AUTH=user/password`, `_auth=` of npm; not which way of login there is, or where. */
const LOGIN_VARIABLE =
  /(?<![\w.-])((?:[A-Z][A-Z0-9_]{1,60})?_(?:AUTH|auth)=)(?!(?:undefined|null|nil|required|missing|unset|true|false|none|yes|on|off|enabled|disabled|basic|digest|bearer|htpasswd|token|ldap|oidc|oauth2?|jwt|mtls|tls|cert|login|plain|trust|md5|scram-[\w-]+|https?:\/\/\S+)(?:[\s"',;&]|$)|[[<]redacted)(?:'[^'\n]{4,}'?|"[^"\n]{4,}"?|(?:[^\s"'\\,;&]|[,&](?!(?:[\s"'\\,;&}\])]|$)|[a-z_][\w.-]{1,63}[=:])){4,})/gi;
/** The digest of an image is no secret, nor is a long name of a host, as API servers have it. */
const HEX = /(?<![0-9a-f]|sha256:)(?![0-9a-f]{32}(?:\.[a-z][a-z0-9-]{0,40}){4})[0-9a-f]{32,}(?![0-9a-f])/gi;
/**
 * Names of images as the kubelet and runtimes write them: `pull image "a/b:tag"`, `resolve reference "a/b:tag"`,
 * `docker://a/b:tag`. Only whole names: what has a user, a password or a query is none.
 */
const IMAGE =
  /(?:\b(?:image(?: name| tag)?|PullImage|reference) \\{0,2}["']|\bdocker:\/\/)([\w.-]{1,253}(?::\d{1,5}(?=\/))?(?:\/[\w.-]{1,128}){0,16}(?::[\w.-]{1,128})?)(?:@sha256:[0-9a-f]{64})?(?=\\{0,2}["']|:?(?:\s|$))/gi;
const MAX_IMAGES = 20;

/** A single word may be anything: an image has a repository or a tag. */
function imagesIn(text: string): readonly string[] {
  const names = new Set<string>();
  for (const [, name = ''] of text.matchAll(IMAGE)) {
    if (/[/:]/.test(name)) names.add(name);
    if (names.size >= MAX_IMAGES) break;
  }
  return [...names];
}

/** Characters of base64 in both alphabets. */
const WORD = /[A-Za-z0-9+/_-]{20,}={0,2}/g;

/**
 * Paths, names and options are words: they change seldom between small letters, capitals and digits. In an encoded
 * text nearly every second character is of another kind than the one before.
 */
const MIN_CHANGES = 0.3;

function isEncoded(word: string): boolean {
  let changes = 0;
  let kinds = 0;
  let before = 0;
  for (const character of word) {
    const kind = kindOf(character);
    if (kind === 0) continue;
    kinds |= kind;
    if (before !== 0 && kind !== before) changes++;
    before = kind;
  }
  return kinds === ALL_KINDS && changes >= word.length * MIN_CHANGES;
}

const SMALL = 1;
const CAPITAL = 2;
const DIGIT = 4;
const ALL_KINDS = SMALL | CAPITAL | DIGIT;

function kindOf(character: string): number {
  if (character >= 'a' && character <= 'z') return SMALL;
  if (character >= 'A' && character <= 'Z') return CAPITAL;
  return character >= '0' && character <= '9' ? DIGIT : 0;
}
