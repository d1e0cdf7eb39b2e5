/**
 * The message for a pool whose launches are held back. It does not change while the hold lasts, so that it is one
 * event with a count; `diagnose/evidence/pools.ts` reads the end of the hold from it.
 */
import type { Holding } from '../launch-backoff.ts';

export function heldText(
  { reason, remainingMs }: Pick<Holding, 'reason'> & { readonly remainingMs: number },
  nowMs: number,
): string {
  const until = new Date(Math.ceil((nowMs + remainingMs) / 60_000) * 60_000).toISOString();
  return `Launches are held back until ${until.replace('.000Z', 'Z')} after failures: ${reason}`;
}
