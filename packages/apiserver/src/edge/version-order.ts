/**
 * Which of two API versions comes first: stable before beta before alpha, the higher number first,
 * names that follow no such form last and by name.
 */

export function compareVersions(one: string, other: string): number {
  const [left, right] = [rankOf(one), rankOf(other)];
  for (const [index, value] of left.entries()) {
    if (value !== right[index]) return right[index]! - value;
  }
  return one < other ? -1 : one > other ? 1 : 0;
}

// ---------------------------------------------------------------------------------------------------

const FORM = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/;
const STABILITY: Readonly<Record<string, number>> = { alpha: 1, beta: 2 };

/** Stability, major, minor: greater is preferred. */
function rankOf(version: string): readonly [number, number, number] {
  const match = FORM.exec(version);
  if (match === null) return [0, 0, 0];
  const stability = match[2] === undefined ? 3 : STABILITY[match[2]]!;
  return [stability, Number(match[1]), Number(match[3] ?? 0)];
}
