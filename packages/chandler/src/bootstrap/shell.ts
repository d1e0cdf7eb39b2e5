/**
 * Puts a value into a shell script such that the shell gives back exactly that value, whatever is in it. Values that
 * need no quotes keep the bare form that AKS' own scripts use; everything else is in double quotes.
 */
import { BootstrapError } from './bootstrapper.ts';

/** One line `NAME=value`, or several where the value has line breaks. */
export function assignment(name: string, value: string, quoted: boolean): string {
  if (value.includes('\0')) {
    throw new BootstrapError('unprintable', `${name}: a shell variable cannot hold a NUL character`, {
      path: name,
    });
  }
  return `${name}=${quoted || !BARE.test(value) ? doubleQuoted(value) : value}`;
}

/** Inside double quotes the shell looks at these four; an exclamation mark only at a prompt. */
export function doubleQuoted(value: string): string {
  return `"${value.replace(/["$`\\]/g, '\\$&')}"`;
}

// ---------------------------------------------------------------------------------------------------

/** No blank, quote, glob, brace, tilde or operator: the shell takes it letter by letter. */
const BARE = /^[A-Za-z0-9_./:@%+=,-]*$/;
