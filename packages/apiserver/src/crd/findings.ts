/**
 * What is wrong with a value, as the schema validator of the API server words it, and how that becomes field errors.
 * An error is kept once, by its message; `matches` counts the checks that were made, and `anyOf` and `oneOf`
 * show the errors of the alternative with the most.
 */
import { doubleText } from '../cel/library/operators.ts';
import type { FieldError } from '../errors.ts';

export interface Finding {
  /** Also the identity of a finding. */
  readonly message: string;
  /** The path within the value that was checked; undefined for errors that belong nowhere. */
  readonly at: string | undefined;
  readonly toFieldError: (field: string) => FieldError;
}

export class Findings {
  list: Finding[] = NOTHING;
  matches = 0;
  /** Searched instead of the list, once that is long. */
  #messages: Set<string> | undefined;

  add(finding: Finding): void {
    if (this.#has(finding.message)) return;
    if (this.list === NOTHING) this.list = [];
    this.list.push(finding);
    this.#messages?.add(finding.message);
  }

  merge(other: Findings): void {
    this.matches += other.matches;
    for (const finding of other.list) this.add(finding);
  }

  #has(message: string): boolean {
    if (this.list.length < FEW) return this.list.some((other) => other.message === message);
    this.#messages ??= new Set(this.list.map((other) => other.message));
    return this.#messages.has(message);
  }

  get valid(): boolean {
    return this.list.length === 0;
  }
}

/** `base` is the path of the value in the object; empty for the object itself. */
export function fieldErrors(findings: Findings, base: string): FieldError[] {
  return findings.list.map((finding) => {
    const within = finding.at?.replace(/^\./, '') ?? '';
    if (finding.at === undefined || (within === '' && base === ''))
      return finding.toFieldError(base === '' ? '<nil>' : base);
    if (within === '') return finding.toFieldError(base);
    return finding.toFieldError(base === '' ? within : `${base}.${within}`);
  });
}

/** The type as JSON schema names it: whole numbers that fit into 64 bits are integers. */
export function jsonType(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

export function isInteger(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 63;
}

export const found = {
  wrongType(at: string, types: string, actual: string): Finding {
    const message = `${at} in body must be of type ${types}: ${JSON.stringify(actual)}`;
    return {
      message,
      at,
      toFieldError: (field) => ({ reason: 'FieldValueTypeInvalid', field, value: actual, detail: message }),
    };
  },

  required(at: string): Finding {
    return {
      message: `${at} in body is required`,
      at,
      toFieldError: (field) => ({ reason: 'FieldValueRequired', field, detail: '' }),
    };
  },

  notInEnum(at: string, value: unknown, allowed: readonly unknown[]): Finding {
    const texts = allowed.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
    const detail = `supported values: ${texts.map((text) => JSON.stringify(text)).join(', ')}`;
    return {
      message: `${at} in body should be one of ${JSON.stringify(allowed)}`,
      at,
      toFieldError: (field) => ({
        reason: 'FieldValueNotSupported',
        field,
        value: sortedKeys(value),
        detail,
      }),
    };
  },

  tooLong(at: string, max: number): Finding {
    return {
      message: `${at} in body should be at most ${max} chars long`,
      at,
      toFieldError: (field) => ({
        reason: 'FieldValueTooLong',
        field,
        detail: `may not be more than ${max} bytes`,
      }),
    };
  },

  tooMany(at: string, max: number, actual: number, what: 'items' | 'properties'): Finding {
    const detail = `must have at most ${max} ${max === 1 ? 'item' : 'items'}`;
    return {
      message: `${at} in body should have at most ${max} ${what}`,
      at,
      toFieldError: (field) => ({ reason: 'FieldValueTooMany', field, value: actual, detail }),
    };
  },

  /** Everything else: `should` goes on after "… in body". */
  invalid(at: string, value: unknown, should: string): Finding {
    const message = `${at} in body ${should}`;
    return {
      message,
      at,
      toFieldError: (field) => ({
        reason: 'FieldValueInvalid',
        field,
        value: sortedKeys(value),
        detail: message,
      }),
    };
  },

  forbidden(at: string, key: string): Finding {
    const message = `${at}.${key} in body is a forbidden property`;
    return {
      message,
      at,
      toFieldError: (field) => ({ reason: 'FieldValueInvalid', field, value: key, detail: message }),
    };
  },

  /** An error about a whole construct; the real server gives it no field. */
  general(message: string): Finding {
    return {
      message,
      at: undefined,
      toFieldError: (field) => ({ reason: 'FieldValueInvalid', field, value: '', detail: message }),
    };
  },
};

/** A number as Go's `%v` writes it. */
export function goNumber(value: number): string {
  return doubleText(value);
}

/** Go writes the keys of maps in order. */
export function sortedKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]) => [key, sortedKeys(item)] as const);
  entries.sort(([one], [two]) => (one < two ? -1 : 1));
  return Object.fromEntries(entries);
}

// ---------------------------------------------------------------------------------------------------

const FEW = 16;
const NOTHING: Finding[] = [];
