/**
 * Creates a claim under a fixed name, and reads it back when the answer is lost: the next plan must know the claim
 * before the watch delivers it, or it creates another one.
 */
import { isApiError, rethrowProgramError } from '@chandler/kube';
import type { ReconcileScope } from '../context.ts';
import { CLAIMS } from '../lifecycle/claim-patch.ts';
import type { ClaimBody } from '../provisioning/claim-body.ts';

export type Creation =
  /** It exists, and the stores contain it. */
  | { readonly outcome: 'made' }
  /** An earlier claim has this name. */
  | { readonly outcome: 'taken' }
  | { readonly outcome: 'refused'; readonly error: unknown }
  /** It may exist. The next attempt with the same name shows it. */
  | { readonly outcome: 'unknown'; readonly error: unknown };

/** Errors after which the request may still have succeeded. */
const OUTCOME_UNKNOWN = ['unreachable', 'timeout', 'unavailable', 'internal', 'malformed'] as const;

export async function createClaim(
  { client, stores, signal, backoff, world }: ReconcileScope,
  body: ClaimBody,
): Promise<Creation> {
  const { name } = body.metadata;
  const beganMs = world.clock.monotonic();
  try {
    backoff.created(await client.create(CLAIMS, body), beganMs);
    return { outcome: 'made' };
  } catch (error) {
    signal.throwIfAborted();
    rethrowProgramError(error);
    const exists = isApiError(error, 'alreadyExists');
    if (exists && stores.claims.store.get({ name }) !== undefined) return { outcome: 'taken' };
    if (!exists && !isApiError(error, ...OUTCOME_UNKNOWN)) return { outcome: 'refused', error };
  }
  try {
    const found = await client.find(CLAIMS, { name });
    if (found === undefined)
      return {
        outcome: 'unknown',
        error: new Error('the API server did not respond, and the nodeclaim does not exist'),
      };
    stores.claims.store.overlay(found);
    backoff.created(found, beganMs);
    return { outcome: found.metadata.deletionTimestamp === undefined ? 'made' : 'taken' };
  } catch (error) {
    signal.throwIfAborted();
    rethrowProgramError(error);
    return { outcome: 'unknown', error };
  }
}
