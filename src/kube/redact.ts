/**
 * Takes secrets out of what is about to be written down: by the name of the field, and by the look of the value.
 * A net under the tightrope; callers must not log secrets in the first place.
 */

export const REDACTED = '[redacted]';

/** A copy that is safe to write, of limited depth and length. Errors become their message, stack and cause. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? undefined : value;
  if (depth >= MAX_DEPTH) return '[too deep]';
  if (value instanceof Error) return redactError(value, depth);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return redactList(value, depth);
  if (value instanceof Map) return redact(Object.fromEntries(value), depth);
  if (value instanceof Set) return redactList([...value], depth);
  return redactFields(value, depth);
}

export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !HARMLESS_NAME.test(name);
}

// ------------------------------------------------------------------------------------------------

const MAX_DEPTH = 8;
const MAX_ITEMS = 100;
const MAX_TEXT = 16_384;

const SECRET_NAME =
  /token|authorization|passw(or)?d|passphrase|secret|credential|private_?key|client-?key|api_?key|custom_?data|user_?data|cookie|\bsas\b|connection_?string|^(key|pem)$/i;

/** Names of things, not the things: a secret's name may be said. */
const HARMLESS_NAME =
  /(name|names|namespace|ref|refs|count|file|path|seconds|expires?(at|on)?|type|kind|id)$/i;

const SECRET_TEXT: readonly [RegExp, string][] = [
  [/\b(bearer|basic)\s+[a-z0-9._~+/=-]{8,}/gi, `$1 ${REDACTED}`],
  // A JSON web token: three parts, the first two of them JSON in base64.
  [/\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]*/g, REDACTED],
  // A bootstrap token of kubeadm.
  [/\b[a-z0-9]{6}\.[a-z0-9]{16}\b/g, REDACTED],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  [/([?&](?:sig|token|access_token|client_secret)=)[^&\s]+/gi, `$1${REDACTED}`],
];

function redactText(text: string): string {
  let safe = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  for (const [pattern, replacement] of SECRET_TEXT) safe = safe.replace(pattern, replacement);
  return safe;
}

function redactList(list: readonly unknown[], depth: number): unknown[] {
  const kept = list.slice(0, MAX_ITEMS).map((item) => redact(item, depth + 1));
  return list.length > MAX_ITEMS ? [...kept, `… ${list.length - MAX_ITEMS} more`] : kept;
}

function redactFields(fields: object, depth: number): Record<string, unknown> {
  const safe: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(fields)) {
    const hide = isSecretName(name) && value !== undefined && value !== null && typeof value !== 'boolean';
    safe[name] = hide ? REDACTED : redact(value, depth + 1);
  }
  return safe;
}

function redactError(error: Error, depth: number): Record<string, unknown> {
  return {
    message: redactText(error.message),
    name: error.name,
    ...(error.stack === undefined ? {} : { stack: redactText(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: redact(error.cause, depth + 1) }),
  };
}
