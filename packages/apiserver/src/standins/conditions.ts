/** Conditions as built-in kinds have them: the time of a condition changes only when its status does. Pure. */
import type { StatusCondition } from './kinds.ts';

/** The list with these conditions set, in the order in which they first came. */
export function withConditions(
  before: readonly StatusCondition[] | undefined,
  changes: readonly StatusCondition[],
  now: string,
): StatusCondition[] {
  const result = [...(before ?? [])];
  for (const change of changes) {
    const at = result.findIndex((condition) => condition.type === change.type);
    const known = at < 0 ? undefined : result[at];
    const lastTransitionTime =
      known?.status === change.status
        ? (known.lastTransitionTime ?? now)
        : (change.lastTransitionTime ?? now);
    const next = { ...change, lastTransitionTime };
    if (at < 0) result.push(next);
    else result[at] = next;
  }
  return result;
}

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
