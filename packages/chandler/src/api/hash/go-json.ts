/**
 * JSON as Go's encoder writes it: keys in order, and `<`, `>`, `&` and two line separators escaped.
 * Needed where upstream hashes a JSON text, so that ours is the same to the byte.
 */

export function goJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(goJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, each]) => each !== undefined);
    entries.sort(([first], [second]) => compareCodePoints(first, second));
    return `{${entries.map(([key, each]) => `${escaped(key)}:${goJson(each)}`).join(',')}}`;
  }
  return typeof value === 'string' ? escaped(value) : JSON.stringify(value);
}

// ---------------------------------------------------------------------------------------------

const ESCAPES: ReadonlyMap<string, string> = new Map(
  ['<', '>', '&', '\u2028', '\u2029'].map((char) => [
    char,
    `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  ]),
);

function escaped(text: string): string {
  return JSON.stringify(text).replace(/[<>&\u2028\u2029]/g, (char) => ESCAPES.get(char)!);
}

/** Go compares UTF-8 bytes, which is the order of code points; JavaScript's `<` compares UTF-16 code units. */
function compareCodePoints(first: string, second: string): number {
  const a = Array.from(first, (char) => char.codePointAt(0)!);
  const b = Array.from(second, (char) => char.codePointAt(0)!);
  const shared = Math.min(a.length, b.length);
  for (let at = 0; at < shared; at++) {
    if (a[at] !== b[at]) return a[at]! - b[at]!;
  }
  return a.length - b.length;
}
