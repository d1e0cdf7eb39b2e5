/**
 * Property names as CEL identifiers: `.`, `-`, `/`, `__` and CEL's own words are written in another way, and a
 * name with any other character cannot be used in a rule at all.
 */

export function escapeName(name: string): string | undefined {
  if (name === '' || (name[0]! >= '0' && name[0]! <= '9')) return undefined;
  if (RESERVED.has(name)) return `__${name}__`;
  if (/[^a-zA-Z0-9_./-]/.test(name)) return undefined;
  return name.replace(/__|[-./]/g, (part) => ESCAPES[part]!);
}

/** All identifiers a property can be used under: CEL's own words also as they are, after a dot. */
export function identifiersOf(name: string): string[] {
  const escaped = escapeName(name);
  if (escaped === undefined) return [];
  return RESERVED.has(name) ? [escaped, name] : [escaped];
}

// ---------------------------------------------------------------------------------------------------

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

const RESERVED: ReadonlySet<string> = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return ' +
    'var void while'
  ).split(' '),
);
