/**
 * Patterns of EventBridge rules: an event matches when each field of the pattern has one of the listed values. Of the filters on
 * content, those for texts and for presence are known; others are refused.
 */

export type EventPattern = { readonly [field: string]: EventPattern | readonly unknown[] };

export class PatternError extends Error {}

/** @throws {PatternError} which says what is wrong. */
export function parsePattern(text: string): EventPattern {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new PatternError('Filter is not an object');
  }
  check(value, 'Filter');
  return value as EventPattern;
}

export function matchesPattern(pattern: EventPattern, event: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(pattern).every(([field, wanted]) => {
    const value = event[field];
    if (Array.isArray(wanted)) return wanted.some((each) => matchesValue(each, value));
    return isObject(value) && matchesPattern(wanted as EventPattern, value);
  });
}

// ---------------------------------------------------------------------------------------------------

type Filter = (operand: unknown, value: unknown) => boolean;

const FILTERS: Readonly<Record<string, Filter>> = {
  prefix: (operand, value) => typeof value === 'string' && value.startsWith(String(operand)),
  suffix: (operand, value) => typeof value === 'string' && value.endsWith(String(operand)),
  'equals-ignore-case': (operand, value) =>
    typeof value === 'string' && value.toLowerCase() === String(operand).toLowerCase(),
  'anything-but': (operand, value) => value !== undefined && ![operand].flat().includes(value),
  exists: (operand, value) => (value !== undefined) === operand,
};

/** A list in the event matches with any of its values. */
function matchesValue(wanted: unknown, value: unknown): boolean {
  if (Array.isArray(value)) return value.some((each) => matchesValue(wanted, each));
  if (!isObject(wanted)) return wanted === value;
  return Object.entries(wanted).every(([name, operand]) => FILTERS[name]!(operand, value));
}

function check(pattern: unknown, name: string): void {
  if (!isObject(pattern)) throw new PatternError(`"${name}" must be an object or an array`);
  const fields = Object.entries(pattern);
  if (fields.length === 0) throw new PatternError('Empty objects are not allowed');
  for (const [field, wanted] of fields) {
    if (!Array.isArray(wanted)) {
      check(wanted, field);
      continue;
    }
    if (wanted.length === 0) throw new PatternError('Empty arrays are not allowed');
    for (const filter of wanted.filter(isObject).flatMap((each) => Object.keys(each)))
      if (!Object.hasOwn(FILTERS, filter)) throw new PatternError(`Unrecognized match type ${filter}`);
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
