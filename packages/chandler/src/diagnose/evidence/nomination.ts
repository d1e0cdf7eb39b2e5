/** What a pending pod was promised: a NodeClaim by the controller, or the room of pods that the scheduler preempts. */
import { NODES } from '@chandler/kube';
import { NODE_CLAIMS } from '../../api/index.ts';
import { isFound } from '../../causes/index.ts';

import type { ReadEvent } from './events.ts';
import type { GatherContext } from './gather-context.ts';
import { FRESH_MS, lastDecision } from './refusal-phrases.ts';
import { type PodShape, timeMs } from './shapes.ts';

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

/** The scheduler has chosen an existing node, where pods with a lower priority terminate. A name of long ago may be left over. */
export async function waitsForPreemption(
  { reader, recorder }: GatherContext,
  { metadata, status }: PodShape,
): Promise<boolean> {
  const name = status?.nominatedNodeName ?? '';
  const sinceMs = timeMs(metadata.creationTimestamp) ?? 0;
  if (name === '' || recorder.atMs - sinceMs > PREEMPTED_MS) return false;
  return isFound(await reader.get(NODES, { name }));
}

// ---------------------------------------------------------------------------------------------------

const CLAIM_NAMED = /\bnodeclaim\/([a-z0-9.-]+)/;
const PREEMPTED_MS = 10 * 60_000;
