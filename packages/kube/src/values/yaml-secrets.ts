/**
 * Values of secrets in YAML, which needs no quotes: a line is all of a value, or a block of them. What is in quotes there is
 * found in `quoted-secrets.ts`.
 */
import { HIDDEN, OPEN } from './quoted-secrets.ts';
import type { Replacements } from './replacements.ts';
import { FLAG, NAME, NAME_OR_KEY, NAME_START } from './secret-names.ts';

/** What is not set, or said of the value; what Rust prints before it, in the next line. */
const SAID =
  '(?!(?:<|(?:Some|Optional)\\((?:$|["\'\\\\])|\\*|(?:null|none|true|false|required|optional|string|invalid|missing|wrong|incorrect|expected|expired|unknown|undefined|unset|empty|value|hidden|masked|redacted)[.!]?(?:\\s|$)))';

export const IN_YAML: Replacements = [
  // A block of YAML: the lines that are indented more than its name. The script of a node is searched as any text.
  [
    new RegExp(
      `(^([^\\S\\n]{0,64})(?:-[^\\S\\n]{1,4})?["']?(?![\\w.-]{0,64}(?:custom|user)[_-]?data)${NAME}["']?:[^\\S\\n]{1,4})[|>][-+\\d]{0,2}[^\\S\\n]{0,4}(?:\\n(?:\\2[^\\S\\n]{1,16}\\S[^\\n]*|[^\\S\\n]*(?=\\n))){1,200}`,
      'gim',
    ),
    `$1${HIDDEN}`,
  ],
  // A variable of a container: as a line of YAML, and as Go prints it.
  [
    new RegExp(
      `(\\b${NAME_OR_KEY}:\\s{1,4}["']?${NAME}["']?[^\\S\\n]{0,4}(?:\\n|\\\\n)[^\\S\\n]{0,32}value:[^\\S\\n]{1,4}(?:[|>][-+]?[^\\S\\n]{0,4}\\n[^\\S\\n]{1,32})?)(?![\\s|>]|\\\\*["']|[[<]redacted)(?:(?!\\\\n)[^\\n"]|"(?=[A-Za-z0-9]))+`,
      'gi',
    ),
    `$1${HIDDEN}`,
  ],
  // The same in braces, and with the value first.
  [
    new RegExp(
      `(\\b${NAME_OR_KEY}:[^\\S\\n]{1,4}["']?${NAME}["']?,[^\\S\\n]{0,8}value:[^\\S\\n]{1,4})(?![\\s"'[{]|[[<]redacted)${OPEN}[^,}\\]\\n]*[^\\s,}\\]]`,
      'gi',
    ),
    `$1${HIDDEN}`,
  ],
  [
    new RegExp(
      `([{,][^\\S\\n]{0,8}value:[^\\S\\n]{1,4})(?!["'[{])${OPEN}[^\\s,}\\]][^,}\\]\\n]{0,1024}(?=,[^\\S\\n]{0,8}${NAME_OR_KEY}:[^\\S\\n]{1,4}["']?${NAME}["']?[\\s,}])`,
      'gi',
    ),
    `$1${HIDDEN}`,
  ],
  [
    new RegExp(
      `(["']value(\\\\{0,8}["'])\\s{0,8}:\\s{0,8}\\2)${OPEN}(?:(?!\\2)[^\\n]){1,1024}(?=\\2\\s{0,8},\\s{0,8}\\2${NAME_OR_KEY}\\2\\s{0,8}:\\s{0,8}\\2${NAME}\\2)`,
      'gi',
    ),
    `$1${HIDDEN}`,
  ],
  // An argument in a list: the item behind the flag.
  [
    new RegExp(
      `(^[^\\S\\n]{0,64}-[^\\S\\n]{1,4}["']?${FLAG}["']?[^\\S\\n]{0,8}\\n[^\\S\\n]{0,64}-[^\\S\\n]{1,4}["']?)(?!["'\\s]|--?[A-Za-z])${OPEN}[^\\n]+?(?=["']?[^\\S\\n]{0,8}$)`,
      'gim',
    ),
    `$1${HIDDEN}`,
  ],
  [
    new RegExp(
      `(-[^\\S\\n]{1,4}${FLAG}[^\\S\\n]{0,8}\\\\{1,8}n[^\\S\\n]{0,64}-[^\\S\\n]{1,4})(?!\\\\|--?[A-Za-z]|\\s)${OPEN}(?:(?!\\\\{1,8}n)[^\\n"])+`,
      'gi',
    ),
    `$1${HIDDEN}`,
  ],
  // A password alone in its line, whatever its letters.
  [
    new RegExp(
      `(^(?:[^\\S\\n]{1,64}(?:-[^\\S\\n]{1,4})?|(?=plain_text_passwd))${NAME_START}(?:[\\w.-]*[._-]|[A-Za-z]*)(?:password|passwd|passphrase|pwd):[^\\S\\n]{1,64})${SAID}(?!["'{[|>!&])${OPEN}[^\\s#][^\\s]{3,}(?=[^\\S\\n]{0,64}(?:[^\\S\\n]#[^\\n]*)?$)`,
      'gim',
    ),
    `$1${HIDDEN}`,
  ],
];
