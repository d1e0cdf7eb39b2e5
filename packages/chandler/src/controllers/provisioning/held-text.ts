/**
 * That a pool waits after failures, in words. The same words for as long as it waits, so that they are one event that is
 * counted up; `diagnose/` reads from them until when.
 */
import type { Holding } from '../launch-backoff.ts';

export function heldText(
  { reason, remainingMs }: Pick<Holding, 'reason'> & { readonly remainingMs: number },
  nowMs: number,
): string {
  const until = new Date(Math.ceil((nowMs + remainingMs) / 60_000) * 60_000).toISOString();
  return `Launches are held back until ${until.replace('.000Z', 'Z')} after failures: ${reason}`;
}
