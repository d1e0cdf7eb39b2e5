/** Compares the fields of a resource with what they must be. */
import type { Fields, FieldValue } from './resource.ts';

/** One clause for each field: `issuer is "a", not "b"`. Fields that are not desired are not compared. */
export function differences(actual: Fields, desired: Fields): readonly string[] {
  return Object.entries(desired).flatMap(([name, wanted]) => fieldDifferences(name, actual[name], wanted));
}

export function sameFields(one: Fields, other: Fields): boolean {
  return canonical(one) === canonical(other);
}

// ---------------------------------------------------------------------------------------------------------------

function fieldDifferences(
  name: string,
  actual: FieldValue | undefined,
  wanted: FieldValue,
): readonly string[] {
  if (actual !== undefined && canonical(actual) === canonical(wanted)) return [];
  if (!Array.isArray(wanted) || !Array.isArray(actual) || !areTexts(wanted) || !areTexts(actual))
    return [`${name} is ${shown(actual)}, not ${shown(wanted)}`];
  const lacks = wanted.filter((each) => !actual.includes(each));
  const more = actual.filter((each) => !wanted.includes(each));
  return [
    ...(lacks.length === 0 ? [] : [`${name} lacks ${lacks.join(', ')}`]),
    ...(more.length === 0 ? [] : [`${name} also has ${more.join(', ')}`]),
    ...(lacks.length + more.length === 0 ? [`${name} has another order`] : []),
  ];
}

function areTexts(list: readonly FieldValue[]): list is readonly string[] {
  return list.every((each) => typeof each === 'string');
}

const MAX_SHOWN = 200;

function shown(value: FieldValue | undefined): string {
  if (value === undefined) return 'not set';
  const text = JSON.stringify(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
}

/** JSON with sorted keys. */
function canonical(value: FieldValue): string {
  return JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}
