/** Patterns, each with what it puts in place of what it finds, one after the other. */
export type Replacements = readonly (readonly [RegExp, string])[];

export function replaced(text: string, all: Replacements): string {
  return all.reduce((safe, [pattern, replacement]) => safe.replace(pattern, replacement), text);
}
