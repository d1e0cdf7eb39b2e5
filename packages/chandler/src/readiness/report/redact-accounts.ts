/** Hides account ids (`--redact`), for reports that others will read. */

const ACCOUNT = /(?<!\d)\d{12}(?!\d)/g;

export function redactAccounts<T>(value: T): T {
  if (typeof value === 'string') return value.replace(ACCOUNT, '[account]') as T;
  if (Array.isArray(value)) return value.map(redactAccounts) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, redactAccounts(each)])) as T;
}
