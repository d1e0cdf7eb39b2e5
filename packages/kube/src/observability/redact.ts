/**
 * Takes secrets out of what is about to be written down: by the name of the field, and by the look of the value.
 * A safety net only: callers must not log secrets. It never throws.
 */
import { isSecretName } from '../values/secret-names.ts';
import { HIDDEN, withoutSecrets } from '../values/without-secrets.ts';

export const REDACTED = HIDDEN;

/** A copy that is safe to write, of limited depth and size. Errors become their message, stack and cause. */
export function redact(value: unknown): unknown {
  return redactValue(value, 0, { left: MAX_VALUES });
}

export function redactText(text: string): string {
  return withoutSecrets(text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
}

// ------------------------------------------------------------------------------------------------

const MAX_DEPTH = 8;
const MAX_ITEMS = 100;
const MAX_TEXT = 16_384;
/** Maximum number of nodes visited: objects that refer to each other have too many paths. */
const MAX_VALUES = 2000;

interface Budget {
  left: number;
}

function redactValue(value: unknown, depth: number, budget: Budget): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value;
  if (depth >= MAX_DEPTH) return '[too deep]';
  if (--budget.left < 0) return '[too large]';
  if (value instanceof Error) return redactError(value, depth, budget);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? String(value) : value.toISOString();
  if (value instanceof URL) return redactText(value.href);
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return redactList(value, depth, budget);
  if (value instanceof Set) return redactList([...value], depth, budget);
  if (value instanceof Map || value instanceof Headers)
    return redactFields(Object.fromEntries(value), depth, budget);
  return redactFields(value, depth, budget);
}

function redactList(list: readonly unknown[], depth: number, budget: Budget): unknown[] {
  const kept = list.slice(0, MAX_ITEMS).map((item) => redactValue(item, depth + 1, budget));
  return list.length > MAX_ITEMS ? [...kept, `… ${list.length - MAX_ITEMS} more`] : kept;
}

function redactFields(fields: object, depth: number, budget: Budget): Record<string, unknown> {
  const safe: Record<string, unknown> = {};
  for (const name of Object.keys(fields)) {
    try {
      const value = (fields as Record<string, unknown>)[name];
      const hide = isSecretName(name) && value !== undefined && value !== null && typeof value !== 'boolean';
      safe[name] = hide ? REDACTED : redactValue(value, depth + 1, budget);
    } catch {
      safe[name] = '[unreadable]';
    }
  }
  return safe;
}

function redactError(error: Error, depth: number, budget: Budget): Record<string, unknown> {
  return {
    message: redactText(error.message),
    name: error.name,
    ...(error.stack === undefined ? {} : { stack: redactText(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: redactValue(error.cause, depth + 1, budget) }),
    ...(error instanceof AggregateError ? { errors: redactList(error.errors, depth + 1, budget) } : {}),
  };
}
