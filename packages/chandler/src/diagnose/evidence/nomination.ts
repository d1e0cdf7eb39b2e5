/** What a pending pod was promised: a NodeClaim by the controller, or the room of pods that the scheduler preempts. */
import { isOwnedByDaemonSet, isTerminal, NODES, PODS } from '@chandler/kube';
import { NODE_CLAIMS } from '../../api/index.ts';
import { isFound, listOr, type PreemptedPod, wholeFailure } from '../../causes/index.ts';

import type { ReadEvent } from './events.ts';
import type { GatherContext } from './gather-context.ts';
import { FRESH_MS, lastDecision } from './refusal-phrases.ts';
import { fullName, type PodShape, timeMs } from './shapes.ts';

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
 * The node that the scheduler has chosen for it: pods with a lower priority terminate there, or volumes are provisioned for
 * it. The controller launches none meanwhile. Undefined: none, or one that does not exist any more.
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

/** The pods that terminate there; undefined: they could not be read. */
export async function preemptedPods(
  { reader, recorder }: Pick<GatherContext, 'reader' | 'recorder'>,
  node: string,
): Promise<readonly PreemptedPod[] | undefined> {
  const looked = await reader.list(PODS, { fields: { 'spec.nodeName': node } });
  const failure = wholeFailure(looked);
  if (failure !== undefined) recorder.addUnread('pod', `pods on node ${node}`, failure);
  const found = listOr(looked).flatMap((pod) => {
    // A pod that has finished holds no room, and a pod of a DaemonSet that is rolled out is not preempted.
    if (isTerminal(pod as PodShape) || isOwnedByDaemonSet(pod as PodShape)) return [];
    const sinceMs = timeMs(pod.metadata.deletionTimestamp);
    const { finalizers = [] } = pod.metadata as { readonly finalizers?: readonly string[] };
    return sinceMs === undefined ? [] : [{ name: fullName(pod), sinceMs, finalizers }];
  });
  return failure !== undefined && found.length === 0 ? undefined : found;
}

// ---------------------------------------------------------------------------------------------------

const CLAIM_NAMED = /\bnodeclaim\/([a-z0-9.-]+)/;
