/**
 * Redacts the values of arguments and variables that are in quotes as a whole (`["--password=a b"]`, `'--password=a b'`): all up
 * to the quote that ends them, as such a value may have blanks, backslashes and what ends a command. What is in quotes
 * behind its name is found in `quoted-secrets.ts`.
 */
import { withoutFound } from './found-values.ts';
import { isAt } from './open-quotes.ts';
import { HIDDEN, OPEN, PLACEHOLDER } from './quoted-secrets.ts';
import { FLAG, mayNameSecret, NAME } from './secret-names.ts';
import { isNotSet } from './secret-words.ts';
import { endOfQuoted } from './value-ends.ts';

export function withoutArguments(text: string): string {
  return mayNameSecret(text) ? ARGUMENTS.reduce(hideArgument, text) : text;
}

// ---------------------------------------------------------------------------------------------------

const QUOTE = '(?<escapes>\\\\{0,32})(?<quote>["\'])';

/** A flag; a variable in a list, or of what sets it, as commands and units of systemd do. The command of a shell goes on behind a variable. */
const ARGUMENTS: readonly RegExp[] = [
  new RegExp(`(?<![^\\s[,(])${QUOTE}${FLAG}=`, 'gi'),
  new RegExp(
    `(?<=[[,(]\\s{0,64}|(?:\\bexport|\\benv|\\bdeclare -x|\\s-e|\\s--env|\\s--from-literal|\\s--build-arg)[\\s=]|\\bEnvironment=(?:(?:"[^"\\n]{0,128}"|'[^'\\n]{0,128}')\\s){0,4})(?<!-\\w{0,3}c\\\\{0,32}["']\\s{0,8},\\s{0,8})${QUOTE}${NAME}=`,
    'gi',
  ),
];

function hideArgument(text: string, pattern: RegExp): string {
  return withoutFound(text, pattern, (found, start, around) => {
    if (!isAt(SHOWABLE, text, start)) return undefined;
    const { escapes = '', quote = '' } = found.groups ?? {};
    const open = { quote, escapes: escapes.length };
    const { end, isClosed } = endOfQuoted(text, start, open, around(found.index), true);
    const value = withoutNext(text.slice(start, end));
    if (!isClosed || !/\w/.test(value) || PLACEHOLDER.test(value) || isNotSet(value))
      return { from: start, to: start, by: '', next: end };
    return { from: start, to: start + value.length, by: HIDDEN, next: end };
  });
}

const SHOWABLE = new RegExp(OPEN, 'y');

/** The next flag, variable or line is none of the value. */
function withoutNext(value: string): string {
  const end = value.search(NEXT);
  return end < 0 ? value : value.slice(0, end);
}

const NEXT = /\s(?:--?[A-Za-z]|[A-Za-z_]\w{1,63}=)|\\{1,8}[nrt](?:\W|[A-Za-z_][\w.-]{1,63}\s{0,4}[=:])/;
