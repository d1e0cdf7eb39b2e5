/** Texts that wait for a value: `REPLACE_WITH_…`, `<endpoint>`, `${VAR}`. */

const PLACEHOLDERS: readonly RegExp[] = [
  /REPLACE/i,
  /CHANGE[-_ ]?ME/i,
  /\bYOUR[-_ ]/i,
  /_YOUR_/i,
  /\b(?:TODO|FIXME)\b/i,
  /\bINSERT\b|INSERT_/i,
  /PLACEHOLDER/i,
  /<[^>]+>/,
  /\$\{[^}]+\}/,
  /\{\{.*\}\}/,
  /x{3,}/i,
  /\bexample\.(?:com|org)\b/i,
];

/** The part of the text that waits for a value. */
export function placeholderIn(text: string): string | undefined {
  for (const pattern of PLACEHOLDERS) {
    const found = pattern.exec(text)?.[0];
    if (found !== undefined) return found;
  }
  return undefined;
}
