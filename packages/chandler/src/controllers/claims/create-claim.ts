/**
 * Creates a claim under a name that was chosen beforehand, and finds out what became of it where the answer was lost: the next
 * plan must know of the claim before any watch tells of it, or it makes another.
 */
import { isApiError } from '@chandler/kube';
import type { ReconcileScope } from '../context.ts';
import { CLAIMS, type Claim } from '../lifecycle/claim-patch.ts';

export type Creation =
  /** It is there, and the stores show it. */
  | { readonly outcome: 'made' }
  /** There is an earlier claim of this name. */
  | { readonly outcome: 'taken' }
  | { readonly outcome: 'refused'; readonly error: unknown }
  /** It was made or not. Whoever tries the same name again finds out. */
  | { readonly outcome: 'unknown'; readonly error: unknown };

/** Errors after which a request may have been carried out all the same. */
const OUTCOME_UNKNOWN = ['unreachable', 'timeout', 'unavailable', 'internal', 'malformed'] as const;

export async function createClaim(
  { client, stores, signal }: ReconcileScope,
  body: Claim,
): Promise<Creation> {
  const name = body.metadata.name ?? '';
  try {
    await client.create(CLAIMS, body);
    return { outcome: 'made' };
  } catch (error) {
    signal.throwIfAborted();
    const exists = isApiError(error, 'alreadyExists');
    if (exists && stores.claims.store.get({ name }) !== undefined) return { outcome: 'taken' };
    if (!exists && !isApiError(error, ...OUTCOME_UNKNOWN)) return { outcome: 'refused', error };
  }
  try {
    const found = await client.find(CLAIMS, { name });
    if (found === undefined)
      return { outcome: 'unknown', error: new Error('no answer, and it is not there') };
    stores.claims.store.overlay(found);
    return { outcome: found.metadata.deletionTimestamp === undefined ? 'made' : 'taken' };
  } catch (error) {
    signal.throwIfAborted();
    return { outcome: 'unknown', error };
  }
}
