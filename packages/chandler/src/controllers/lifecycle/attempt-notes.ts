/**
 * Notes about attempts: what a launch that failed writes about itself on its claim, in the journey and in the condition. It
 * comes back as a change of the claim; taken for news, it would start the next attempt at once, and no back-off would hold.
 */
import type { StoreChange } from '@chandler/kube';
import { ChandlerAnnotation } from '../../api/index.ts';
import { conditionOf } from '../../state/index.ts';

import type { Claim } from './claim-patch.ts';

/** The change says no more than that a launch was tried once more. */
export function isAttemptNote({ object, before }: Pick<StoreChange<Claim>, 'object' | 'before'>): boolean {
  return before !== undefined && isOpen(before) && isOpen(object) && rest(before) === rest(object);
}

// ---------------------------------------------------------------------------------------------------

const ABOUT_THE_ATTEMPT: ReadonlySet<string> = new Set(['Launched', 'Ready']);

function isOpen(claim: Claim): boolean {
  return conditionOf(claim, 'Launched')?.status === 'Unknown';
}

/** Everything but the notes. */
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
