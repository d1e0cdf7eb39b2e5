/** What keeps a pod from every new node, by its own spec. */
import { KubernetesLabel } from '../../api/index.ts';
import type { RefusalFact } from '../../causes/index.ts';
import { rejectionText, selectorRejection, wantsNoPool } from '../../state/index.ts';

import type { ReadEvent } from './events.ts';
import { existingNodeFacts, isBeingScheduled } from './existing-nodes.ts';
import type { GatherContext } from './gather-context.ts';
import { requiredLabels } from './may-take.ts';
import type { PodShape } from './shapes.ts';
import { missingVolumeClaims } from './unbound-volumes.ts';

/** What no node could change. The controller rejects such a pod before it plans. */
export function ownObstacle({ planner }: GatherContext, pod: PodShape): RefusalFact | undefined {
  if (wantsNoPool(pod as never))
    return {
      code: 'OptedOut',
      facts: {},
      text: 'the pod requires nodes without the label karpenter.sh/nodepool, so no node is launched for it',
    };
  const rules = planner?.labelRules;
  const rejection = rules === undefined ? undefined : selectorRejection(pod as never, rules);
  if (rejection === undefined) return undefined;
  const facts: RefusalFact['facts'] = rejection.code === 'RestrictedLabel' ? { key: rejection.key } : {};
  return { code: rejection.code, facts, text: rejectionText(rejection) };
}

/** A pod that is pinned is meant for a node that exists: then that node is to be repaired. Empty: it is being scheduled. */
export async function ownRefusals(
  context: GatherContext,
  pod: PodShape,
  events: readonly ReadEvent[],
  own: RefusalFact,
): Promise<readonly RefusalFact[]> {
  const existing = isPinned(pod) ? await existingNodeFacts(context, pod, events, [own]) : [];
  if (existing.length === 0) return [own];
  // Without its volume it cannot run on that node either.
  const missing = await missingVolumeClaims(context, pod);
  if (missing.length === 0 && isBeingScheduled(context, pod, events)) return [];
  return [...missing, ...existing];
}

// ---------------------------------------------------------------------------------------------------

/** It requires certain nodes by their host name, whichever alternative of its affinity counts. */
function isPinned(pod: PodShape): boolean {
  return requiredLabels(pod).every((all) => all.some(({ key }) => key === KubernetesLabel.hostname));
}
