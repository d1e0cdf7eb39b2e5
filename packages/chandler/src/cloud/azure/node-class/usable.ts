/**
 * What of a node class's status a launch may use. A value counts only when its condition is True and was set for the
 * spec as it is now: after an edit nothing is launched until the status has caught up.
 */
import type { AKSNodeClass, AKSNodeClassStatus, Condition as StatusCondition } from '../../../api/index.ts';
import { Condition } from './part.ts';

export type Usable<T> = { readonly value: T } | { readonly notUsable: string };

export type NodeClassImage = NonNullable<AKSNodeClassStatus['images']>[number];

type Conditioned = Pick<AKSNodeClass, 'metadata' | 'status'>;

export function usableKubernetesVersion(nodeClass: Conditioned): Usable<string> {
  return usable(nodeClass, Condition.kubernetesVersion, nodeClass.status?.kubernetesVersion, (v) => v !== '');
}

export function usableImages(nodeClass: Conditioned): Usable<readonly NodeClassImage[]> {
  return usable(nodeClass, Condition.images, nodeClass.status?.images, (images) => images.length > 0);
}

/** Whether the condition is True for the current generation. */
export function isCurrent(condition: StatusCondition | undefined, generation: number | undefined): boolean {
  return condition?.status === 'True' && (condition.observedGeneration ?? 0) === (generation ?? 0);
}

// ---------------------------------------------------------------------------------------------------

function usable<T>(
  nodeClass: Conditioned,
  type: string,
  value: T | undefined,
  filled: (value: T) => boolean,
): Usable<T> {
  const conditions = (nodeClass.status?.conditions ?? []) as readonly StatusCondition[];
  const condition = conditions.find((each) => each.type === type);
  if (condition === undefined) return { notUsable: `${type} is not set yet` };
  if (condition.status !== 'True') {
    return {
      notUsable:
        `${type} is ${condition.status}: ${condition.reason ?? ''} ${condition.message ?? ''}`.trim(),
    };
  }
  if (!isCurrent(condition, nodeClass.metadata.generation)) {
    return {
      notUsable: `${type} is for generation ${condition.observedGeneration ?? 0}, but the spec has generation ${nodeClass.metadata.generation ?? 0}`,
    };
  }
  if (value === undefined || !filled(value)) return { notUsable: `${type} is True, but the status is empty` };
  return { value };
}
