/** A hash of what a step's outcome depends on: the same for the same values, whatever the order of their keys. */
import { createHash } from 'node:crypto';

export function fingerprint(inputs: unknown): string {
  return sha256(stableJson(inputs));
}

export function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** JSON with sorted keys. What JSON leaves out (`undefined`, functions) is left out here too. */
export function stableJson(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      inner !== null && typeof inner === 'object' && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
        : inner,
    ) ?? 'undefined'
  );
}
