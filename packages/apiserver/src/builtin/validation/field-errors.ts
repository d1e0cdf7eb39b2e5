/**
 * Collects the validation errors of an object. The methods are the kinds of error that a real server has; texts that
 * follow from the kind alone are built here, the rest is the caller's.
 */
import type { FieldError } from '../../errors.ts';

export class FieldErrors {
  readonly list: FieldError[] = [];

  required(field: string, detail = ''): void {
    this.list.push({ reason: 'FieldValueRequired', field, detail });
  }

  invalid(field: string, value: unknown, detail: string): void {
    this.list.push({ reason: 'FieldValueInvalid', field, value, detail });
  }

  /** One error for each message about the same value. */
  invalidFor(field: string, value: unknown, messages: readonly string[]): void {
    for (const message of messages) this.invalid(field, value, message);
  }

  notSupported(field: string, value: unknown, supported: readonly string[]): void {
    const shown = supported.map((one) => JSON.stringify(one)).join(', ');
    this.list.push({
      reason: 'FieldValueNotSupported',
      field,
      value: value ?? '',
      detail: supported.length === 0 ? '' : `supported values: ${shown}`,
    });
  }

  forbidden(field: string, detail: string): void {
    this.list.push({ reason: 'FieldValueForbidden', field, detail });
  }

  duplicate(field: string, value: unknown, detail = ''): void {
    this.list.push({ reason: 'FieldValueDuplicate', field, value, detail });
  }

  notFound(field: string, value: unknown, detail = ''): void {
    this.list.push({ reason: 'FieldValueNotFound', field, value, detail });
  }

  tooLong(field: string, bytes: number): void {
    this.list.push({ reason: 'FieldValueTooLong', field, detail: `may not be more than ${bytes} bytes` });
  }

  tooMany(field: string, actual: number, most: number): void {
    this.list.push({
      reason: 'FieldValueTooMany',
      field,
      detail: `must have at most ${most} ${most === 1 ? 'item' : 'items'}`,
      value: actual,
    });
  }

  /** A value from a closed set; missing and unsupported are different errors, as on the server. */
  oneOf(field: string, value: string | undefined | null, supported: readonly string[]): void {
    if (value === undefined || value === null || value === '') this.required(field);
    else if (!supported.includes(value)) this.notSupported(field, value, supported);
  }

  notNegative(field: string, value: number | undefined | null): void {
    if (typeof value === 'number' && value < 0) this.invalid(field, value, NOT_NEGATIVE);
  }

  positive(field: string, value: number | undefined): void {
    if (value === undefined || value <= 0) this.invalid(field, value ?? 0, 'must be greater than zero');
  }

  /** A field that may never change. */
  immutable(field: string, next: unknown, current: unknown, detail = IMMUTABLE): void {
    if (!sameValue(next, current)) this.invalid(field, next, detail);
  }
}

export const NOT_NEGATIVE = 'must be greater than or equal to 0';
export const IMMUTABLE = 'field is immutable';

/** Deep equality of JSON values in which absent, null, empty list and empty map are all "nothing there". */
export function sameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (isNothing(one) || isNothing(other)) return isNothing(one) && isNothing(other);
  if (typeof one !== 'object' || typeof other !== 'object') return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
    return one.every((item, index) => sameValue(item, other[index]));
  }
  const left = one as Record<string, unknown>;
  const right = other as Record<string, unknown>;
  for (const key in left) if (!sameValue(left[key], right[key])) return false;
  for (const key in right) if (!(key in left) && !isNothing(right[key])) return false;
  return true;
}

// ---------------------------------------------------------------------------------------------------

function isNothing(value: unknown): boolean {
  if (value === undefined || value === null) return true;
  return Array.isArray(value) && value.length === 0;
}
