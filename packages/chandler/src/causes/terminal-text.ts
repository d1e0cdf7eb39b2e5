/**
 * Makes text safe to print: control characters become visible escapes (`\u001b`), because a terminal obeys them. Messages of
 * containers, events and conditions are written by others, and may move the cursor, fill the clipboard or reorder letters.
 * In JSON the escape means the same character, so JSON stays correct.
 */

/** Only line breaks and tabs are kept. For text of others that is put between colours of our own. */
export function escapeControls(text: string): string {
  return text.replace(CONTROL, escaped);
}

/**
 * At the edge of every output: also keeps what our own renderers write, which are their colours (if colour is enabled) and
 * the sequence that clears a progress line.
 */
export function escapeForTerminal(text: string, { color }: { readonly color: boolean }): string {
  return text.replace(OWN_OR_CONTROL, (found) => {
    if (found === '\r\n' || found === CLEAR_LINE) return found;
    if (color && found.length > 1) return found;
    return [...found].map((char) => (char.search(CONTROL) < 0 ? char : escaped(char))).join('');
  });
}

/** A copy of plain data in which every string is escaped. */
export function escapeStrings<T>(value: T): T {
  if (typeof value === 'string') return escapeControls(value) as T;
  if (Array.isArray(value)) return value.map(escapeStrings) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [escapeControls(name), escapeStrings(each)]),
  ) as T;
}

/** Clears the line of the cursor: `\r` and "erase in line". */
export const CLEAR_LINE = '\r\u001b[K';

// ---------------------------------------------------------------------------------------------------

/** C0 without tab and line feed, DEL, C1, marks and controls of bidirectional text, line and paragraph separators. */
const CONTROLS =
  '\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069';
const CONTROL = new RegExp(`[${CONTROLS}]`, 'g');

/** The colours of our renderers. */
const COLOR = '\\u001b\\[(?:0|1|2|22|3[1-3]|39|90)m';
const OWN_OR_CONTROL = new RegExp(`${COLOR}|\\r\\u001b\\[K|\\r\\n|[${CONTROLS}]`, 'g');

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
