/**
 * The Kubernetes version for new nodes: that of the option, exactly, or the API server's. The API server's only rises: a
 * lower answer (an API server behind the load balancer that is not upgraded yet) is ignored, unless the version before it
 * was an option, or no API server has reached that version for an hour. A change makes the images be looked up again,
 * outside of any maintenance window. Until the first answer the condition stays Unknown; it is never False.
 */
import type { Sourced } from '../../../settings/index.ts';
import { isNewerVersion } from '../cluster/kubernetes-version.ts';
import { Condition, type Draft, MINUTE_MS, type Part } from './part.ts';

export const VERSION_REQUEUE_MS = 15 * MINUTE_MS;

/** An upgrade of the API server is over by then. */
const UPGRADE_MS = 60 * MINUTE_MS;

/** The reason of the condition while the option decides: another process must know it to lower the version again. */
const OPTION = 'KubernetesVersionOption';

export function kubernetesVersionPart(read: () => Promise<Sourced<string>>): Part {
  /** Since when the API server has been behind the status, by node class. */
  const behindSinceMs = new Map<string, number>();
  return {
    name: 'kubernetes version',
    conditions: [Condition.kubernetesVersion],
    async reconcile(draft) {
      const version = await read();
      const goal = version.value.replace(/^v/, '');
      const current = draft.status.kubernetesVersion ?? '';
      const isOption = version.source !== 'cluster';
      const wasOption = draft.conditions.get(Condition.kubernetesVersion)?.reason === OPTION;
      const isNewer = current === '' || isNewerVersion(goal, current);
      if (isNewer || isOption || wasOption || isBehindForLong(behindSinceMs, draft, goal)) {
        behindSinceMs.delete(draft.nodeClass.metadata.name ?? '');
        if (current !== '' && goal !== current) imagesHaveToFollow(draft, goal);
        draft.status.kubernetesVersion = goal;
      }
      const { kubernetesVersion } = Condition;
      if (isOption)
        draft.conditions.setTrue(
          kubernetesVersion,
          OPTION,
          `It is set by ${version.source} ${version.path}.`,
        );
      else draft.conditions.setTrue(kubernetesVersion);
      return { requeueAfterMs: VERSION_REQUEUE_MS };
    },
  };
}

// ---------------------------------------------------------------------------------------------------

function isBehindForLong(
  sinceMs: Map<string, number>,
  { nodeClass, status, nowMs }: Draft,
  goal: string,
): boolean {
  const name = nodeClass.metadata.name ?? '';
  if (!isNewerVersion(status.kubernetesVersion ?? '', goal)) {
    sinceMs.delete(name);
    return false;
  }
  const startMs = sinceMs.get(name) ?? nowMs;
  sinceMs.set(name, startMs);
  return nowMs - startMs >= UPGRADE_MS;
}

function imagesHaveToFollow({ conditions, status }: Draft, goal: string): void {
  conditions.setFalse(
    Condition.images,
    'KubernetesUpgrade',
    `The Kubernetes version of nodes changed from ${status.kubernetesVersion} to ${goal}; images are being selected again`,
  );
}
