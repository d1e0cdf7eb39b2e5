/** What a pending pod was promised: a NodeClaim by the controller, or the room of pods that the scheduler preempts. */
import { NODES } from '@chandler/kube';
import { NODE_CLAIMS } from '../../api/index.ts';
import { isFound } from '../../causes/index.ts';

import type { ReadEvent } from './events.ts';
import type { GatherContext } from './gather-context.ts';
import { FRESH_MS, lastDecision } from './refusal-phrases.ts';
import type { PodShape } from './shapes.ts';

/** The claim that the controller named. */
export function nominatedClaim({ reason, message }: ReadEvent): string | undefined {
  return reason === 'Nominated' ? CLAIM_NAMED.exec(message)?.[1] : undefined;
}

/** What the controller said last, unless that was a NodeClaim which is gone, and it should have repeated it since. */
export async function currentDecision(
  { reader, recorder }: GatherContext,
  events: readonly ReadEvent[],
): Promise<ReadEvent | undefined> {
  const last = lastDecision(events);
  const name = last === undefined ? undefined : nominatedClaim(last);
  if (last === undefined || name === undefined || recorder.atMs - last.lastMs <= FRESH_MS) return last;
  const looked = await reader.get(NODE_CLAIMS, { name });
  return isFound(looked) || looked.why !== 'notFound' ? last : undefined;
}

/**
 * The node that the scheduler has chosen for it, where pods with a lower priority terminate; the controller launches none
 * meanwhile. Undefined: none, or one that does not exist any more.
 */
export async function preemptedNode(
  { reader }: Pick<GatherContext, 'reader'>,
  { status }: PodShape,
): Promise<string | undefined> {
  const name = status?.nominatedNodeName ?? '';
  if (name === '') return undefined;
  const looked = await reader.get(NODES, { name });
  return isFound(looked) || looked.why !== 'notFound' ? name : undefined;
}

// ---------------------------------------------------------------------------------------------------

const CLAIM_NAMED = /\bnodeclaim\/([a-z0-9.-]+)/;
