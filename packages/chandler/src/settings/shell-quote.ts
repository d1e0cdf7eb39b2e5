/** A word as a shell reads it: quoted where it contains a space or another special character. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
