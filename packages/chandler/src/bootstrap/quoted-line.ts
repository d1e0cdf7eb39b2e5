/** A line of a log of others, as a message quotes it: short, on one line, without what a terminal would obey. */

/** Of a quoted line, in characters. */
export const MAX_LINE_LENGTH = 200;

/** At most `MAX_LINE_LENGTH` characters: of a long line the part around this position. */
export function clipped(line: string, at: number): string {
  if (line.length <= MAX_LINE_LENGTH) return line;
  const length = MAX_LINE_LENGTH - 2;
  const from = Math.max(0, Math.min(at - BEFORE, line.length - length));
  const part = line.slice(from, from + length).replace(HALVES, '');
  return `${from === 0 ? '' : '…'}${part}${from + length < line.length ? '…' : ''}`;
}

export function withoutControls(line: string): string {
  return line.replace(CONTROLS, ' ').trim();
}

// ---------------------------------------------------------------------------------------------------

/** So many characters before the position stay. */
const BEFORE = 60;

/** Of a character that was cut in two. */
const HALVES = /^[\udc00-\udfff]|[\ud800-\udbff]$/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: they would be printed on a terminal
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\uffff]/g;
