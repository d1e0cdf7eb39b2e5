/**
 * Objects of the size of their fields. The engine lays out a literal without waste; what is built field by field gets room to grow,
 * and a second object for its later fields.
 */

/** The fields that are not undefined: the usual ones, of which most are there, then rare ones. */
export function exactObject(usual: Fields, rare: Fields): Fields {
  const names = namesIn(usual);
  const isLiteral = names.length === Object.keys(usual).length;
  const more = namesIn(rare);
  if (isLiteral && more.length === 0) return usual;
  const object = { ...patternOf([...names, ...more]) };
  for (const name of names) object[name] = usual[name];
  for (const name of more) object[name] = rare[name];
  return object;
}

// ------------------------------------------------------------------------------------------------

type Fields = Record<string, unknown>;

/** More than any kind of object has in practice. */
const MAX_PATTERNS = 256;

/** By the names of their fields: objects as JSON gives them, which have room for these fields and no more. A copy has the same. */
const patterns = new Map<string, Fields>();

function patternOf(names: readonly string[]): Fields {
  const key = names.join();
  let pattern = patterns.get(key);
  if (pattern === undefined) {
    pattern = JSON.parse(JSON.stringify(Object.fromEntries(names.map((name) => [name, null])))) as Fields;
    if (patterns.size >= MAX_PATTERNS) patterns.clear();
    patterns.set(key, pattern);
  }
  return pattern;
}

function namesIn(fields: Fields): readonly string[] {
  return Object.keys(fields).filter((name) => fields[name] !== undefined);
}
