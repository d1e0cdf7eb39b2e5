/**
 * The Kubernetes version for new nodes: the API server's. It only rises: a lower answer (an API server behind the
 * load balancer that is not upgraded yet) is ignored. A rise makes the images be looked up again, outside of any
 * maintenance window. Until the first answer the condition stays Unknown; it is never False.
 */
import type { Sourced } from '../../../settings/index.ts';
import { isNewerVersion } from '../cluster/kubernetes-version.ts';
import { Condition, type Draft, MINUTE_MS, type Part } from './part.ts';

export const VERSION_REQUEUE_MS = 15 * MINUTE_MS;

export function kubernetesVersionPart(read: () => Promise<Sourced<string>>): Part {
  return {
    name: 'kubernetes version',
    conditions: [Condition.kubernetesVersion],
    async reconcile(draft) {
      const goal = (await read()).value.replace(/^v/, '');
      const current = draft.status.kubernetesVersion;
      const first = current === undefined || current === '';
      if (!first && isNewerVersion(goal, current)) imagesHaveToFollow(draft, goal);
      if (first || isNewerVersion(goal, current)) draft.status.kubernetesVersion = goal;
      draft.conditions.setTrue(Condition.kubernetesVersion);
      return { requeueAfterMs: VERSION_REQUEUE_MS };
    },
  };
}

// ---------------------------------------------------------------------------------------------------

function imagesHaveToFollow({ conditions, status }: Draft, goal: string): void {
  conditions.setFalse(
    Condition.images,
    'KubernetesUpgrade',
    `Kubernetes was upgraded from ${status.kubernetesVersion} to ${goal}; images are being selected again`,
  );
}
