/** What keeps a pod from every new node, by its own spec. */
import { isRestrictedLabel, KubernetesLabel } from '../../api/index.ts';
import type { RefusalFact } from '../../causes/index.ts';
import { wantsNoPool } from '../../state/index.ts';

import type { GatherContext } from './gather-context.ts';
import type { PodShape } from './shapes.ts';

/** What no node could change. */
export function ownObstacle({ planner }: GatherContext, pod: PodShape): RefusalFact | undefined {
  if (wantsNoPool(pod as never))
    return {
      code: 'OptedOut',
      facts: {},
      text: 'the pod requires nodes without the label karpenter.sh/nodepool, so no node is launched for it',
    };
  const rules = planner?.labelRules;
  if (rules === undefined) return undefined;
  for (const key of Object.keys(pod.spec.nodeSelector ?? {})) {
    const forbidden =
      key === KubernetesLabel.hostname || (isRestrictedLabel(key, rules) && !rules.wellKnown.has(key));
    if (forbidden)
      return {
        code: 'RestrictedLabel',
        facts: { key },
        text: `spec.nodeSelector requires ${key}, which a new node cannot have`,
      };
  }
  return undefined;
}
