/**
 * Redacts what the kubelet and the container runtime say of a container: probes that time out, hooks that fail and programs
 * that do not start are reported with their whole command, in which any argument may be a password. Of a command only the
 * program is kept. What else is printed there is a log (`log-secrets.ts`). Takes time proportional to the text.
 */
import { withoutLogSecrets } from './log-secrets.ts';

export function withoutContainerSecrets(text: string): string {
  const safe = QUOTED.reduce(
    (rest, pattern) =>
      rest.replace(
        pattern,
        (_, before: string, command: string, after: string) => `${before}${programOf(command)}${after}`,
      ),
    text,
  );
  return withoutLogSecrets(safe);
}

// ---------------------------------------------------------------------------------------------------

/** As Go and JSON quote it; and in a message that is quoted itself. */
const IN_QUOTES = '(?:[^"\\\\]|\\\\.){0,8192}';
const IN_ESCAPED_QUOTES = '(?:[^"\\\\]|\\\\\\\\(?:\\\\")?|\\\\[^"\\\\]){0,8192}';

/** What is before the command, the command, and what ends it: a message may be cut. */
const QUOTED: readonly RegExp[] = [
  new RegExp(`(\\bcommand timed out: ")(${IN_QUOTES})("|\\\\?$)`, 'gs'),
  new RegExp(`(\\bcommand ")(${IN_QUOTES})(" timed out\\b|\\\\?$)`, 'gs'),
  new RegExp(`(\\bexec:? ")(${IN_QUOTES})("|\\\\?$)`, 'gs'),
  new RegExp(`(\\bexec:? \\\\")(${IN_ESCAPED_QUOTES})(\\\\"|\\\\{0,3}$)`, 'gs'),
  new RegExp(`("CommandLine"\\s{0,8}:\\s{0,8}")(${IN_QUOTES})("|\\\\?$)`, 'gs'),
  /(: stat )([^\n]{1,4096}?)(: no such file or directory\b)/g,
  /(\bexecutable file `)([^`]{1,4096})(`|$)/g,
  /(\bExec lifecycle hook \(\[)([\s\S]{0,4096}?)(\]\) for Container\b|$)/g,
  /(\bfailed - error: command ')([\s\S]{0,4096}?)(' exited with\b|$)/g,
  /(\bcommand ')([\s\S]{0,4096}?)(' exited with\b)/g,
];

const SHELL = /^(?:\S{0,128}\/)?(?:[a-z]{0,3}sh|busybox|cmd(?:\.exe)?|powershell|pwsh)$/i;
const SHELL_FLAG = /^-\w{0,4}c$/;
/** The name of a program or its path. A word that sets a variable is none. */
const PROGRAM = /^[\w./+-]{1,256}$/;

/** `redis-cli …`, `/bin/sh -c redis-cli …`. */
function programOf(command: string): string {
  const words = command.trim().split(/\s+/);
  if (words.length < 2) return command;
  const [first = '', second = '', third = ''] = words;
  const isShell = SHELL.test(first) && SHELL_FLAG.test(second);
  const program = isShell ? third : first;
  const shown = [...(isShell ? [first, second] : []), ...(PROGRAM.test(program) ? [program] : [])];
  return shown.length === words.length ? command : [...shown, '…'].join(' ');
}
