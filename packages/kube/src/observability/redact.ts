/**
 * Takes secrets out of what is about to be written down: by the name of the field, and by the look of the value.
 * A safety net only: callers must not log secrets. It never throws.
 */

export const REDACTED = '[redacted]';

/** A copy that is safe to write, of limited depth and size. Errors become their message, stack and cause. */
export function redact(value: unknown): unknown {
  return redactValue(value, 0, { left: MAX_VALUES });
}

export function redactText(text: string): string {
  let safe = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  for (const [pattern, replacement] of SECRET_TEXT) safe = safe.replace(pattern, replacement);
  return safe.replace(NAMED_IN_JSON, hideByName).replace(NAMED_IN_YAML, hideByName);
}

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !HARMLESS_NAME.test(name);
}

// ------------------------------------------------------------------------------------------------

const MAX_DEPTH = 8;
const MAX_ITEMS = 100;
const MAX_TEXT = 16_384;
/** Maximum number of nodes visited: objects that refer to each other have too many paths. */
const MAX_VALUES = 2000;

const SECRET_NAME =
  /token|authorization|passw(or)?d|passphrase|secret|credential|(private|client|api|account|shared|access)[_-]?key|(custom|user)[_-]?data|cookie|\bsas\b|connection[_-]?string|^(key|pem)$/i;

/** Fields that hold the name of a secret, not its value. */
const HARMLESS_NAME =
  /(name|names|namespace|ref|refs|count|file|path|seconds|expires?(at|on)?|type|kind|id)$/i;

const SECRET_TEXT: readonly [RegExp, string][] = [
  [/\b(bearer|basic)\s+[a-z0-9._~+/=-]{8,}/gi, `$1 ${REDACTED}`],
  // A JSON web token: three parts, the first two of them JSON in base64.
  [/\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g, REDACTED],
  // A bootstrap token of kubeadm.
  [/\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g, REDACTED],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  // User and password of an address.
  [/(\b[a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@]+@/gi, `$1${REDACTED}@`],
  [/([?&][\w.-]*(?:sig|signature|token|secret|password|credential)=)[^&\s"']+/gi, `$1${REDACTED}`],
];

/** `"name": "value"`, also where the quotes are escaped because the JSON is inside of a string. */
const NAMED_IN_JSON = /((\\{0,16}")([\w.-]+)\2\s*:\s*\2)(?:(?!\2)(?:\\.|[^\\]))*/g;

/** `name: value`, the value one word with a digit: prose after a colon is not a secret. */
const NAMED_IN_YAML = /((^|\s)([\w.-]+):[ \t]+)(?=\S*\d)\S{8,}/gm;

function hideByName(whole: string, before: string, _: string, name: string): string {
  return isSecretName(name) ? before + REDACTED : whole;
}

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
