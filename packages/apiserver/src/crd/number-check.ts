/**
 * The numeric keywords. A whole number is compared with the whole part of a bound, and a bound that does not fit the
 * declared type is reported on top: both as the API server does it.
 */
import { rowOf } from '../table-row.ts';
import { type Finding, found, goNumber, isInteger } from './findings.ts';
import type { JsonSchema } from './types.ts';

export type NumberCheck = (value: number, at: string, report: (finding: Finding) => void) => void;

export function numberCheck(schema: JsonSchema): NumberCheck {
  const intOrString = schema['x-kubernetes-int-or-string'] === true;
  const type = intOrString ? '' : (schema.type ?? '');
  const format = rowOf(KNOWN_FORMATS, type)?.includes(schema.format ?? '') ? schema.format : undefined;
  const outOfRange = (value: number, what: string, at: string) =>
    inRange(value, type, format) ? undefined : found.general(rangeText(what, type, format, at));
  return (value, at, report) => {
    const whole = isInteger(value);
    const range = outOfRange(value, 'Checked', at);
    if (range !== undefined) report(range);
    const apply = (
      bound: number | undefined,
      what: string,
      check: (bound: number) => Finding | undefined,
    ) => {
      if (bound === undefined) return;
      const misfit = outOfRange(bound, what, at);
      if (misfit !== undefined) report(misfit);
      const problem = check(whole && misfit === undefined ? Math.trunc(bound) : bound);
      if (problem !== undefined) report(problem);
    };
    apply(schema.multipleOf, 'MultipleOf', (factor) => multiple(value, factor, whole, at));
    apply(schema.minimum, 'Minimum boundary', (min) =>
      atLeast(value, min, schema.exclusiveMinimum === true, at),
    );
    apply(schema.maximum, 'Maximum boundary', (max) =>
      atMost(value, max, schema.exclusiveMaximum === true, at),
    );
  };
}

// ---------------------------------------------------------------------------------------------------

const KNOWN_FORMATS: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

const MAX_FLOAT = 3.4028234663852886e38;

function inRange(value: number, type: string, format: string | undefined): boolean {
  if (type !== 'integer') return format !== 'float' || Math.abs(value) <= MAX_FLOAT;
  if (!isInteger(value)) return false;
  return format !== 'int32' || (value >= -(2 ** 31) && value < 2 ** 31);
}

function rangeText(what: string, type: string, format: string | undefined, at: string): string {
  const form = format === undefined ? '(default format)' : `with format ${format}`;
  return `${what} value must be of type ${type} ${form} in ${at}`;
}

function atLeast(value: number, min: number, exclusive: boolean, at: string): Finding | undefined {
  if (exclusive ? value > min : value >= min) return undefined;
  return found.invalid(
    at,
    value,
    `should be greater than ${exclusive ? '' : 'or equal to '}${goNumber(min)}`,
  );
}

function atMost(value: number, max: number, exclusive: boolean, at: string): Finding | undefined {
  if (exclusive ? value < max : value <= max) return undefined;
  return found.invalid(at, value, `should be less than ${exclusive ? '' : 'or equal to '}${goNumber(max)}`);
}

function multiple(value: number, factor: number, whole: boolean, at: string): Finding | undefined {
  if (factor <= 0) {
    const message = `factor MultipleOf declared for ${at} must be positive: ${goNumber(factor)}`;
    return {
      message,
      at,
      toFieldError: (field) => ({ reason: 'FieldValueInvalid', field, value: factor, detail: message }),
    };
  }
  const fits =
    whole && Number.isInteger(factor)
      ? value % factor === 0
      : isNearlyWhole(factor < 1 ? (1 / factor) * value : value / factor);
  return fits ? undefined : found.invalid(at, value, `should be a multiple of ${goNumber(factor)}`);
}

/** Whole up to the rounding of a division. */
function isNearlyWhole(value: number): boolean {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) return false;
  const whole = Math.trunc(value);
  if (whole === value) return true;
  return whole !== 0 && Math.abs(value - whole) / (Math.abs(value) + Math.abs(whole)) < 1e-9;
}
