/** Comparison of JSON values. Pure. */

/** Same content, whatever the order of fields. */
export function sameJson(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const names = definedKeys(left);
  if (names.length !== definedKeys(right).length) return false;
  return names.every((name) => sameJson((left as Fields)[name], (right as Fields)[name]));
}

// ---------------------------------------------------------------------------------------------------

type Fields = Record<string, unknown>;

/** A field that is undefined is not on the wire. */
function definedKeys(value: object): string[] {
  return Object.keys(value).filter((name) => (value as Fields)[name] !== undefined);
}
