/**
 * Detects changes of a claim that only record a failed launch attempt, in its journey and its condition. Such a
 * change must not trigger a reconcile: it would start the next attempt at once and bypass the backoff.
 */
import type { StoreChange } from '@chandler/kube';
import { ChandlerAnnotation } from '../../api/index.ts';
import { conditionOf } from '../../state/index.ts';

import type { Claim } from './claim-patch.ts';

/** The change only records another launch attempt. */
export function isAttemptNote({ object, before }: Pick<StoreChange<Claim>, 'object' | 'before'>): boolean {
  return before !== undefined && isOpen(before) && isOpen(object) && rest(before) === rest(object);
}

// ---------------------------------------------------------------------------------------------------

const ABOUT_THE_ATTEMPT: ReadonlySet<string> = new Set(['Launched', 'Ready']);

function isOpen(claim: Claim): boolean {
  return conditionOf(claim, 'Launched')?.status === 'Unknown';
}

/** The claim without the records of attempts. */
function rest({ metadata, status }: Claim): string {
  const { uid, generation, deletionTimestamp, finalizers, labels, ownerReferences } = metadata;
  const { [ChandlerAnnotation.journey]: _, ...annotations } = metadata.annotations ?? {};
  const { conditions = [], ...facts } = status ?? {};
  const others = conditions.filter(({ type }) => !ABOUT_THE_ATTEMPT.has(type));
  return JSON.stringify([
    uid,
    generation,
    deletionTimestamp,
    finalizers,
    labels,
    ownerReferences,
    annotations,
    facts,
    others,
  ]);
}
