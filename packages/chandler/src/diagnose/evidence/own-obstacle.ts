/** What keeps a pod from every new node, by its own spec. */
import { KubernetesLabel } from '../../api/index.ts';
import type { RefusalFact } from '../../causes/index.ts';
import { rejectionText, selectorRejection, wantsNoPool } from '../../state/index.ts';

import type { GatherContext } from './gather-context.ts';
import { requiredLabels } from './may-take.ts';
import type { PodShape } from './shapes.ts';

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

/** It requires certain nodes by their host name, whichever alternative of its affinity counts. */
export function isPinned(pod: PodShape): boolean {
  return requiredLabels(pod).every((all) => all.some(({ key }) => key === KubernetesLabel.hostname));
}
