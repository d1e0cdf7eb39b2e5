/**
 * Validators for plain JSON: a shape checks a value and returns what is wrong and in which field. Fields that
 * no shape names may hold anything. The meaning of the values is checked where they are read.
 */

/** What is wrong, and in which field below the checked value. */
export interface FieldError {
  readonly field: string;
  readonly problem: string;
}

/** Undefined: the value is valid. */
export type Shape = (value: unknown) => FieldError | undefined;

export const text: Shape = (value) => (typeof value === 'string' ? undefined : invalid('must be a string'));

export const number: Shape = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? undefined : invalid('must be a number');

export const flag: Shape = (value) => (typeof value === 'boolean' ? undefined : invalid('must be a boolean'));

/** An amount of a resource; it is parsed later. */
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

/** Fields may be missing, or null, unless they are required. */
export function object(fields: Readonly<Record<string, Shape>>, ...required: readonly string[]): Shape {
  const entries = Object.entries(fields);
  return (value) => {
    if (!isObject(value)) return invalid('must be an object');
    for (const key of required) {
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

/** Whether some shape found null in an optional field; reset by `checked`. */
let metNull = false;

/** The value without null fields, and its first error. */
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

/** Null fields are treated as missing: returns a copy without them, or the same value when there are none. */
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

/** A null in a list stays, to keep the indexes. */
function cleaned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(cleaned);
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(kept.map(([key, part]) => [key, cleaned(part)]));
}
