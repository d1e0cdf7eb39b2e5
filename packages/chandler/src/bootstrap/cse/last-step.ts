/** The end of a log: what is before it was over when the script ended. */

/**
 * What follows the last command of a shell trace that does more than wait, and the last line of a package manager that
 * works; all of the text where there is neither.
 */
export function lastStep(text: string): string {
  const lines = text.split('\n');
  const last = lines.findLastIndex((line) => (isCommand(line) && !WAITS.test(line)) || WORKS.test(line));
  return lines.slice(last + 1).join('\n');
}

export function isCommand(line: string): boolean {
  return /^\s{0,8}\++ \S/.test(line);
}

// ---------------------------------------------------------------------------------------------------

/** Of a loop that waits, of its messages, and of the end of the script. */
const WAITS =
  /^\s{0,8}\++ (?:wait_for_\w{1,40}|sleep|fuser|lsof|echo|date|true|:|\[{1,2}|'\['|test|for|local|set|return|exit)(?:\s|$)/;
/** apt and dpkg, once they have the lock. */
const WORKS =
  /^\s{0,8}(?:(?:Get|Hit|Ign|Err):\d|Fetched |Selecting previously |Preparing to unpack |Unpacking |Setting up )/;
