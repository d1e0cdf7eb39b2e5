/**
 * A small language for shapes of plain JSON: a shape looks at a value and says what is wrong with it, and
 * where. Fields that no shape names may hold anything. What values mean is judged by those who read them.
 */

/** What is wrong, and in which field below the value that was looked at. */
export interface FieldError {
  readonly field: string;
  readonly problem: string;
}

/** Undefined: nothing is wrong. */
export type Shape = (value: unknown) => FieldError | undefined;

export const text: Shape = (value) => (typeof value === 'string' ? undefined : invalid('must be a string'));

export const number: Shape = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? undefined : invalid('must be a number');

export const flag: Shape = (value) => (typeof value === 'boolean' ? undefined : invalid('must be a boolean'));

/** An amount of a resource; whether it can be read is found out later. */
export const quantity: Shape = (value) =>
  typeof value === 'string' || typeof value === 'number' ? undefined : invalid('must be a quantity');

export function listOf(item: Shape): Shape {
  return (value) => {
    if (!Array.isArray(value)) return invalid('must be a list');
    for (let index = 0; index < value.length; index++) {
      const fieldError = item(value[index]);
      if (fieldError !== undefined)
        return { field: joined(`[${index}]`, fieldError.field), problem: fieldError.problem };
    }
    return undefined;
  };
}

export function mapOf(item: Shape): Shape {
  return (value) => {
    if (!isObject(value)) return invalid('must be an object');
    for (const key in value) {
      const fieldError = item(value[key]);
      if (fieldError !== undefined)
        return { field: joined(key, fieldError.field), problem: fieldError.problem };
    }
    return undefined;
  };
}

/** Fields may be missing, or null, unless they are listed as needed. */
export function object(fields: Readonly<Record<string, Shape>>, ...needed: readonly string[]): Shape {
  const entries = Object.entries(fields);
  return (value) => {
    if (!isObject(value)) return invalid('must be an object');
    for (const key of needed) {
      if (value[key] === undefined || value[key] === null) return { field: key, problem: 'missing' };
    }
    for (const [key, shape] of entries) {
      const part = value[key];
      if (part === undefined) continue;
      if (part === null) {
        metNull = true;
        continue;
      }
      const fieldError = shape(part);
      if (fieldError !== undefined)
        return { field: joined(key, fieldError.field), problem: fieldError.problem };
    }
    return undefined;
  };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether some shape met a null where a field may be missing; set anew by `checked`. */
let metNull = false;

/** The value as the engine may read it, without fields that are null, and what is wrong with it. */
export function checked<T>(
  value: T,
  shape: Shape,
): { readonly value: T; readonly fieldError: FieldError | undefined } {
  metNull = false;
  const fieldError = shape(value);
  if (fieldError === undefined && !metNull) return { value, fieldError };
  const clean = withoutNulls(value);
  return { value: clean, fieldError: shape(clean) };
}

/** Fields that are null are as good as missing: a copy without them, or the same value when there are none. */
export function withoutNulls<T>(value: T): T {
  return hasNull(value) ? (cleaned(value) as T) : value;
}

// ---------------------------------------------------------------------------------------------------------------

function invalid(problem: string): FieldError {
  return { field: '', problem };
}

function joined(outer: string, inner: string): string {
  if (inner === '') return outer;
  return inner.startsWith('[') ? `${outer}${inner}` : `${outer}.${inner}`;
}

function hasNull(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => item !== null && hasNull(item));
  if (!isObject(value)) return false;
  for (const key in value) if (value[key] === null || hasNull(value[key])) return true;
  return false;
}

/** A null in a list has a place there, and stays. */
function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(kept.map(([key, part]) => [key, cleaned(part)]));
}
