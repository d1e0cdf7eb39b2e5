/**
 * Redacts secrets in what VMs and clouds print: bootstrap tokens, bearer tokens, signed addresses, protected
 * settings. Applied to whatever is shown or kept as evidence, after the facts were read out of it. It never throws and
 * takes time proportional to the text.
 */

export const HIDDEN = '[redacted]';

export function withoutSecrets(text: string): string {
  let safe = text;
  for (const [pattern, replacement] of SECRETS) safe = safe.replace(pattern, replacement);
  return safe;
}

// ---------------------------------------------------------------------------------------------------

/**
 * Names under which secrets are printed, in a trace (`NAME=value`), in JSON (`"name": "value"`, escaped or not), as a
 * flag (`--name value`) or in a form (`name=value&`). A name such as `token_file` is not one.
 */
const NAMES =
  '(?:(?<![A-Za-z0-9_.-])[A-Za-z0-9_.-]*(?:token|secret|passw(?:or)?d|passphrase|protectedsettings|client_content|account_?key|shared_?key|private_?key|api_?key|file_content|connection_?string|credentials))';

const FLAG = NAMES.replace('[A-Za-z0-9_.-]*', '--[A-Za-z0-9_.-]*');

/** The code of an error of Entra ID is what people search for, and no secret. */
const VALUE = '(?!\\[redacted|AADSTS\\d)[^\\s"\'\\\\&,;}]';

const SECRETS: readonly [RegExp, string][] = [
  [/-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|$)/g, HIDDEN],
  // What Azure encrypts because it is secret: the object with all it holds, and the command in it.
  [/("protectedSettings\\*"\s{0,8}:\s{0,8})\{[^}]*\}?/gi, `$1${HIDDEN}`],
  [/(\bcommandToExecute\\*"\s{0,8}:\s{0,8}\\*")[^}\n]*/gi, `$1${HIDDEN}`],
  [/\b(bearer|basic)(\s+|%20)[A-Za-z0-9._~+/=-]{8,}/gi, `$1$2${HIDDEN}`],
  // A JSON web token, also one that was cut.
  [/\beyJ[\w-]{8,}(?:\.[\w-]*){0,2}/g, HIDDEN],
  // A bootstrap token: six characters, a dot, sixteen characters.
  [/\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g, HIDDEN],
  // The signature of a signed address, as it is and where the ampersand was escaped.
  [/((?:[?&]|\\u0026|&amp;|%26)sig(?:nature)?(?:=|%3D))[^&\s"'\\<>]+/gi, `$1${HIDDEN}`],
  // User and password in an address.
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@"']{1,256}@/gi, `$1${HIDDEN}@`],
  // NAME=value, "name": "value" (the quotes escaped or not), name: value.
  [new RegExp(`(${NAMES}\\\\*["']?=\\\\*["']?)${VALUE}{4,}`, 'gi'), `$1${HIDDEN}`],
  [new RegExp(`(${NAMES}\\\\*["']\\s{0,4}:\\s{0,4}\\\\*["'])${VALUE}{4,}`, 'gi'), `$1${HIDDEN}`],
  // Prose after a colon is not a secret: one word with a digit in it is.
  [new RegExp(`(${NAMES}:\\s{1,4})(?=[^\\s]{0,64}\\d)${VALUE}{8,}`, 'gi'), `$1${HIDDEN}`],
  [new RegExp(`(${FLAG} ["']?)(?!-)${VALUE}{4,}`, 'gi'), `$1${HIDDEN}`],
];
